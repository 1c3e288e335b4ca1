"""The audit of a whole journal: every entry, its meters by a second count, its facts replayed.

With the archives at hand it goes over the whole history, from the first entry on. Where an archive
is missing or damaged, it goes on behind it, from what the journal keeps of it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from firmware_app.journal import schema
from firmware_app.journal.audit_run import AuditedArchive, Run
from firmware_app.journal.changes import Change
from firmware_app.journal.errors import JournalDamaged
from firmware_app.journal.mark import read_mark
from firmware_app.journal.reading import EntryReader
from firmware_app.journal.seam import Archived, archived
from firmware_app.journal.verification import BadEntry, check_mark


@dataclass(frozen=True, slots=True)
class Audit:
    """What was proven, up to the first fault of the journal.

    ``first_entry`` to ``last_entry`` are proven without a gap: behind the last archive that is
    missing or damaged, if one is. ``archives`` are those that were looked at, oldest first.
    ``changes`` are the last ones of configuration and software, newest first. ``bad_entry`` is the
    first entry that cannot be trusted, None where none is to blame; ``fault`` is None for a whole
    journal, whatever its archives are like. ``notes`` say what could not be looked at.
    """

    entries: int
    first_entry: int
    last_entry: int
    last_fact: int
    last_message: int
    last_round: int
    facts_replayed: int
    chain: str
    archives: tuple[AuditedArchive, ...]
    changes: tuple[Change, ...]
    fault: str | None
    bad_entry: int | None
    notes: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong with the journal, nor with any archive that was looked at."""
        return self.fault is None and not any(each.fault for each in self.archives)


def audit(path: Path, *, software: str, archives: Path | None = None) -> Audit:
    """Prove the journal at ``path`` without altering it; it may be in use meanwhile.

    The archives that it lists are looked for in the folder ``archives``; without one the journal is
    proven alone, from its first entry that is not archived. Facts that ``software`` recorded (the
    version of this one) are replayed. Raises :class:`JournalError` where there is no such file, and
    ``JournalTooNew``.
    """
    # Read first: what a running table records from here on is ahead of it, never behind.
    mark = read_mark(path)
    connection = schema.connect_for_reading(path)
    try:
        run = Run(mark, software)
        try:
            # One view of the file, so that nothing is archived from before our eyes.
            connection.execute("BEGIN")
            schema.schema_version(connection, path)
            _audit(connection, run, archives)
        except BadEntry as bad:
            return _result(run, str(bad), bad.number)
        except JournalDamaged as damaged:
            return _result(run, damaged.fault, damaged.entry)
        except (sqlite3.DatabaseError, ValueError) as error:
            return _result(run, f"the file is damaged: {error}", None)
        return _result(run, None, None)
    finally:
        connection.close()


def _audit(connection: sqlite3.Connection, run: Run, archives: Path | None) -> None:
    reader = EntryReader(connection)
    listed: list[Archived] = []
    # What an archive lists is the one before it, which another entry than its own recorded.
    if reader.archived_through() and not schema.is_archive(connection):
        listed = archived(connection)
        run.expect(listed)
    if archives is not None:
        for each in listed:
            run.take_archive(archives, each)
    run.take_journal(reader)
    check_mark(reader, run.mark)
    schema.check_structure(connection)
    (last,) = connection.execute("SELECT coalesce(max(last_message), 0) FROM entry").fetchone()
    (through,) = connection.execute("SELECT through FROM delivery").fetchone()
    if not 0 <= through <= last:
        raise sqlite3.DatabaseError(f"message {through} counts as delivered, the last is {last}")


def _result(run: Run, fault: str | None, bad_entry: int | None) -> Audit:
    last = run.last
    return Audit(
        entries=run.entries,
        first_entry=run.first.number if run.first else 0,
        last_entry=last.number if last else 0,
        last_fact=last.last_fact if last else 0,
        last_message=last.last_message if last else 0,
        last_round=last.round_number if last else 0,
        facts_replayed=run.facts_replayed,
        chain=last.chain.hex() if last else "",
        archives=tuple(run.archives),
        changes=run.changes(),
        fault=fault,
        bad_entry=bad_entry,
        notes=tuple(run.notes()),
    )
