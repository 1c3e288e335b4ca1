"""What a journal says of the damaged one that it replaced."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from firmware_app.journal.reading import EntryReader, facts_of
from firmware_app.journal.records import Kind
from firmware_app.table.facts import PowerReturned

_ENTRIES_OF_A_START = 10


@dataclass(frozen=True, slots=True)
class Replaced:
    """What became of a damaged journal.

    ``set_aside`` is where the old file lies now, ``fault`` what was wrong with it, ``by`` who
    decided to replace it. The new journal's own numbers begin with ``next_fact`` and
    ``next_message``. Of the messages that had not been acknowledged, ``carried`` go out of the new
    journal; those numbered as in ``lost`` (first and last, as far as is known) cannot be read.
    Unless ``delivery_known``, nobody knows which had been acknowledged. ``meters_through`` is the
    last entry that the meters include.
    """

    set_aside: Path
    fault: str
    by: str
    next_fact: int
    next_message: int
    carried: int
    lost: tuple[tuple[int, int], ...]
    delivery_known: bool
    meters_through: int

    @property
    def messages_text(self) -> str:
        """What became of the messages, for people."""
        parts = [f"of the events not sent yet, {self.carried} are proven and sent now"]
        if self.lost:
            count = sum(last - first + 1 for first, last in self.lost)
            numbers = ", ".join(
                str(first) if first == last else f"{first} to {last}" for first, last in self.lost
            )
            parts.append(f"{count} cannot be read and will not be sent: {numbers}")
        if not self.delivery_known:
            parts.append("which ones had been sent before cannot be read")
        return "; ".join(parts)


def replacement(reader: EntryReader, path: Path) -> Replaced | None:
    """Return what the journal at ``path`` replaced, None for one that replaced nothing."""
    entries = reader.forwards()
    first = next(entries, None)
    if first is None or first.kind != Kind.CONTINUED:
        return None
    told = first.kept_values()["continued"]
    last_message, carried, closing = first.last_message, 0, {}
    for entry in entries:
        if entry.kind != Kind.CARRIED:
            break
        closing = entry.kept_values()["carried"]
        carried += entry.last_message - last_message - closing["skipped"]
        last_message = entry.last_message
    return Replaced(
        set_aside=path.with_name(told["set_aside"]),
        fault=told["fault"],
        by=told["by"],
        next_fact=first.last_fact + 1,
        next_message=last_message + 1,
        carried=carried,
        lost=tuple((low, high) for low, high in closing.get("lost", ())),
        # Journals of schema 2 carried nothing over, and did not say.
        delivery_known=closing.get("delivery_known", True),
        meters_through=told["meters_through"],
    )


def replacement_to_tell(reader: EntryReader, path: Path) -> Replaced | None:
    """Return what the journal replaced until a start of the table is on record in it."""
    replaced = replacement(reader, path)
    if replaced is None:
        return None
    first = reader.first_reaching("last_fact", replaced.next_fact)
    for entry in islice(reader.forwards(after=first - 1), _ENTRIES_OF_A_START):
        if any(isinstance(recorded.fact, PowerReturned) for recorded in facts_of(entry)):
            return None
    return replaced
