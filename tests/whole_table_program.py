"""``fortune-table run`` on simulated pins: CONFIG JOURNAL. Each line on stdin lays a bet on spot 1.

JOURNAL says how the journal behaves once the start is recorded: ``sound``, ``hangs`` for ever,
holds the next write back for 8 s (``slow``), or has no room from the beginning on (``full``).
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

from firmware_app.commands import run as run_module
from firmware_app.config import load_config
from firmware_app.journal.errors import StorageFull
from firmware_app.journal.store import Journal
from hw.sim.panel import SimPanel

SLOW_WRITE_S = 8.0


def break_journal(behaviour: str) -> None:
    append = Journal.append
    facts_written = 0

    def broken(self: Journal, facts: Any, *rest: Any, **named: Any) -> None:
        nonlocal facts_written
        if facts and behaviour == "full":
            raise StorageFull("no room in this test")
        if facts_written == 1 and behaviour == "hangs":
            threading.Event().wait()
        if facts_written == 1 and behaviour == "slow":
            time.sleep(SLOW_WRITE_S)
        facts_written += bool(facts)
        append(self, facts, *rest, **named)

    Journal.append = broken  # type: ignore[method-assign]


def main() -> None:
    config, behaviour = Path(sys.argv[1]), sys.argv[2]
    break_journal(behaviour)
    panel = SimPanel(load_config(config).panel, seed=1)
    run_module.open_pins = lambda expander: panel.pins  # type: ignore[assignment]

    def play() -> None:
        for _ in sys.stdin:
            panel.bet(1)

    threading.Thread(target=play, daemon=True).start()
    run_module.run(["--config", str(config)])


main()
