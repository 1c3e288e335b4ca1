"""Shoes and scanners that only print a code per card: records, deal order, doubt."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_helpers import MS, Inbox, S, running

from hw import signals
from hw.reader.line_protocol import MAX_UNACCEPTED, LineSession
from hw.reader.link import ReaderLink
from hw.reader.presets import PRESETS, PresetName
from hw.reader.records import SILENCE_LIMIT_NS
from hw.reader.settings import LineSettings, ReaderSettings
from hw.signals import ReaderSignal
from hw.sim.shoe import SimShoe

DECK = [rank + suit for suit in "SHDC" for rank in "23456789TJQKA"]
HOUSE_LAST = (1, 2, 3, 4, 5, 6, 0)


class Pi:
    """A session of a shoe and its inbox."""

    def __init__(self, **settings: object) -> None:
        self.inbox: list[ReaderSignal] = []
        self.accepts = True
        self.at_ns = 0
        chosen = {"preset": "bee-tek", "joker_code": "Joker"} | settings
        self.session = LineSession(self._take, LineSettings.model_validate(chosen))
        self.session.opened(0)
        self.inbox.clear()

    def _take(self, signal: ReaderSignal) -> bool:
        if self.accepts:
            self.inbox.append(signal)
        return self.accepts

    def hears(self, *records: str, after_ns: int = MS) -> list[ReaderSignal]:
        """Feed records and return the signals that they caused."""
        return self.hears_raw("".join(records).encode("latin-1"), after_ns=after_ns)

    def hears_raw(self, data: bytes, after_ns: int = MS) -> list[ReaderSignal]:
        seen = len(self.inbox)
        self.at_ns += after_ns
        assert self.session.receive(data, self.at_ns) == b""
        return self.inbox[seen:]

    def waits(self, ns: int) -> list[ReaderSignal]:
        seen = len(self.inbox)
        self.at_ns += ns
        assert self.session.tick(self.at_ns) == b""
        return self.inbox[seen:]


def shoe(code: str) -> str:
    return f" [Game]<Card:{code}> "


def placed(found: list[ReaderSignal]) -> list[tuple[int, str]]:
    return [
        (signal.position, signal.card) for signal in found if isinstance(signal, signals.CardRead)
    ]


UNREAD = " [Game]<Game> "
ALARM = " [Game]<Alarm:E3 Card Not Read> "


def test_packets_go_to_one_position_after_the_other_from_the_first_spot() -> None:
    pi = Pi()
    pi.session.start_deal(3)
    found = pi.hears(*(shoe(code) for code in DECK[:49]))
    turn = [3, 4, 5, 6, 0, 1, 2]
    assert placed(found) == [(turn[number // 7], DECK[number]) for number in range(49)]
    assert found[-1] == signals.DealDone(4, MS)
    assert len(found) == 50


def test_round_robin_goes_round_one_card_at_a_time() -> None:
    pi = Pi(order="round-robin", positions=(1, 2, 0), packet_size=2)
    pi.session.start_deal(2)
    found = pi.hears(*(shoe(code) for code in DECK[:6]))
    assert placed(found) == list(zip([2, 0, 1, 2, 0, 1], DECK[:6], strict=True))
    assert found[-1] == signals.DealDone(53 - 6, MS)


def test_next_deal_starts_where_it_is_told_to() -> None:
    pi = Pi(positions=(1, 2), packet_size=1)
    pi.session.start_deal(1)
    pi.hears(shoe("2S"), shoe("3S"))
    pi.session.start_deal(2)
    assert placed(pi.hears(shoe("4S"), shoe("5S"))) == [(2, "4S"), (1, "5S")]


def test_deal_that_is_started_again_begins_anew() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    pi.hears(shoe("2S"))
    pi.session.start_deal(5)
    assert placed(pi.hears(shoe("3S"))) == [(5, "3S")]


def test_deal_cannot_start_at_a_position_that_is_not_configured() -> None:
    with pytest.raises(ValueError, match=r"first position 8 is not one of \[1, 2, 3, 4, 5, 6, 0\]"):
        Pi().session.start_deal(8)


@pytest.mark.parametrize(
    ("code", "card"),
    [("4S", "4S"), ("10h", "10H"), ("TH", "TH"), ("as", "AS"), ("Joker", "JK"), ("JK", "JK")],
)
def test_code_of_the_shoe_is_the_card(code: str, card: str) -> None:
    pi = Pi()
    pi.session.start_deal(1)
    assert pi.hears(shoe(code)) == [signals.CardRead(1, card, MS)]


def test_codes_of_a_scanner_are_mapped() -> None:
    pi = Pi(preset="scanner", codes={"0017": "AS", "0053": "JK"}, joker_code=None)
    pi.session.start_deal(1)
    assert placed(pi.hears("0017\r\n0053\n", "KS\r")) == [(1, "AS"), (1, "JK"), (1, "KS")]


def test_unread_card_takes_its_slot() -> None:
    pi = Pi(positions=(1, 2), packet_size=2)
    pi.session.start_deal(1)
    found = pi.hears(shoe("2S"), UNREAD, shoe("3S"), shoe("4S"))
    assert found == [
        signals.CardRead(1, "2S", MS),
        signals.CardUnread(1, "the reader could not read a card: [Game]<Game>", MS),
        signals.CardRead(2, "3S", MS),
        signals.CardRead(2, "4S", MS),
        signals.DealDone(53 - 4, MS),
    ]


def test_code_that_names_no_card_takes_its_slot() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    found = pi.hears(shoe("1S"), shoe("3S"))
    assert found == [
        signals.CardUnread(1, "its code names no card; add it to line.codes", MS),
        signals.CardRead(1, "3S", MS),
    ]


def test_alarms_and_warnings_are_told_and_take_no_slot() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    found = pi.hears(ALARM, "<W0x01>", shoe("3S"))
    assert found == [
        signals.ReaderAlarm("Alarm:E3 Card Not Read", MS),
        signals.ReaderAlarm("W0x01", MS),
        signals.CardRead(1, "3S", MS),
    ]


def test_burnt_cards_belong_to_no_hand() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    burnt = " [Manual Burn Cards]<Card:2S>  [Manual Burn Cards]<Game> "
    assert pi.hears(burnt, shoe("3S")) == [signals.CardRead(1, "3S", MS)]


@pytest.mark.parametrize("record", [shoe("3S"), UNREAD])
def test_card_outside_a_deal_is_an_alarm_and_goes_nowhere(record: str) -> None:
    pi = Pi(positions=(1,), packet_size=1)
    for _ in range(2):
        (alarm,) = pi.hears(record)
        assert isinstance(alarm, signals.ReaderAlarm)
        assert alarm.detail.endswith("outside a deal; press ADVANCE first")
        pi.session.start_deal(1)
        pi.hears(shoe("2S"))  # The deal is over with this card.


@pytest.mark.parametrize(
    "damage",
    [
        " [Game]<Card:4S  [Game]<Card:5S> ",  # the end of one record is missing
        " [Gume]<Card:4S> ",
        "x [Game]<Card:4S> ",
        " [Game]<Card:4S>\x00[Game]<Card:5S> ",
        "\xff\xfe[Game]<Card:4S> ",
        "[" * 500 + "> ",
    ],
)
def test_damaged_record_in_mid_deal_stops_placing_until_the_next_deal(damage: str) -> None:
    pi = Pi()
    pi.session.start_deal(1)
    found = pi.hears(shoe("2S"), damage, shoe("6S"), UNREAD)
    certain = [signals.CardRead(1, "2S", MS)]
    if "4S>\x00" in damage:
        certain.append(signals.CardRead(1, "4S", MS))
    assert found[: len(certain)] == certain
    doubt = found[len(certain) :]
    assert len(doubt) == 3
    assert all(isinstance(s, signals.CardUnread) and s.position is None for s in doubt)
    assert "a card may have been missed" in repr(doubt[0])
    assert "a card was read and not placed" in repr(doubt[1])
    pi.session.start_deal(2)
    assert placed(pi.hears(shoe("7S"))) == [(2, "7S")]


def test_damage_between_deals_is_counted_and_harms_no_deal() -> None:
    pi = Pi()
    assert pi.hears("\x00\xffgarbage> ") == []
    assert pi.session.counters.bad_sentences == 1
    pi.session.start_deal(1)
    assert placed(pi.hears(shoe("2S"))) == [(1, "2S")]


def test_noise_before_the_first_card_of_a_deal_does_not_swallow_it_unseen() -> None:
    """Whether the noise came long before the card or right before it, no card is misplaced."""
    for noise in ("\x00", "z" * 200):
        pi = Pi()
        pi.hears(noise)
        pi.session.start_deal(1)
        found = pi.hears(shoe("2S"), shoe("3S"))
        assert placed(found) == []
        assert all(isinstance(s, signals.CardUnread) and s.position is None for s in found)

        pi = Pi()
        pi.hears(noise)
        pi.waits(SILENCE_LIMIT_NS + 1)
        pi.session.start_deal(1)
        assert placed(pi.hears(shoe("2S"), shoe("3S"))) == [(1, "2S"), (1, "3S")]


@pytest.mark.parametrize("cut", range(1, len(shoe("10H")) - 1))
def test_record_in_two_pieces_is_one_card(cut: int) -> None:
    pi = Pi()
    pi.session.start_deal(1)
    raw = shoe("10H")
    found = pi.hears(raw[:cut]) + pi.hears(raw[cut:], after_ns=1_500 * MS)
    assert placed(found) == [(1, "10H")]


@pytest.mark.parametrize("cut", range(2, len(shoe("10H").rstrip())))
def test_half_a_record_then_silence_is_no_card_and_is_not_joined(cut: int) -> None:
    pi = Pi()
    pi.session.start_deal(1)
    raw = shoe("10H")
    pi.hears(raw[:cut])
    (doubt,) = pi.waits(SILENCE_LIMIT_NS + 1)
    assert isinstance(doubt, signals.CardUnread)
    assert placed(pi.hears(raw[cut:], shoe("3S"))) == []


def test_port_lost_in_mid_deal_puts_the_order_in_doubt() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    pi.hears(shoe("2S"))
    pi.session.closed("unplugged", pi.at_ns)
    pi.session.opened(pi.at_ns)
    assert [type(signal) for signal in pi.inbox[1:]] == [
        signals.CardUnread,
        signals.ReaderDown,
        signals.ReaderUp,
    ]
    assert placed(pi.hears(shoe("3S"))) == []


def test_quiet_shoe_is_not_lost() -> None:
    assert Pi().waits(3600 * S) == []


def test_shoe_at_a_wrong_line_speed_is_unreadable() -> None:
    pi = Pi()
    found = [signal for _ in range(12) for signal in pi.hears("\xf0\x0f", after_ns=S)]
    assert [type(signal) for signal in found] == [signals.ReaderUnreadable]
    pi.waits(S * 3)
    found = pi.hears(shoe("2S"))
    assert signals.ReaderUp("bee-tek", "unknown", "unknown", pi.at_ns) in found


def test_stray_bytes_now_and_then_do_not_make_a_quiet_shoe_unreadable() -> None:
    pi = Pi()
    assert [signal for _ in range(5) for signal in pi.hears("\xf0", after_ns=600 * S)] == []


def test_cards_that_are_not_accepted_are_kept_in_order() -> None:
    pi = Pi()
    pi.session.start_deal(1)
    pi.accepts = False
    pi.hears(*(shoe(code) for code in DECK[:20]))
    pi.accepts = True
    found = pi.waits(MS)
    assert placed(found) == [(number // 7 + 1, DECK[number]) for number in range(20)]


def test_cards_beyond_what_can_be_kept_put_the_order_in_doubt() -> None:
    pi = Pi()
    pi.accepts = False
    pi.hears(*[ALARM] * MAX_UNACCEPTED)
    pi.session.start_deal(1)
    pi.hears(shoe("2S"))
    pi.accepts = True
    pi.waits(MS)
    assert len(pi.inbox) == MAX_UNACCEPTED
    assert placed(pi.hears(shoe("3S"))) == []


@given(
    order=st.sampled_from(["packets", "round-robin"]),
    first=st.sampled_from(HOUSE_LAST),
    events=st.lists(st.sampled_from(["card", "unread", "alarm", "garbage", "burn"]), max_size=60),
)
def test_card_is_placed_only_while_every_earlier_one_is_accounted_for(
    order: str, first: int, events: list[str]
) -> None:
    pi = Pi(order=order)
    pi.session.start_deal(first)
    text = {
        "card": shoe("2S"),
        "unread": UNREAD,
        "alarm": ALARM,
        "garbage": "<?> ",
        "burn": " [Manual Burn Cards]<Card:2S> ",
    }
    turn = [*HOUSE_LAST, *HOUSE_LAST][HOUSE_LAST.index(first) :][:7]
    passed = 0
    for event in events:
        found = pi.hears(text[event])
        if event == "garbage" and passed < 49:
            assert placed(found) == []
            return
        if event not in ("card", "unread"):
            continue
        position = turn[passed // 7] if order == "packets" else turn[passed % 7]
        if passed >= 49:
            assert placed(found) == []
        elif event == "card":
            assert placed(found) == [(position, "2S")]
        else:
            assert isinstance(found[0], signals.CardUnread)
            assert found[0].position == position
        passed += 1
        assert (signals.DealDone(4, pi.at_ns) in found) == (passed == 49)


@pytest.mark.parametrize("preset", list(PRESETS))
def test_whole_deal_over_a_pty(preset: PresetName) -> None:
    inbox = Inbox()
    with SimShoe(preset) as shoe:
        settings = ReaderSettings.model_validate(
            {
                "url": shoe.path,
                "protocol": "line",
                "line": {"preset": preset, "joker_code": "JJ", "order": "round-robin"},
            }
        )
        with running(ReaderLink(settings, inbox.put)) as link:
            inbox.wait_for(signals.ReaderUp)
            link.start_deal(6)
            for code in [*DECK[:47], "JJ"]:
                shoe.card(code)
            shoe.unread()
            inbox.wait_for(signals.DealDone)
    turn = [6, 0, 1, 2, 3, 4, 5]
    expected = [(turn[number % 7], card) for number, card in enumerate([*DECK[:47], "JK"])]
    assert placed(inbox.signals) == expected
    (unread,) = inbox.of(signals.CardUnread)
    assert isinstance(unread, signals.CardUnread)
    assert unread.position == turn[48 % 7]


def test_shoe_unplugged_in_mid_deal_over_a_pty(tmp_path: Path) -> None:
    inbox = Inbox()
    with SimShoe(link=tmp_path / "shoe") as shoe:
        settings = ReaderSettings.model_validate(
            {"url": shoe.path, "protocol": "line", "line": {"preset": "bee-tek"}}
        )
        with running(ReaderLink(settings, inbox.put)) as link:
            inbox.wait_for(signals.ReaderUp)
            link.start_deal(1)
            shoe.card("2S")
            shoe.burn("3S")
            shoe.alarm()
            shoe.warning(1)
            inbox.wait_for(signals.ReaderAlarm, 2)
            shoe.unplug()
            inbox.wait_for(signals.ReaderDown)
            shoe.plug_in()
            inbox.wait_for(signals.ReaderUp, 2)
            shoe.card("4S")
            inbox.wait_for(signals.CardUnread, 2)
            link.start_deal(2)
            shoe.card("5S")
            inbox.wait_for(signals.CardRead, 2)
    assert placed(inbox.signals) == [(1, "2S"), (2, "5S")]
