"""Where a journal stands: what the next entry goes on from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from firmware_app.journal import chain, packing
from firmware_app.journal.mark import Mark
from firmware_app.journal.meters import Meters
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Entry, Kind
from firmware_app.table.events import BetsLocked, RoundOpened, RoundSettled, RoundVoided

_ROUND_ENDS = (RoundOpened.TYPE, RoundSettled.TYPE, RoundVoided.TYPE)


@dataclass(frozen=True, slots=True)
class Head:
    """The last numbers in use, the chain, the meters, and what a round in progress needs.

    ``boot`` is the entry that names ``boot_id``; both are empty until something is recorded since
    the opening. ``configuration`` is the entry of the configuration in force, 0 for none.
    """

    number: int = 0
    last_fact: int = 0
    last_message: int = 0
    round_number: int = 0
    chain: bytes = chain.SEED
    boot: int = 0
    boot_id: str = ""
    meters: Meters = Meters({}, {})  # noqa: RUF009 - immutable
    locked: BetsLocked | None = None
    configuration: int = 0

    def mark(self) -> Mark:
        """Return what is to be written beside the journal."""
        return Mark(
            self.number,
            self.last_fact,
            self.last_message,
            self.round_number,
            self.chain.hex(),
            self.meters.lifetime,
            self.meters.shift_base,
        )

    def snapshot(self) -> dict[str, Any]:
        """Return what :func:`load_head` would otherwise have to sum up from the first entry."""
        return {
            "lifetime": dict(self.meters.lifetime),
            "shift_base": dict(self.meters.shift_base),
            "configuration": self.configuration,
        }


def load_head(reader: EntryReader) -> Head:
    """Return where the journal stands, read backwards as far as the last snapshot of the meters."""
    last: Entry | None = None
    lock = _LockSearch()
    moved: Counter[str] = Counter()
    configuration = 0
    snapshot: dict[str, Any] = {}
    for entry in reader.backwards():
        last = last or entry
        lock.look_at(entry)
        kept = entry.kept_values()
        if not configuration and entry.kind == Kind.CONFIGURATION:
            configuration = entry.number
        if "meters" in kept and not snapshot:
            snapshot = kept["meters"]
            # The snapshot holds the movement of its own entry already.
            configuration = configuration or snapshot["configuration"]
        if not snapshot:
            moved.update(kept.get("movement", {}))
        if snapshot and lock.over:
            break
    seam = reader.seam()
    if seam is not None:
        snapshot = snapshot or dict(seam.meters)
        configuration = configuration or snapshot["configuration"]
    if last is None:
        return Head()
    return Head(
        last.number,
        last.last_fact,
        last.last_message,
        last.round_number,
        last.chain,
        meters=Meters(snapshot.get("lifetime", {}), snapshot.get("shift_base", {})).moved(moved),
        locked=lock.found,
        configuration=configuration,
    )


class _LockSearch:
    """Looks, newest entry first, for the bets of a round that is still being played."""

    def __init__(self) -> None:
        self.found: BetsLocked | None = None
        self.over = False

    def look_at(self, entry: Entry) -> None:
        if self.over:
            return
        for name, data in reversed(packing.events_of(entry.told)):
            if name == BetsLocked.TYPE:
                self.found = BetsLocked.model_validate(data)
            if name == BetsLocked.TYPE or name in _ROUND_ENDS:
                self.over = True
                return
