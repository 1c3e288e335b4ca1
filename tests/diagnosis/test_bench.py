"""The table's own panel and reader, opened to be watched."""

from __future__ import annotations

from collections.abc import Callable

from workbench import Workbench

from firmware_app.diagnosis.observed import LampSwitched, SerialText
from hw.reader.port import open_port
from hw.reader.sentence import Sentence
from hw.reader.settings import ReaderSettings
from hw.signals import CardRead, HandRead, LevelChanged, LineStuck, Pulse, ReaderUp
from hw.sim.reader import SimReader
from hw.sim.shoe import SimShoe

MakeBench = Callable[..., Workbench]
NO_READER = ReaderSettings(url="/dev/no-such-reader")
HAND = ("AS", "KS", "QS", "JS", "10S", "JK", "2D")


def opened(line: str) -> Callable[[object], bool]:
    return lambda event: isinstance(event, LevelChanged) and event.line == line and event.opening


def level(line: str, active: bool) -> Callable[[object], bool]:
    return lambda event: (
        isinstance(event, LevelChanged)
        and (event.line, event.active, event.opening) == (line, active, False)
    )


def test_a_press_is_counted_with_its_bounces_and_once_as_a_change(make_bench: MakeBench) -> None:
    bench = make_bench(NO_READER)
    bench.until(opened("spot2.envy"))

    bench.panel.bounces = 3
    bench.panel.envy(2)
    bench.until(level("spot2.envy", True))

    pressed = bench.record.lines["spot2.envy"]
    assert (pressed.active, pressed.changes) == (True, 1)
    # Three extra pairs before the level rests.
    assert pressed.edges == 7
    assert bench.record.lines["spot1.envy"].edges == 0


def test_a_line_that_stays_active_past_its_limit_is_stuck_until_it_is_released(
    make_bench: MakeBench,
) -> None:
    bench = make_bench(NO_READER, envy={"stuck_after_s": 1})
    bench.panel.envy(4)

    bench.until(lambda event: isinstance(event, LineStuck))
    assert bench.record.lines["spot4.envy"].stuck
    assert not bench.record.lines["spot3.envy"].stuck

    bench.panel.envy(4, False)
    bench.until(level("spot4.envy", False))
    assert not bench.record.lines["spot4.envy"].stuck


def test_a_change_without_an_edge_is_found_by_reading_the_pins(make_bench: MakeBench) -> None:
    bench = make_bench(NO_READER)
    bench.until(opened("spot1.bet"))

    with bench.panel.lose_edges("spot1.bet"):
        bench.panel.bet(1)
    bench.until(level("spot1.bet", True))

    assert bench.record.lines["spot1.bet"].edges == 0
    assert bench.bench.lost_edges == 1


def test_pulses_are_counted_where_wagers_come_as_pulses(make_bench: MakeBench) -> None:
    bench = make_bench(NO_READER, count_pulses=True)
    bench.until(opened("spot1.bet"))

    for expected in (1, 2):
        bench.panel.bet(1)
        bench.until(level("spot1.bet", True))
        bench.panel.bet(1, False)
        bench.until(lambda event: isinstance(event, Pulse))
        assert bench.record.lines["spot1.bet"].pulses == expected


def test_lamps_are_lit_one_by_one_as_a_player_sees_them(make_bench: MakeBench) -> None:
    bench = make_bench(NO_READER)

    first = bench.bench.show({3})
    assert [(one.spot, one.lit) for one in first] == [(3, True)]
    assert [spot for spot in range(1, 8) if bench.panel.lamp(spot)] == [3]

    second = bench.bench.show({5})
    assert [(one.spot, one.lit) for one in second] == [(3, False), (5, True)]
    assert [spot for spot in range(1, 8) if bench.panel.lamp(spot)] == [5]

    assert bench.bench.show({5}) == []
    bench.record.take([*first, *second])
    assert [spot for spot, lit in bench.record.lamps.items() if lit] == [5]
    assert all(isinstance(one, LampSwitched) for one in second)


def test_a_sentence_is_shown_as_it_came_as_it_was_read_and_as_it_was_answered(
    make_bench: MakeBench, reader: SimReader
) -> None:
    bench = make_bench(ReaderSettings(url=reader.path))
    reader.hello()
    reader.hand(3, HAND)

    hand = bench.until(lambda event: isinstance(event, HandRead))
    # Numbers start at 0 with HELLO.
    acknowledged = Sentence(1, "ACK").to_bytes().decode().strip()
    bench.until(lambda event: isinstance(event, SerialText) and event.text == acknowledged)

    assert isinstance(hand, HandRead)
    assert (hand.position, hand.cards) == (3, HAND)
    raw = Sentence(1, "HAND", ("3", " ".join(HAND))).to_bytes().decode().strip()
    texts = [(one.direction, one.text) for one in bench.seen if isinstance(one, SerialText)]
    assert ("received", raw) in texts
    assert ("sent", acknowledged) in texts
    assert any(isinstance(one, ReaderUp) and one.model == "DEALER-7" for one in bench.seen)
    assert f"< {raw}" in bench.record.sentences
    assert "  = hand-read: position 3, cards AS KS QS JS 10S JK 2D" in bench.record.sentences


def test_noise_is_shown_as_it_came(make_bench: MakeBench, reader: SimReader) -> None:
    bench = make_bench(ReaderSettings(url=reader.path))
    bench.until(lambda event: isinstance(event, SerialText))

    reader.write_raw(b"\x00\xffnoise\n")

    bench.until(lambda event: isinstance(event, SerialText) and "noise" in event.text)
    assert any(
        isinstance(one, SerialText) and one.text.endswith(r"\x00\xffnoise") for one in bench.seen
    )


def test_what_has_no_end_is_shown_too(make_bench: MakeBench, reader: SimReader) -> None:
    bench = make_bench(ReaderSettings(url=reader.path))
    bench.until(lambda event: isinstance(event, ReaderUp))

    reader.write_raw(b"half a sent")

    bench.until(lambda event: isinstance(event, SerialText) and "half a sent" in event.text)


def test_cards_of_a_shoe_are_placed_once_advance_was_pressed(make_bench: MakeBench) -> None:
    with SimShoe("bee-tek") as shoe:
        bench = make_bench(
            ReaderSettings.model_validate(
                {
                    "url": shoe.path,
                    "protocol": "line",
                    "line": {"preset": "bee-tek", "positions": [4, 5, 0]},
                }
            )
        )
        bench.until(lambda event: isinstance(event, ReaderUp))
        bench.until(opened("advance"))
        bench.panel.press("advance")
        bench.until(level("advance", True))
        shoe.card("4S")
        card = bench.until(lambda event: isinstance(event, CardRead))

    assert isinstance(card, CardRead)
    assert (card.position, card.card) == (4, "4S")
    assert any("[Game]<Card:4S>" in text for text in bench.record.sentences)


def test_closing_gives_pins_and_port_back_and_leaves_the_lamps_dark(
    make_bench: MakeBench, reader: SimReader
) -> None:
    settings = ReaderSettings(url=reader.path)
    bench = make_bench(settings)
    bench.until(lambda event: isinstance(event, ReaderUp))
    bench.bench.show({1, 2})

    bench.bench.close()

    assert not any(bench.panel.lamp(spot) for spot in range(1, 8))
    open_port(settings).close()
    pin_of = bench.panel.pins.pin
    assert {pin_of(line.pin).when_changed for line in bench.settings.inputs} == {None}
