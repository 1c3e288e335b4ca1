"""What the reader's link has counted since it was started: for health reports and the log."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class ReaderCounters:
    """Counters that the link and its session advance; meanings as in ReaderStatistics."""

    bytes_received: int = 0
    sentences: int = 0
    repeats: int = 0
    bad_sentences: int = 0
    refused: int = 0
    gaps: int = 0
    opened: int = 0
    port_faults: int = 0
    answers_unsent: int = 0
    handler_faults: int = 0


@dataclass(frozen=True, slots=True)
class ReaderStatistics:
    """A snapshot. ``silence_ms`` is the age of the last good sentence, None before the first.

    ``sentences`` are good ones acted on, ``repeats`` good ones acted on before, ``refused`` good
    ones that said nothing usable; ``bad_sentences`` were damaged. ``gaps`` are jumps of the
    sentence number. ``opened`` counts openings of the port, ``port_faults`` what ended or
    prevented them. ``handler_faults`` are exceptions of whoever takes the signals.
    """

    status: str
    silence_ms: int | None
    bytes_received: int
    sentences: int
    repeats: int
    bad_sentences: int
    refused: int
    gaps: int
    opened: int
    port_faults: int
    answers_unsent: int
    handler_faults: int

    @classmethod
    def of(
        cls, counters: ReaderCounters, *, status: str, silence_ms: int | None
    ) -> ReaderStatistics:
        """Freeze ``counters``."""
        return cls(status=status, silence_ms=silence_ms, **asdict(counters))

    def line(self) -> str:
        """Return the snapshot as one line of ``name=value``, always in the same order."""
        return "reader: " + " ".join(f"{name}={value}" for name, value in asdict(self).items())
