"""The verdict itself: each way of breaking a promise is told from a clean run, one at a time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from soak_verdict import Verdict, judge

RESULTS = [[1, ["AS", "KS"], 2500], [2, ["2D", "3D"], 0]]
OTHER_RESULTS = [[1, ["AS", "KS"], 500], [2, ["2D", "3D"], 0]]


def spots(results: list[list[Any]]) -> list[dict[str, Any]]:
    return [{"spot": spot, "cards": cards, "owed_cents": owed} for spot, cards, owed in results]


def event(sequence: int, kind: str, number: int, **data: Any) -> bytes:
    return json.dumps(
        {
            "id": f"t-{sequence}",
            "sequence": f"{sequence:012d}",
            "type": f"fpg.v1.{kind}",
            "data": {"round": number, **data},
        }
    ).encode()


def shown(
    number: int, phase: str, results: Any = None, suspended_from: str | None = None
) -> dict[str, Any]:
    return {
        "round": number,
        "phase": phase,
        "suspended_from": suspended_from,
        "results": results,
    }


@pytest.fixture
def received() -> list[bytes]:
    """Two rounds, one settled and one voided."""
    return [
        event(1, "round-opened", 1),
        event(2, "round-locked", 1),
        event(3, "round-revealed", 1, spots=spots(RESULTS)),
        event(4, "round-settled", 1, spots=spots(RESULTS)),
        event(5, "round-opened", 2),
        event(6, "round-voided", 2),
    ]


@pytest.fixture
def lives() -> list[list[dict[str, Any]]]:
    """What was shown of them, with a kill before the payment and one after it."""
    return [
        [shown(1, "betting"), shown(1, "revealed", RESULTS)],
        [shown(1, "suspended", RESULTS, "revealed"), shown(1, "settled", RESULTS)],
        [shown(1, "settled", RESULTS), shown(2, "betting"), shown(2, "voided")],
    ]


def counts(verdict: Verdict) -> tuple[int, int, int, int]:
    assert verdict.clean is not bool(verdict.findings)
    return verdict.lost, verdict.duplicated, verdict.disordered, verdict.contradicted


def test_a_clean_run_is_clean(received: Any, lives: Any) -> None:
    verdict = judge(received, lives, 6)
    assert counts(verdict) == (0, 0, 0, 0)
    assert verdict.rounds == 2


def test_repeats_of_the_same_bytes_are_no_fault(received: Any, lives: Any) -> None:
    assert counts(judge(received[:4] + received[1:] + received[:2], lives, 6)) == (0, 0, 0, 0)


def test_a_hole_and_a_missing_end_are_lost(received: Any, lives: Any) -> None:
    assert counts(judge(received[:1] + received[2:], lives, 6)) == (1, 0, 0, 0)
    assert counts(judge(received, lives, 8)) == (2, 0, 0, 0)


def test_a_round_shown_settled_and_never_published_so_is_lost(received: Any, lives: Any) -> None:
    received[3] = event(4, "alarm-raised", 1)
    assert counts(judge(received, lives, 6)) == (1, 0, 0, 0)


def test_other_bytes_under_the_same_id_are_a_duplicate(received: Any, lives: Any) -> None:
    assert counts(judge([*received, received[1] + b" "], lives, 6)) == (0, 1, 0, 0)


def test_a_sequence_used_twice_is_a_duplicate(received: Any, lives: Any) -> None:
    twin = received[1].replace(b'"t-2"', b'"t-2b"')
    assert counts(judge([*received, twin], lives, 6)) == (0, 1, 0, 0)


def test_a_first_occurrence_after_a_later_one_is_disorder(received: Any, lives: Any) -> None:
    received[1], received[2] = received[2], received[1]
    assert counts(judge(received, lives, 6)) == (0, 0, 1, 0)


def test_an_event_that_is_on_no_record_is_a_contradiction(received: Any, lives: Any) -> None:
    assert counts(judge(received, lives, 5)) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("round-settled", {"spots": spots(RESULTS)}),
        ("round-voided", {}),
        ("round-revealed", {"spots": spots(RESULTS)}),
        ("payout", {}),
    ],
)
def test_what_is_told_of_a_round_after_its_end_is_a_contradiction(
    received: Any, lives: Any, kind: str, data: dict[str, Any]
) -> None:
    assert counts(judge([*received, event(7, kind, 1, **data)], lives, 7)) == (0, 0, 0, 1)


def test_a_round_revealed_and_settled_differently_is_a_contradiction(received: Any) -> None:
    received[2] = event(3, "round-revealed", 1, spots=spots(OTHER_RESULTS))
    assert counts(judge(received, [], 6)) == (0, 0, 0, 1)


def test_a_round_that_is_skipped_is_a_contradiction(received: Any) -> None:
    received[4], received[5] = event(5, "round-opened", 3), event(6, "round-voided", 3)
    assert counts(judge(received, [], 6)) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    "after",
    [
        shown(1, "revealed", RESULTS),
        shown(1, "suspended", RESULTS, "revealed"),
        shown(1, "voided"),
        shown(1, "settled", OTHER_RESULTS),
        shown(0, "settled"),
    ],
)
def test_taking_back_what_was_shown_settled_is_a_contradiction(
    received: Any, lives: Any, after: dict[str, Any]
) -> None:
    assert counts(judge(received, [*lives[:2], [after]], 6)) == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (shown(2, "dealing"), shown(2, "suspended", None, "betting")),
        (shown(2, "dealt"), shown(2, "dealing")),
        (shown(2, "voided"), shown(2, "suspended", None, "dealing")),
        (shown(2, "betting"), shown(1, "settled", RESULTS)),
    ],
)
def test_a_step_back_over_a_restart_is_a_contradiction(
    received: Any, lives: Any, before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert counts(judge(received, [*lives[:2], [before], [after]], 6)) == (0, 0, 0, 1)


def test_results_shown_other_than_published_are_a_contradiction(received: Any) -> None:
    assert counts(judge(received, [[shown(1, "revealed", OTHER_RESULTS)]], 6)) == (0, 0, 0, 1)
