"""Pictures with everything at once: what a table shows on its worst day must stay readable."""

from __future__ import annotations

from dataclasses import replace

from firmware_app.signage.past_rounds import RoundSpot, RoundSummary
from firmware_app.signage.samples import Sample
from firmware_app.table.values import Alarm
from firmware_app.table.view import SpotView, TableView

LONG_NOTICE = (
    "Spots 2 and 3 are one player; spot 4 is a dead hand by order of the floor supervisor; spot 6 "
    "was late and its wager is ignored for this round"
)
ALARMS = tuple(
    Alarm(
        code=f"fault-{number}",
        text=f"Spot {number} envy button is stuck: clear the button or call a technician, and "
        "take the spot out of service until it is mended",
        spot=number,
    )
    for number in range(1, 7)
)


def _worst(spot: SpotView) -> SpotView:
    return replace(
        spot,
        main_cents=25_000_00,
        fortune_cents=1_250_50 if spot.fortune_cents else spot.fortune_cents,
        ace_high_cents=5_000_00,
        envy_button=True,
        dead=spot.number % 3 == 0,
        folded=spot.number % 3 == 1,
        surrendered=spot.number % 3 == 2,
        player="the same player",
        in_service=spot.number != 4,
    )


def _paid_most(spot: SpotView) -> SpotView:
    result = spot.result
    if result is None:
        return spot
    return replace(
        spot,
        fortune_cents=spot.fortune_cents or 25_00,
        result=replace(
            result,
            main=replace(result.main, paid_cents=1_000_000_00),
            fortune=replace(result.fortune, paid_cents=1_250_000_00),
            ace_high=replace(result.ace_high, paid_cents=300_000_00),
            envy=replace(result.envy, paid_cents=30_000_00),
        ),
    )


def _crowded(view: TableView) -> TableView:
    return replace(
        view,
        round_number=1_234_567,
        alarms=ALARMS,
        notice=LONG_NOTICE,
        spots=tuple(_worst(spot) for spot in view.spots),
    )


def _rich(view: TableView) -> TableView:
    return replace(view, spots=tuple(_paid_most(spot) for spot in view.spots))


def extremes(samples: dict[str, Sample]) -> dict[str, Sample]:
    """Return the worst of each kind of picture, made of ``samples``."""
    found: dict[str, Sample] = {}
    for name in ("betting-face-up", "betting-daytona", "dealt", "dealt-face-up", "reveal-daytona"):
        sample = samples[name]
        found[f"crowded-{name}"] = replace(sample, view=_crowded(sample.view))
    for name in ("big-win", "big-win-royal", "reveal-daytona", "settled"):
        sample = samples[name]
        found[f"rich-{name}"] = replace(sample, view=_rich(sample.view))
    named = samples["attract-face-up"]
    title = "Grand Riverside Casino & Resort Face Up Fortune Pai Gow Poker"
    found["long-title"] = replace(named, profile=named.profile.model_copy(update={"title": title}))
    recall = samples["last-rounds"]
    won = recall.rounds[1].spots[0]
    full = tuple(
        RoundSummary(
            number=1_234_567 - place,
            time_text="21:04",
            spots=tuple(
                RoundSpot(number, won.line, 1_250_000_00, 1_000_00) for number in range(1, 5)
            ),
        )
        for place in range(12)
    )
    found["full-recall"] = replace(recall, rounds=full)
    return found
