"""A floor: several tables, real brokers between them and the back office."""

from __future__ import annotations

import sys
from pathlib import Path

for room in ("feed", "soak"):
    sys.path.append(str(Path(__file__).parents[1] / room))
