"""What an event means for the books: the rows that it writes.

Every statement is an upsert that says the same however often it is said, and in whatever order:
several consumers may share the work, and a resend may bring any event again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from firmware_app.feed.envelope import TYPE_PREFIX, Received

Statement: TypeAlias = tuple[str, tuple[object, ...]]

SCHEMA = """
CREATE TABLE IF NOT EXISTS round (
    source TEXT NOT NULL, round INTEGER NOT NULL,
    profile TEXT, banker TEXT, settled TEXT, voided TEXT,
    PRIMARY KEY (source, round)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS wager (
    source TEXT NOT NULL, round INTEGER NOT NULL, spot INTEGER NOT NULL, kind TEXT NOT NULL,
    result TEXT NOT NULL, stake_cents INTEGER NOT NULL,
    paid_cents INTEGER NOT NULL, collected_cents INTEGER NOT NULL,
    PRIMARY KEY (source, round, spot, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hand (
    source TEXT NOT NULL, round INTEGER NOT NULL, spot INTEGER NOT NULL,
    line TEXT, envy_cents INTEGER NOT NULL,
    PRIMARY KEY (source, round, spot)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS envy (
    source TEXT NOT NULL, round INTEGER NOT NULL, spot INTEGER NOT NULL, by_spot INTEGER NOT NULL,
    line TEXT NOT NULL, cents INTEGER NOT NULL,
    PRIMARY KEY (source, round, spot, by_spot)
) WITHOUT ROWID;
"""

_ROUND = (
    "INSERT INTO round (source, round, {column}) VALUES (?, ?, ?) "
    "ON CONFLICT DO UPDATE SET {column} = excluded.{column}"
)
_WAGER = "INSERT OR REPLACE INTO wager VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_HAND = "INSERT OR REPLACE INTO hand VALUES (?, ?, ?, ?, ?)"
_ENVY = "INSERT OR REPLACE INTO envy VALUES (?, ?, ?, ?, ?, ?)"

KINDS = ("main", "fortune", "ace_high")


def rows_of(event: Received, happened: str) -> Iterator[Statement]:
    """Yield what ``event`` writes; ``happened`` is the moment to book it under, as UTC text.

    Most kinds of events write nothing: they stay in the table of events. Raises KeyError or
    TypeError where the data is not as the feed's schema promises.
    """
    data = event.data
    place = (event.source, data["round"])
    match event.type.removeprefix(TYPE_PREFIX):
        case "round-opened":
            yield _ROUND.format(column="profile"), (*place, data["profile"])
        case "round-locked":
            banker = "house" if data["designated_player"] is None else "player"
            yield _ROUND.format(column="banker"), (*place, banker)
        case "round-voided":
            yield _ROUND.format(column="voided"), (*place, happened)
        case "round-settled":
            yield _ROUND.format(column="settled"), (*place, happened)
            for spot in data["spots"]:
                yield from _spot(place, spot)


def _spot(place: tuple[str, int], spot: Mapping[str, Any]) -> Iterator[Statement]:
    where = (*place, spot["spot"])
    yield _HAND, (*where, spot["line"], spot["envy_cents"])
    for kind in KINDS:
        wager = spot[kind]
        # The feed's promise: a stake is all of what became of it.
        stake_cents = wager["collected_cents"] + wager["returned_cents"] + wager["kept_cents"]
        yield (
            _WAGER,
            (
                *where,
                kind,
                wager["result"],
                stake_cents,
                wager["paid_cents"],
                wager["collected_cents"],
            ),
        )
    for trigger in spot["envy_triggers"]:
        yield _ENVY, (*where, trigger["spot"], trigger["line"], trigger["cents"])
