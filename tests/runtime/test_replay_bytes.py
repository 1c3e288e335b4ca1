"""A journal replayed gives the same facts and the same messages, to the byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firmware_app.cards import DECK
from firmware_app.journal.reading import open_for_reading
from firmware_app.table import facts
from firmware_app.table.facts import fact_from_json, fact_to_json
from firmware_app.table.round import step
from firmware_app.table.state import new_table
from firmware_app.table.values import Phase
from hw.signals import HandRead

QUADS = ("QS", "QH", "QD", "QC", "JK", "4D", "9H")


def play(bench: Any, spot: int) -> None:
    bench.tell(
        facts.WagerChanged(spot=spot, wager="fortune", cents=5_00),
        facts.EnvyButtonChanged(spot=spot, placed=True),
        facts.DealStarted(first_spot=spot),
    )
    bench.wait(lambda view: view.phase is Phase.DEALING)
    rest = [str(card) for card in DECK if str(card) not in QUADS]
    for position in range(7):
        hand = QUADS if position == spot else tuple(rest.pop() for _ in range(7))
        bench.inbox.put(HandRead(position, hand, 0))
    for phase in (Phase.REVEALED, Phase.SETTLED):
        bench.tell(facts.Advanced())
        bench.wait(lambda view, phase=phase: view.phase is phase)


def test_facts_and_messages_come_out_byte_for_byte(start: Callable[..., Any]) -> None:
    bench = start()
    play(bench, 1)
    play(bench, 4)
    bench.tell(facts.WagerChanged(spot=2, wager="fortune", cents=25_00))
    bench.wait(lambda view: view.phase is Phase.BETTING)
    assert bench.engine.stop(facts.ControllerStopped(reason="terminated"))
    bench.journal.close()
    again = start()
    again.tell(facts.Voided(by="floor", reason="end of day"))
    again.wait(lambda view: view.phase is Phase.VOIDED)
    again.close()

    with open_for_reading(again.journal.path) as reader:
        entries = list(reader.forwards())
    state, made = new_table(again.rules), []
    for entry in entries:
        for line in entry.fact_lines():
            fact = fact_from_json(line)
            assert fact_to_json(fact) == line
            after = step(again.rules, state, fact)
            state = after.state
            made += [
                again.encoded(event, len(made) + number, entry.stamp)
                for number, event in enumerate(after.events, start=1)
            ]
    with again.journal.outbox() as outbox:
        sent = outbox.pending(10_000)
    assert {message.type for message in sent} >= {
        "configuration-applied",
        "device-stopped",
        "hand-revealed",
        "payout",
        "round-settled",
        "round-voided",
    }
    assert made == sent
