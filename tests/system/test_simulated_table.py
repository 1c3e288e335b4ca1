"""``simulate`` as its user runs it: a process of its own, judged by what it leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pygame
import pytest
from contract import Contract

from firmware_app.rules.profile import load_profile

ROUNDS = 8


@pytest.fixture(scope="module", params=["envy", "face-up"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp(request.param)
    out = home / "out"
    done = subprocess.run(
        f"{sys.executable} -m firmware_app simulate --rules {request.param} "
        f"--rounds {ROUNDS} --seed 7 --headless --out out".split(),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    feed = [json.loads(line) for line in (out / "feed.jsonl").read_text().splitlines()]
    return request.param, out, feed, done


def of_type(feed: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event["data"] for event in feed if event["type"] == f"fpg.v1.{kind}"]


def evaluated(rules: str, hands: list[list[str]]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", "evaluate", "--rules", rules, "--json"],
        input="\n".join(" ".join(hand) for hand in hands),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_says_where_everything_lies(played: Any) -> None:
    _, out, _, done = played
    for name in ("journal.sqlite3", "feed.jsonl", "screens"):
        assert str(out / name) in done.stdout
        assert (out / name).exists()


def test_the_feed_is_gap_free_and_in_order(played: Any) -> None:
    feed = played[2]
    assert [int(event["sequence"]) for event in feed] == list(range(1, len(feed) + 1))
    assert len({event["id"] for event in feed}) == len(feed)


def test_what_was_published_keeps_the_published_contract(played: Any) -> None:
    _, out, _, _ = played
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", "schema"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    contract = Contract(json.loads(done.stdout))
    kinds = set()
    for line in (out / "feed.jsonl").read_bytes().splitlines():
        kind = json.loads(line)["type"].removeprefix("fpg.v1.")
        contract.validator(kind).validate(json.loads(line))
        kinds.add(kind)
    assert kinds >= {
        "device-started",
        "device-stopped",
        "configuration-applied",
        "round-opened",
        "wager-changed",
        "envy-changed",
        "round-locked",
        "hand-received",
        "round-dealt",
        "round-revealed",
        "hand-revealed",
        "payout",
        "round-settled",
        "round-voided",
        "round-suspended",
        "round-resumed",
        "alarm-raised",
        "alarm-cleared",
    }


def test_it_begins_with_what_is_in_force_and_ends_with_a_clean_stop(played: Any) -> None:
    _, out, feed, _ = played
    kinds = [event["type"].removeprefix("fpg.v1.") for event in feed]
    assert kinds[:2] == ["configuration-applied", "device-started"]
    assert kinds[-1] == "device-stopped"
    assert kinds.count("device-stopped") == kinds.count("device-started") == 1
    stopped = {"round": ROUNDS + 1, "reason": "closed", "phase": "voided"}
    assert feed[-1]["data"] == stopped
    [applied] = of_type(feed, "configuration-applied")
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", "verify", "--json", str(out / "journal.sqlite3")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    proven = json.loads(done.stdout)
    [change] = proven["changes"]
    for name in ("configuration_digest", "rules_digest", "software", "software_digest", "changed"):
        assert applied[name] == change[name]
    assert proven["software"] == {
        "version": applied["software"],
        "digest": applied["software_digest"],
    }


def test_each_hand_is_told_at_the_reveal_as_the_round_told_it(played: Any) -> None:
    feed = played[2]
    for number in range(1, ROUNDS + 1):
        [revealed] = [one for one in of_type(feed, "round-revealed") if one["round"] == number]
        hands = [one for one in of_type(feed, "hand-revealed") if one["round"] == number]
        assert hands[0]["position"] == 0
        assert hands[0]["cards"] == revealed["dealer_cards"]
        told = [(one["position"], one["cards"], one["line"], one["made_of"]) for one in hands[1:]]
        assert told == [
            (one["spot"], one["cards"], one["line"], one["made_of"])
            for one in revealed["spots"]
            if one["cards"]
        ]
    kinds = [event["type"] for event in feed]
    assert kinds.index("fpg.v1.hand-revealed") > kinds.index("fpg.v1.round-revealed")


def test_every_round_is_complete(played: Any) -> None:
    feed = played[2]
    steps = ["opened", "locked", "dealt", "revealed", "settled"]
    for number in range(1, ROUNDS + 1):
        told = [
            event["type"].removeprefix("fpg.v1.round-")
            for event in feed
            if event["data"]["round"] == number and event["type"].startswith("fpg.v1.round-")
        ]
        assert told == steps, f"round {number}"
    assert [data["round"] for data in of_type(feed, "round-voided")] == [ROUNDS + 1]


def test_lines_and_payouts_are_what_evaluate_says_of_the_same_hands(played: Any) -> None:
    rules, _, feed, _ = played
    settled = of_type(feed, "round-settled")
    locked = {data["round"]: data["spots"] for data in of_type(feed, "round-locked")}
    hands = [spot["cards"] for data in settled for spot in data["spots"] if spot["cards"]]
    verdicts = iter(evaluated(rules, hands))
    checked = 0
    for data in settled:
        for spot, bets in zip(data["spots"], locked[data["round"]], strict=True):
            if not spot["cards"]:
                assert not bets["occupied"]
                continue
            verdict = next(verdicts)
            assert spot["line"] == (verdict["line"] if bets["occupied"] else None)
            pays = verdict["pays"] or 0
            assert spot["fortune"]["paid_cents"] == bets["fortune_cents"] * pays
            checked += bets["fortune_cents"] > 0
    assert checked > ROUNDS


def test_envy_is_the_sum_over_the_hands_of_other_players(played: Any) -> None:
    """Counted anew from hands, locked wagers and the sheet's envy column alone. Hands are dealt to
    empty spots too, and trigger nothing."""
    rules, _, feed, _ = played
    envy = {row.line.value: row.envy_cents for row in load_profile(rules).fortune.pay_table}  # type: ignore[union-attr]
    locked = {data["round"]: data["spots"] for data in of_type(feed, "round-locked")}
    paid = 0
    for data in of_type(feed, "round-settled"):
        bets_of = locked[data["round"]]
        triggers = {
            spot["spot"]: envy.get(spot["line"], 0)
            for spot, bets in zip(data["spots"], bets_of, strict=True)
            if spot["line"] and bets["main_cents"] > 0
        }
        for spot, bets in zip(data["spots"], bets_of, strict=True):
            expected = sum(cents for other, cents in triggers.items() if other != spot["spot"])
            qualifies = bets["fortune_cents"] >= 5_00
            assert spot["envy_cents"] == (expected if qualifies else 0)
            paid += spot["envy_cents"]
    assert paid > 0, "the rounds hold a hand that triggers envy"


def test_the_journal_verifies_and_agrees_with_the_feed(played: Any) -> None:
    _, out, feed, _ = played
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", "verify", str(out / "journal.sqlite3")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "firmware_app", "meters", str(out / "journal.sqlite3"), "--json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    meters = json.loads(done.stdout)["lifetime"]
    assert meters["rounds.settled"] == ROUNDS
    paid = sum(data["paid_cents"] for data in of_type(feed, "round-settled"))
    assert paid == sum(
        value
        for name, value in meters.items()
        if name.startswith("spot.") and name.endswith(".paid_cents")
    )


def test_there_is_a_full_picture_of_every_scene(played: Any) -> None:
    _, out, _, _ = played
    scenes = {path.name.split("-round-")[0] for path in (out / "screens").glob("*.png")}
    assert scenes >= {
        "attract",
        "betting",
        "dealing",
        "dealt",
        "reveal",
        "big_win",
        "settled",
        "suspended",
        "void",
        "last_rounds",
    }
    for path in (out / "screens").glob("*.png"):
        picture = pygame.image.load(path)
        assert picture.get_size() == (1920, 1080)
        colours = {
            tuple(picture.get_at((x, y))) for x in range(0, 1920, 16) for y in range(0, 1080, 16)
        }
        assert len(colours) > 20, f"{path.name} is blank"


def test_the_summary_tells_what_was_played(played: Any) -> None:
    rules, out, feed, _ = played
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["rules"], summary["rounds"], summary["complete"]) == (rules, ROUNDS, True)
    assert summary["events"] == len(feed)


def test_bad_wishes_get_one_clear_error(tmp_path: Path) -> None:
    for wish, words in (
        (["--rules", "envi", "--rounds", "1", "--headless"], "no such profile"),
        (["--headless"], "--rounds"),
        (["--rounds", "1", "--headless", "--broker", "http://x"], "mqtt://host:1883"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "firmware_app", "simulate", *wish, "--out", str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode != 0
        assert words in done.stderr
        assert "Traceback" not in done.stderr
