"""The Fortune line of the worked examples, in many orders of the cards."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from firmware_app.cards import parse_hand
from firmware_app.rules.fortune import FortuneEvaluator
from firmware_app.rules.lines import Line
from firmware_app.rules.profile import load_profile

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "fortune.json").read_text("utf-8")
)
SHUFFLES = 20


@pytest.fixture(scope="module")
def evaluator() -> FortuneEvaluator:
    fortune = load_profile("face-up").fortune
    assert fortune is not None
    return FortuneEvaluator(fortune.pay_table)


def lines_in_many_orders(evaluator: FortuneEvaluator, hand: str) -> set[Line | None]:
    cards = list(parse_hand(hand, count=7))
    orders = random.Random(hand)
    found = {evaluator.line(cards)}
    for _ in range(SHUFFLES):
        orders.shuffle(cards)
        found.add(evaluator.line(cards))
    return found


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: " ".join(vector["cards"]))
def test_worked_example_has_its_line(evaluator: FortuneEvaluator, vector: dict[str, Any]) -> None:
    assert lines_in_many_orders(evaluator, " ".join(vector["cards"])) == {vector["category"]}
