"""Every picture of the sign on one sheet: ``python -m firmware_app.signage.gallery FOLDER``."""
