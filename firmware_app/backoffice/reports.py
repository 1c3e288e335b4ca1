"""What a shift manager asks of the books: one question, one function, rows that can be printed.

Amounts are in cents. A round is booked under the moment it was settled. Voided rounds count for
nothing: their bets went back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from firmware_app.backoffice.likelihood import tail
from firmware_app.backoffice.store import utc_text
from firmware_app.feed.topics import ROOT
from firmware_app.rules.profile import SAMPLES, ProfileError, load_profile
from firmware_app.rules.profile_odds import profile_odds

Row: TypeAlias = dict[str, Any]

UNUSUAL = 0.001
"""A count that chance alone brings less often than this is marked."""


@dataclass(frozen=True, slots=True)
class Period:
    """The time that a report is about: from ``since`` on, before ``until``; None is no bound."""

    since: datetime | None = None
    until: datetime | None = None

    def bounds(self) -> dict[str, str]:
        return {
            "since": "" if self.since is None else utc_text(self.since),
            "until": "9999" if self.until is None else utc_text(self.until),
        }


Report: TypeAlias = Callable[[sqlite3.Connection, Period], list[Row]]

_DROP = """
SELECT source AS "table", count(DISTINCT round) AS rounds,
    sum(stake_cents) FILTER (WHERE kind = 'main') AS main_cents,
    sum(stake_cents) FILTER (WHERE kind = 'fortune') AS fortune_cents,
    sum(stake_cents) FILTER (WHERE kind = 'ace_high') AS ace_high_cents,
    sum(stake_cents) AS wagered_cents
FROM round JOIN wager USING (source, round)
WHERE settled >= :since AND settled < :until GROUP BY source ORDER BY source
"""

_HOLD = """
WITH bets AS (
    SELECT source, banker, kind, stake_cents, collected_cents, paid_cents
    FROM round JOIN wager USING (source, round) WHERE settled >= :since AND settled < :until
    UNION ALL
    SELECT source, banker, 'fortune', 0, 0, envy_cents
    FROM round JOIN hand USING (source, round) WHERE settled >= :since AND settled < :until
)
SELECT source AS "table", kind AS bet, banker, sum(stake_cents) AS wagered_cents,
    sum(collected_cents - paid_cents) AS won_cents,
    round(100.0 * sum(collected_cents - paid_cents) / sum(stake_cents), 2) AS hold_percent
FROM bets GROUP BY source, kind, banker HAVING sum(stake_cents) > 0 ORDER BY source, kind
"""

_ENVY = """
SELECT source AS "table", line, count(*) AS payments, sum(cents) AS paid_cents
FROM round JOIN envy USING (source, round)
WHERE settled >= :since AND settled < :until GROUP BY source, line ORDER BY source, sum(cents) DESC
"""

_LINES = """
SELECT source AS "table", coalesce(profile, '?') AS profile, line, count(*) AS hands
FROM round JOIN hand USING (source, round) JOIN wager USING (source, round, spot)
WHERE settled >= :since AND settled < :until AND kind = 'fortune' AND result IN ('win', 'lose')
GROUP BY source, profile, line
"""

_OFFLINE = """
SELECT source AS "table",
    CASE WHEN bridge = 'down' THEN 'the bridge of its broker is down'
         ELSE coalesce(reason, 'its status was never told') END AS why,
    CASE WHEN bridge = 'down' THEN bridge_since ELSE since END AS since,
    (SELECT max(happened) FROM event WHERE event.source = device.source) AS last_event
FROM device WHERE status IS NOT 'online' OR bridge = 'down' ORDER BY 3
"""


def drop(books: sqlite3.Connection, period: Period) -> list[Row]:
    """What was wagered at each table. Chips that were bought and not bet, no table can see."""
    return _ask(books, _DROP, period)


def hold(books: sqlite3.Connection, period: Period) -> list[Row]:
    """What the bank kept of it, envy taken off the Fortune bets. ``banker`` says whose bank."""
    return _ask(books, _HOLD, period)


def envy(books: sqlite3.Connection, period: Period) -> list[Row]:
    """Envy paid at each table, by the line that brought it."""
    return _ask(books, _ENVY, period)


def offline(books: sqlite3.Connection, period: Period) -> list[Row]:
    """Tables that are not on the line now, the longest first; the period does not matter."""
    return _ask(books, _OFFLINE, period)


def lines(books: sqlite3.Connection, period: Period) -> list[Row]:
    """How often each line was hit at each table, against the exact odds of its rules.

    Hands with a Fortune bet that was decided. ``chance`` is how often a fair deck strays as far
    to that side, or further. Rules that are not shipped have no theory here.
    """
    counted: dict[tuple[str, str], dict[str | None, int]] = {}
    for row in _ask(books, _LINES, period):
        counted.setdefault((row["table"], row["profile"]), {})[row["line"]] = row["hands"]
    return [
        row
        for (table, profile), hits in sorted(counted.items())
        for row in _against_theory(table, profile, hits)
    ]


REPORTS: dict[str, Report] = {
    "drop": drop,
    "hold": hold,
    "envy": envy,
    "lines": lines,
    "offline": offline,
}


def _against_theory(table: str, profile: str, hits: dict[str | None, int]) -> list[Row]:
    hands = sum(hits.values())
    try:
        odds = profile_odds(load_profile(SAMPLES.get(profile, profile))).fortune
    except ProfileError:
        shares: dict[str, float | None] = {str(line): None for line in hits if line is not None}
    else:
        shares = {str(row.line): row.hands / odds.hands for row in odds.lines}
    rows = []
    for line, share in shares.items():
        hit = hits.get(line, 0)
        expected = None if share is None else hands * share
        chance = None if expected is None else tail(hit, expected)
        rows.append(
            {
                "table": table,
                "rules": profile,
                "line": line,
                "hands": hands,
                "hits": hit,
                "expected": expected,
                "chance": chance,
                "unusual": chance is not None and chance < UNUSUAL,
            }
        )
    return rows


def _ask(books: sqlite3.Connection, question: str, period: Period) -> list[Row]:
    cursor = books.execute(question, period.bounds())
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    for row in rows:
        row["table"] = row["table"].removeprefix(f"/{ROOT}/")
    return rows
