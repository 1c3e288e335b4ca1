"""Tables and their messages, as the back office receives them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from firmware_app.backoffice.store import Message, Store
from firmware_app.feed.envelope import encode
from firmware_app.feed.examples import cards, wager
from firmware_app.feed.topics import TableTopics
from firmware_app.rules.lines import Line
from firmware_app.rules.play import Result
from firmware_app.table.events import (
    BetsLocked,
    EnvyTriggered,
    Event,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SpotOutcome,
)
from firmware_app.table.values import Phase

SIX_AM_NS = 1_785_564_000 * 10**9
"""1 August 2026, 06:00 UTC."""
MINUTE_NS = 60 * 10**9


class Table:
    """Tells events with its own sequence, a minute apart."""

    def __init__(self, name: str, site: str = "casino") -> None:
        self.topics = TableTopics(site, name)
        self.source = f"/{self.topics.base}"
        self.sequence = 0

    def tell(self, *told: Event, clock_known: bool = True) -> list[Message]:
        messages = []
        for event in told:
            self.sequence += 1
            payload = encode(
                event,
                self.topics,
                sequence=self.sequence,
                wall_utc_ns=SIX_AM_NS + self.sequence * MINUTE_NS,
                synchronised=clock_known,
            )
            messages.append(Message(self.topics.event(event.TYPE), payload))
        return messages

    def status(self, status: str, reason: str | None = None) -> Message:
        payload = json.dumps({"status": status, "reason": reason}).encode()
        return Message(self.topics.status, payload)


def spot(
    number: int,
    *,
    main: tuple[int, int, int] = (0, 0, 0),
    fortune: tuple[int, int, int] = (0, 0, 0),
    line: Line | None = None,
    envy: Iterable[tuple[int, Line, int]] = (),
) -> SpotOutcome:
    """One spot's outcome: each wager as (collected, kept by the player, paid), in cents."""

    def outcome(amounts: tuple[int, int, int]) -> object:
        collected, kept, paid = amounts
        result = Result.WIN if paid else Result.LOSE if collected else Result.NONE
        return wager(result, collected_cents=collected, kept_cents=kept, paid_cents=paid)

    triggers = tuple(EnvyTriggered(spot=by, line=of, cents=cents) for by, of, cents in envy)
    envy_cents = sum(trigger.cents for trigger in triggers)
    return SpotOutcome(
        spot=number,
        player=f"spot {number}",
        cards=cards("QS QH QD QC JK 4D 9H"),
        line=line,
        made_of=(),
        main=outcome(main),
        fortune=outcome(fortune),
        ace_high=wager(Result.NONE),
        envy_cents=envy_cents,
        envy_triggers=triggers,
        owed_cents=main[2] + fortune[2] + envy_cents,
    )


def round_of(
    number: int, *spots: SpotOutcome, profile: str = "envy", designated: int | None = None
) -> tuple[Event, ...]:
    """A round that was opened, locked and settled."""
    return (
        RoundOpened(round=number, profile=profile),
        BetsLocked(
            round=number,
            first_spot=1,
            designated_player=designated,
            bank_cents=None if designated is None else 100_000,
            spots=(),
        ),
        RoundSettled(
            round=number,
            spots=spots,
            paid_cents=sum(outcome.owed_cents for outcome in spots),
            collected_cents=sum(
                outcome.main.collected_cents + outcome.fortune.collected_cents for outcome in spots
            ),
            bank_left_cents=None,
        ),
    )


def void(number: int) -> Event:
    return RoundVoided(round=number, phase=Phase.DEALING, reason="misdeal", by="dealer")


def count(store: Store, table: str) -> int:
    [(rows,)] = store.connection.execute(f"SELECT count(*) FROM {table}")
    return int(rows)


def whole(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Everything in the books that does not depend on when it came, and how often."""
    tables = {
        "event": "source, sequence, type, payload",
        "round": "*",
        "wager": "*",
        "hand": "*",
        "envy": "*",
        "progress": "*",
    }
    return {
        table: sorted(store.connection.execute(f"SELECT {columns} FROM {table}"))
        for table, columns in tables.items()
    }
