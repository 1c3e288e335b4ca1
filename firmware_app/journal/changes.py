"""What changed of configuration, rules and software: the names of keys, never their values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from firmware_app.journal.head import load_head
from firmware_app.journal.reading import EntryReader, configurations
from firmware_app.journal.records import Configuration, Entry

CHANGES_SHOWN: Final = 10
"""How many of the last changes an auditor is shown. The journal keeps all."""

_SOFTWARE: Final = "software"
_RULES: Final = "rules"
_CONFIGURATION: Final = "configuration"


@dataclass(frozen=True, slots=True)
class Change:
    """What came into force at a start. ``changed`` is None where nothing was on record before."""

    entry: int
    time: str
    clock_synchronised: bool
    configuration_digest: str
    rules_digest: str
    software: str
    software_digest: str
    by: str
    changed: tuple[str, ...] | None


def changes_of(newest_first: Sequence[tuple[Entry, Configuration]]) -> tuple[Change, ...]:
    """Return up to :data:`CHANGES_SHOWN` changes, newest first.

    Give one configuration more, so that what the oldest of them changed is known.
    """
    before = [configuration for _, configuration in newest_first[1:]]
    pairs = zip(newest_first, [*before, None], strict=False)  # None is one too many for nothing
    return tuple(
        Change(
            entry=entry.number,
            time=entry.stamp.utc_text,
            clock_synchronised=entry.stamp.synchronised,
            configuration_digest=now.digest,
            rules_digest=now.rules_digest,
            software=now.software,
            software_digest=now.software_digest,
            by=now.by,
            changed=changed_names(old, now),
        )
        for (entry, now), old in islice(pairs, CHANGES_SHOWN)
    )


def last_changes(reader: EntryReader) -> tuple[Change, ...]:
    """Return the last changes that a journal holds, newest first."""
    newest_first = configurations(reader, load_head(reader).configuration)
    return changes_of(list(islice(newest_first, CHANGES_SHOWN + 1)))


def changed_names(before: Configuration | None, now: Configuration) -> tuple[str, ...] | None:
    """Return the names of what differs, in order: none for nothing, None where nothing was before.

    A key of the configuration is named by its path (``mqtt.host``), one of the rules likewise
    under ``rules``. A text that is no JSON object differs as a whole.
    """
    if before is None:
        return None
    names = {
        *_differing(before.text, now.text, _CONFIGURATION, ""),
        *_differing(before.rules, now.rules, _RULES, f"{_RULES}."),
    }
    if (before.software, before.software_digest) != (now.software, now.software_digest):
        names.add(_SOFTWARE)
    return tuple(sorted(names))


def _differing(before: str, now: str, whole: str, prefix: str) -> Iterator[str]:
    if before == now:
        return
    try:
        old, new = dict(_leaves(json.loads(before))), dict(_leaves(json.loads(now)))
    except ValueError:
        yield whole
        return
    for name in old.keys() | new.keys():
        if old.get(name) != new.get(name):
            yield prefix + name


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterable[tuple[str, str]]:
    """Yield path and JSON of every key whose value is no table of keys itself."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    else:
        yield ".".join(path), json.dumps(value, sort_keys=True)  # True is 1 for Python alone
