"""The sign over the table: scene (pure) → layout (pure) → painter, in a process of its own."""

import os

# pygame greets on standard output when it is imported, where a program expects JSON.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
