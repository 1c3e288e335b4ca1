"""``python -m firmware_app`` is ``fortune-table``."""

from firmware_app.cli import main

main()
