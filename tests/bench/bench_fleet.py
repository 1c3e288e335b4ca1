"""B16: how late a floor's events come when it grows from 100 tables to 1,000, and whether all do.

Each table tells five real events a second, some fifteen times as many as a busy one; one reader
takes them all through one broker. The same hundred tables are whole in both cases, with the real
link. The nine hundred others are load: as many connections and as many real events, sent by one
plain thread, since that many whole tables would measure this machine and not the floor.

The ratio is of the 99th percentiles from a table's record to the reader; 100 tables to themselves
are the control. Run as a program; prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys

from measure import Measured

from firmware_app.feed.demo_broker import DemoBroker, find_mosquitto
from firmware_app.simulation.fleet import Outcome, Wish, run_fleet
from firmware_app.simulation.fleet_share import allow_open_files

FEW, MANY = 100, 1_000
EVENTS_PER_S = 5.0
SECONDS = 8.0
ROUNDS = 5
TO_REACH = 10.0


def floor(broker: DemoBroker, tables: int) -> Outcome:
    outcome = run_fleet(Wish(broker.settings, tables, EVENTS_PER_S, SECONDS, whole=FEW))
    if outcome.told != tables * EVENTS_PER_S * SECONDS:
        raise RuntimeError(f"not all was told: {outcome}")
    return outcome


def main() -> None:
    line: dict[str, object] = {"bar": "B16", "to_reach": TO_REACH}
    if find_mosquitto() is None:
        line |= {"void": True, "reason": "the embedded broker is no broker for a floor"}
    else:
        # The broker is a child of this process and inherits its limits.
        allow_open_files()
        with DemoBroker() as broker:
            floor(broker, FEW)
            rounds = [[floor(broker, tables) for tables in (FEW, MANY, FEW)] for _ in range(ROUNDS)]
        ratios, controls = [], []
        for first, many, second in rounds:
            ratios.append(many.p99_ms / ((first.p99_ms + second.p99_ms) / 2))
            controls.append(second.p99_ms / first.p99_ms)
        measured = Measured(statistics.median(ratios), statistics.median(controls))
        outcomes = [outcome for outcomes in rounds for outcome in outcomes]
        line |= {
            "ratio": round(measured.ratio, 3),
            "control": round(measured.control, 3),
            "lost": sum(outcome.lost for outcome in outcomes),
            "out_of_order": sum(outcome.out_of_order for outcome in outcomes),
            "p99_ms": {
                str(tables): round(
                    statistics.median(
                        outcome.p99_ms for outcome in outcomes if outcome.tables == tables
                    ),
                    2,
                )
                for tables in (FEW, MANY)
            },
        }
        if measured.void:
            line["void"] = True
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
