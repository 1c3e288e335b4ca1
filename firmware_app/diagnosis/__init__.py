"""What a technician sees of a table that is not playing: checks before opening, hardware live."""
