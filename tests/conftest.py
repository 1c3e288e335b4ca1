"""What holds for every test: no test is judged by the clock, and CI is the same each time."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("table", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("table")
