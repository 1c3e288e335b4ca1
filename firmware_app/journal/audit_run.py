"""One pass over the entries of a journal, or of its archives and then of the journal."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from firmware_app.journal import packing
from firmware_app.journal.changes import CHANGES_SHOWN, Change, changes_of
from firmware_app.journal.errors import JournalError
from firmware_app.journal.history import file_digest, open_archive
from firmware_app.journal.mark import Mark
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.records import Configuration, Entry, Kind
from firmware_app.journal.recount import Recount
from firmware_app.journal.replaying import Replayer
from firmware_app.journal.seam import Archived, Seam
from firmware_app.journal.verification import BadEntry, Position, check_marked, proven_entries


@dataclass(frozen=True, slots=True)
class AuditedArchive:
    """An archive that the journal lists; ``fault`` is None for a whole one."""

    file: str
    first_entry: int
    last_entry: int
    sha256: str
    fault: str | None


class Run:
    """What was found so far.

    ``first`` and ``last`` are the entries between which everything is proven without a gap, and
    ``entries`` how many these are.
    """

    def __init__(self, mark: Mark | None, software: str) -> None:
        self.mark = mark
        self.entries = 0
        self.first: Entry | None = None
        self.last: Entry | None = None
        self.archives: list[AuditedArchive] = []
        self._position: Position | None = None
        self._recount = Recount()
        self._replayer = Replayer(software)
        # One more than is shown: what the oldest of these changed is told by the one before it.
        self._configurations: deque[Entry] = deque(maxlen=CHANGES_SHOWN + 1)
        self._not_looked_at = 0
        # By last entry, what an entry has to have recorded of each archive and was not met yet;
        # None where it is not to be expected, since the file is an archive itself.
        self._listed: dict[int, dict[str, Any]] | None = None

    @property
    def facts_replayed(self) -> int:
        return self._replayer.facts

    def expect(self, listed: Sequence[Archived]) -> None:
        """Take note of what the journal lists; raise ``sqlite3.DatabaseError`` for a gap in it."""
        for before, after in pairwise(listed):
            if after.first != before.last + 1:
                raise sqlite3.DatabaseError(
                    f"the archive between {before.file} and {after.file} is not listed any more"
                )
        self._listed = {each.last: each.as_recorded() for each in listed}

    def take_archive(self, folder: Path, listed: Archived) -> None:
        """Look at every entry of an archive. What is wrong with it is noted, and stepped over."""
        seam = Seam.from_json(listed.seam)
        fault = self._fault_of(folder, listed, seam)
        self.archives.append(
            AuditedArchive(listed.file, listed.first, listed.last, listed.sha256, fault)
        )
        if fault is not None:
            self._resume(seam)

    def take_journal(self, reader: EntryReader) -> None:
        """Look at every entry that is not archived; raise at the first that is wrong."""
        seam = reader.seam()
        if seam is not None and not self.archives:
            self._not_looked_at = seam.number
            self._resume(seam)
        self._take(reader)

    def changes(self) -> tuple[Change, ...]:
        """Return the last changes of configuration and software, newest first."""
        return changes_of(
            [
                (entry, Configuration.of(entry.kept_values()["configuration"]))
                for entry in self._configurations
            ]
        )

    def notes(self) -> Iterator[str]:
        """Yield what could not be looked at."""
        if self._not_looked_at:
            yield f"entries up to {self._not_looked_at} are archived, and were not looked at"
        if self.mark is None:
            yield "no mark beside the journal: whether entries are missing at its end is unknown"
        if self._replayer.facts_stepped_over:
            yield (
                f"{self._replayer.facts_stepped_over} facts are not replayed: other software "
                "recorded them, or no configuration stands before them"
            )

    def _fault_of(self, folder: Path, listed: Archived, seam: Seam) -> str | None:
        path = folder / listed.file
        try:
            with open_archive(folder, listed) as reader:
                self._take(reader)
            if file_digest(path) != listed.sha256:
                return "is not the file that was archived: its SHA-256 is another"
        except BadEntry as bad:
            return str(bad)
        except JournalError as error:
            return str(error)
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        if self._position != Position.behind(seam) or not self._agrees_with(seam):
            return "does not end as the journal says"
        return None

    def _agrees_with(self, seam: Seam) -> bool:
        kept = {} if self.last is None else self.last.kept_values()
        return kept.get("meters") == seam.meters and kept.get("checkpoint") == seam.checkpoint

    def _resume(self, seam: Seam) -> None:
        """Go on behind ``seam``, from what the journal holds of it."""
        self.entries, self.first, self.last = 0, None, None
        self._position = Position.behind(seam)
        self._recount.resume(seam.meters["lifetime"])
        self._replayer.resume(seam)
        self._configurations = deque(seam.configurations, CHANGES_SHOWN + 1)

    def _take(self, reader: EntryReader) -> None:
        for entry in proven_entries(reader, after=self._position):
            try:
                self._count(entry)
                self._replayer.take(entry)
                self._compare_with_list(entry)
            except (ValueError, TypeError, KeyError) as error:
                raise BadEntry(entry.number, f"cannot be understood ({error!r})") from error
            if entry.kind == Kind.CONFIGURATION:
                self._configurations.appendleft(entry)
            self.first = self.first or entry
            self.last = entry
            self.entries += 1
            self._position = Position.after(entry)

    def _count(self, entry: Entry) -> None:
        kept = entry.kept_values()
        movement = kept.get("movement", {})
        if self._recount.recount(packing.events_of(entry.told)) != movement:
            raise BadEntry(entry.number, "moved the meters by something else than its events say")
        if "continued" in kept:
            self._recount.take_recorded(kept["meters"]["lifetime"])
        if "meters" in kept and kept["meters"]["lifetime"] != self._recount.total:
            raise BadEntry(entry.number, "holds meters that are not the sum of what was told")
        if self.mark is not None and self.mark.entry == entry.number:
            self._compare_with_mark(self.mark, entry)

    def _compare_with_mark(self, mark: Mark, entry: Entry) -> None:
        check_marked(entry, mark)
        if mark.lifetime != self._recount.total:
            raise BadEntry(
                mark.entry,
                "is where the mark beside the journal has other meters than the entries add up to",
            )

    def _compare_with_list(self, entry: Entry) -> None:
        if entry.kind != Kind.ARCHIVED or self._listed is None:
            return
        recorded = entry.kept_values()["archived"]
        if self._listed.pop(recorded["last"], None) != recorded:
            raise BadEntry(
                entry.number, f"recorded the archive {recorded['file']} otherwise than it is listed"
            )
