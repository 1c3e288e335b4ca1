"""The verdict over a soak, from the outside: what subscribers received and what was shown.

Uses nothing of the table's own code, so that a fault there cannot hide itself here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

Statement = dict[str, Any]
Results = list[list[Any]]

_PREFIX = "fpg.v1."
_ENDS = ("round-settled", "round-voided")
_ORDER = ("betting", "dealing", "dealt", "revealed", "settled", "voided")
"""A round goes this way only, however often it is suspended."""
_IN_PLAY = (
    "round-opened",
    "round-locked",
    "round-dealt",
    "round-revealed",
    "round-resumed",
    "round-suspended",
    "payout",
)


@dataclass(slots=True)
class Verdict:
    """How often each promise was broken, and in which way."""

    rounds: int = 0
    lost: int = 0
    duplicated: int = 0
    disordered: int = 0
    contradicted: int = 0
    findings: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not (self.lost or self.duplicated or self.disordered or self.contradicted)


def judge(
    received: Iterable[bytes], lives: Sequence[Sequence[Statement]], last_sequence: int
) -> Verdict:
    """Return the verdict.

    ``received`` are the events in the order in which they came, repeats included; ``lives`` what
    each life of the table showed, in order; ``last_sequence`` how many events there are in all.
    """
    verdict = Verdict()
    events = _in_sequence(received, last_sequence, verdict)
    settled = _told(events, verdict)
    _shown(lives, settled, verdict)
    return verdict


def _in_sequence(
    received: Iterable[bytes], last_sequence: int, verdict: Verdict
) -> list[dict[str, Any]]:
    """Drop repeats by id, and count what is missing, different or late."""
    first: dict[str, bytes] = {}
    by_sequence: dict[int, dict[str, Any]] = {}
    highest = 0
    for payload in received:
        event = json.loads(payload)
        name, sequence = event["id"], int(event["sequence"])
        if name in first:
            if first[name] != payload:
                verdict.duplicated += 1
                verdict.findings.append(f"{name} came again with other bytes")
            continue
        first[name] = payload
        if sequence in by_sequence:
            verdict.duplicated += 1
            verdict.findings.append(f"{name} uses sequence {sequence} a second time")
            continue
        by_sequence[sequence] = event
        if sequence < highest:
            verdict.disordered += 1
            verdict.findings.append(f"{name} came after sequence {highest}")
        highest = max(highest, sequence)
    missing = [number for number in range(1, last_sequence + 1) if number not in by_sequence]
    invented = [number for number in by_sequence if not 1 <= number <= last_sequence]
    verdict.lost += len(missing)
    verdict.contradicted += len(invented)
    verdict.findings += [f"event {number} was never received" for number in missing]
    verdict.findings += [f"event {number} is on no record" for number in invented]
    return [by_sequence[number] for number in sorted(by_sequence)]


def _told(events: Iterable[dict[str, Any]], verdict: Verdict) -> dict[int, Results]:
    """Check the rounds as published; return the results of those that were settled."""
    settled: dict[int, Results] = {}
    revealed: dict[int, Results] = {}
    ended: dict[int, str] = {}
    last_opened = 0
    for event in events:
        kind = event["type"].removeprefix(_PREFIX)
        number = event["data"]["round"]
        if kind in _IN_PLAY + _ENDS and number in ended:
            _contradict(verdict, f"round {number} was {ended[number]}, then told {kind}")
        if kind == "round-opened":
            if number != last_opened + 1:
                _contradict(verdict, f"round {number} was opened after round {last_opened}")
            last_opened = number
        if kind in ("round-revealed", "round-settled"):
            results = _results(event["data"]["spots"])
            if revealed.setdefault(number, results) != results:
                _contradict(verdict, f"round {number} was revealed and {kind} differently")
            if kind == "round-settled":
                settled[number] = results
        if kind in _ENDS:
            ended[number] = kind
    verdict.rounds = len(ended)
    return settled


def _shown(
    lives: Sequence[Sequence[Statement]], settled: dict[int, Results], verdict: Verdict
) -> None:
    """Check what was shown against itself over all lives, and against what was published."""
    results: dict[int, Results] = {}
    shown_settled: set[int] = set()
    last = (0, "betting")
    for statement in (each for life in lives for each in life):
        number, phase = statement["round"], statement["suspended_from"] or statement["phase"]
        ended = last[1] in ("settled", "voided") and phase != last[1]
        back = _ORDER.index(phase) < _ORDER.index(last[1])
        if number < last[0] or (number == last[0] and number and (ended or back)):
            _contradict(verdict, f"round {number} was shown {phase} after {last[1]} of {last[0]}")
        last = max(last, (number, phase), key=lambda shown: (shown[0], _ORDER.index(shown[1])))
        if phase == "settled" and number:
            shown_settled.add(number)
        if statement["results"] is not None:
            shown = statement["results"]
            if results.setdefault(number, shown) != shown:
                _contradict(verdict, f"round {number} was shown with two results")
    for number in sorted(shown_settled):
        if number not in settled:
            verdict.lost += 1
            verdict.findings.append(f"round {number} was shown settled and never published so")
    for number in sorted(results.keys() & settled.keys()):
        if not _tell_the_same(results[number], settled[number]):
            _contradict(verdict, f"round {number} was shown and published differently")


def _tell_the_same(shown: Results, published: Results) -> bool:
    """The hand of an empty spot is published for the record, and never shown."""
    return len(shown) == len(published) and all(
        (one[0], one[2]) == (other[0], other[2]) and one[1] in ([], other[1])
        for one, other in zip(shown, published, strict=True)
    )


def _results(spots: list[dict[str, Any]]) -> Results:
    return [[spot["spot"], spot["cards"], spot["owed_cents"]] for spot in spots]


def _contradict(verdict: Verdict, finding: str) -> None:
    verdict.contradicted += 1
    verdict.findings.append(finding)
