"""The house ways of the Daytona and the commission sheet, clause by clause.

``vectors/house_way.json`` holds worked examples of every clause; the cases below are the points
that the sheets leave open, as they were decided.
"""

import json
from pathlib import Path

import pytest

from firmware_app.cards import HandError, hand_text, parse_card
from firmware_app.rules.house_way import set_hand
from firmware_app.rules.profile import Ranking
from firmware_app.rules.ranking import Category, rank_high

RANKING = Ranking()
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "house_way.json").read_text("utf-8"))


def cards(text):
    return tuple(parse_card(word) for word in text.split())


def set_cards(way, text):
    return set_hand(way, cards(text), RANKING)


@pytest.mark.parametrize(
    "vector", VECTORS, ids=lambda vector: f"{vector['profile']} {' '.join(vector['cards'])}"
)
def test_worked_examples_of_the_sheets(vector):
    hand = set_cards(vector["profile"], " ".join(vector["cards"]))
    assert hand_text(hand.low) == " ".join(vector["low"]).upper()
    assert hand_text(hand.high) == " ".join(vector["high"]).upper()


# What the vectors call a clause, and what a dealer reads.
CLAUSE_READS = {
    "daytona": {
        "no pair": "no pair: the highest behind",
        "one pair": "one pair: the pair behind",
        "two pair A/K/Q high": "two pair, aces to queens: always split",
        "two pair J/T/9 high": "two pair, jacks to 9s: split unless ace in front",
        "two pair 8/7/6 high": "two pair, 8s to 6s: split unless king in front",
        "two pair 5/4/3 high": "two pair, 5s to 3s: split unless queen in front",
        "three pair": "three pair: the highest pair in front",
        "trips K and below": "three of a kind, kings and below",
        "trips aces": "three aces: split",
        "two trips": "two three of a kind",
        "S/F/SF no pair": "straight or flush with no pair",
        "S/F/SF one pair": "straight or flush with one pair",
        "S/F with two pair": "two pair, ",
        "S/F with trips": "straight or flush with three of a kind",
        "full house": "full house: the highest pair in front",
        "quads alone A/K/Q": "four of a kind, aces to queens: always split",
        "quads J/T/9": "four of a kind, jacks to 9s: split unless king in front",
        "quads 8/7/6": "four of a kind, 8s to 6s: split unless queen in front",
        "quads 5 and below": "four of a kind, 5s and below: never split",
        "quads with pair": "four of a kind with a pair or trips",
        "five aces": "five aces: a pair of aces in front",
    },
    "commission": {
        "no pair": "no pair: the highest behind",
        "one pair": "one pair: the pair behind",
        "two pair low+low": "two pair, low and low: split unless king in front",
        "two pair low+medium": "two pair, medium and low: split unless king in front",
        "two pair medium+medium": "two pair, medium and medium: split unless ace in front",
        "two pair low+high": "two pair, high and low: split unless ace in front",
        "two pair medium+high": "two pair, high and medium: always split",
        "two pair high+high": "two pair, high and high: always split",
        "two pair aces": "two pair, aces and another: always split",
        "three pair": "three pair: the highest pair in front",
        "trips": "three ",
        "two trips": "two three of a kind",
        "S/F no pair": "straight or flush with no pair",
        "S/F one pair: base rule": "straight or flush with one pair",
        "S/F one pair: exception 1": "exception 1, ",
        "S/F one pair: exception 2": "exception 2, ",
        "S/F with two pair": "two pair, ",
        "S/F with trips": "straight or flush with three of a kind",
        "full house": "full house: the highest pair in front",
        "quads 2-6": "four of a kind, 2s to 6s: never split",
        "quads 7-10": "four of a kind, 7s to 10s: split unless king in front",
        "quads J-K": "four of a kind, jacks to kings: split unless ace in front",
        "quads aces": "four of a kind, aces: always split",
        "quads with pair": "four of a kind with a pair or trips",
        "five aces": "five aces",
    },
}


@pytest.mark.parametrize(
    ("way", "name", "reads"),
    [(way, name, reads) for way, names in CLAUSE_READS.items() for name, reads in names.items()],
)
def test_the_clause_that_decided_is_named(way, name, reads):
    examples = [
        vector
        for vector in VECTORS
        if vector["profile"] == way and vector["clause"].startswith(name)
    ]
    assert examples
    for vector in examples:
        assert set_cards(way, " ".join(vector["cards"])).clause.startswith(reads)


DAYTONA, COMMISSION = ("daytona",), ("commission",)
BOTH = DAYTONA + COMMISSION

DECIDED = {
    "at least that rank in front keeps two pair whole, the joker too": [
        (DAYTONA, "8S 8H 3D 3C JK 9H 5D", "JK 9H"),
        (DAYTONA, "4S 4H 3D 3C AS 9H 5D", "AS 9H"),
        (COMMISSION, "9S 9H 8D 8C JK 6H 5D", "JK 6H"),
        (COMMISSION, "6S 6H 2D 2C JK 9H 8D", "JK 9H"),
    ],
    "at least that rank in front keeps four of a kind whole, the joker too": [
        (DAYTONA, "JS JH JD JC JK 9H 3D", "JK 9H"),
        (DAYTONA, "6S 6H 6D 6C AS 9H 3D", "AS 9H"),
        (COMMISSION, "KS KH KD KC JK 9H 3D", "JK 9H"),
        (COMMISSION, "8S 8H 8D 8C JK 9H 3D", "JK 9H"),
    ],
    "one pair with a straight: a pair in front counts above any two singles": [
        (DAYTONA, "TS 9H 8D 7C 6S 5H 5D", "5D 5H"),
        (DAYTONA, "JS TS 8S 6S 4S 2H 2D", "2D 2H"),
        (DAYTONA, "AS JK 9D 8C 7S 6H 5D", "JK AS"),
    ],
    "one pair with a straight that needs a card of it: the two highest that leave it whole": [
        (DAYTONA, "KS KH QD JC TS 9H AD", "AD KH"),
        (DAYTONA, "AS KH KD QS JH TD 4C", "KD 4C"),
        (DAYTONA, "AS JK KD QC JS 9H 4D", "AS 4D"),
    ],
    "two pair wins over a straight, a flush and a royal flush": [
        (BOTH, "AS KS QS JS TS AH KD", "KD KS"),
        (BOTH, "JS JH TD TC 9S 8H 7D", "TC TD"),
        (BOTH, "AS 9S 8S 5S 2S AH 2D", "2D 2S"),
        (BOTH, "QS QH TD TC JK KS JH", "TC TD"),
    ],
    "three aces whose straight or flush needs ace and joker: the aces are split": [
        (BOTH, "AS AH JK KD QC JS 4H", "AH KD"),
        (DAYTONA, "AC AH JK KC 9C 7C 2H", "AC KC"),
    ],
    "three aces whose straight or flush leaves two of them: a pair of aces in front": [
        (BOTH, "AS AH JK KD QC JS 9H", "AH AS"),
        (BOTH, "AS AH JK 9D 8D 7D 2D", "AH AS"),
        (BOTH, "AS AH AD KS 9S 7S 2S", "AD AH"),
    ],
    "full house with a joker straight or flush: the highest pair in front": [
        (BOTH, "KS KH KD AC JK QH JS", "JK AC"),
        (BOTH, "AS AH JK KD KC QS JH", "KC KD"),
        (BOTH, "9S 9H 9D 8S 8H JK 7S", "8H 8S"),
    ],
    "three pair with a joker straight: the highest pair in front": [
        (BOTH, "AS JK KD KC QH QS JD", "JK AS"),
        (BOTH, "TS TH 9D 9C 8H 8S JK", "TH TS"),
    ],
    "four aces with a joker straight or flush: two aces in front, the best hand behind": [
        (BOTH, "AS AH AD JK KC QD JS", "AD AH"),
        (BOTH, "AS AH AD JK KS 9S 2S", "AD AH"),
        (BOTH, "AH AS AC JK KD 9D 2D", "AC AH"),
    ],
    "four of a kind with three of a kind: a pair of the three in front": [
        (BOTH, "8S 8H 8D 8C AS AH JK", "AH AS"),
        (BOTH, "KS KH KD KC 8S 8H 8D", "8D 8H"),
    ],
    "four of a kind with a pair that the joker makes": [
        (BOTH, "KS KH KD KC JK AS 2D", "JK AS"),
        (BOTH, "2S 2H 2D 2C JK AS KD", "JK AS"),
    ],
    "five aces with kings": [
        (COMMISSION, "AS AH AD AC JK KS KH", "KH KS"),
        (DAYTONA, "AS AH AD AC JK KS KH", "AC AD"),
    ],
    "five aces with another pair: aces in front": [
        (BOTH, "AS AH AD AC JK QS QH", "AC AD"),
    ],
    "a medium pair is 7s through 10s": [
        (COMMISSION, "7S 7H 6D 6C KS 9H 4D", "KS 9H"),
        (COMMISSION, "8S 8H 7D 7C KS 9H 4D", "7C 7D"),
        (COMMISSION, "TS TH 7D 7C AS 9H 4D", "AS 9H"),
        (COMMISSION, "JS JH 7D 7C AS 9H 4D", "7C 7D"),
    ],
    "low and high pair: split unless an ace in front": [
        (COMMISSION, "JS JH 2D 2C KS 9H 4D", "2C 2D"),
        (COMMISSION, "JS JH 6D 6C AS 9H 4D", "AS 9H"),
        (COMMISSION, "QS QH 6D 6C JK 9H 4D", "JK 9H"),
    ],
    "a pair that cannot go in front of a straight or flush: the two highest that leave it": [
        (COMMISSION, "9S 8H 7D 6C 5S 5H KD", "KD 5H"),
        (COMMISSION, "KS KH QD JC TS 9H 2D", "KH 2D"),
        (COMMISSION, "QS 9S 7S 5S 2S QH 4D", "QH 4D"),
    ],
    "ace and a pair of 10s to kings: the pair in front if that leaves the hand whole": [
        (COMMISSION, "AS 9S 7S 5S 2S KH KD", "KD KH"),
        (COMMISSION, "JK 9S 8D 7C 6S TH TD", "TD TH"),
        (COMMISSION, "JK KH KD QS JH TD 9C", "KD KH"),
    ],
    "ace and a pair of 10s to kings: else the ace in front if that leaves the hand whole": [
        (COMMISSION, "AS TH TD 9C 8D 7H 6S", "AS TD"),
        (COMMISSION, "AS TH 9H 7H 5H 2H TD", "AS TD"),
    ],
    "ace and a pair of 10s to kings: else the ace and the next single, the pair behind": [
        (COMMISSION, "AS KH KD QS JH TD 4C", "AS QS"),
        (COMMISSION, "JK KS KH QS JS TS 4D", "JK QS"),
        (COMMISSION, "AS TS 8S 6S 4S TH 2D", "AS 8S"),
    ],
    "ace and a pair of 9s or less is no exception": [
        (COMMISSION, "9S 8H 7D 6C 5S 9H AD", "AD 9H"),
        (COMMISSION, "AS 9S 8S 6S 4S 9H 2D", "9H 2D"),
    ],
    "ace and joker: the king-nine or queen-eight straight that leaves the better front": [
        (COMMISSION, "AS KH JD TC JK 9S 8H", "AS KH"),
        (COMMISSION, "AS KH QD JC JK 9S 4H", "AS 4H"),
        (COMMISSION, "AS KH QD JC TS JK 4H", "AS 4H"),
        (COMMISSION, "AS KH QD JC TS JK 9H", "JK AS"),
    ],
    "ace and joker without such a straight: both behind, breaking even a royal flush": [
        (COMMISSION, "AS KH QD JC JK 5S 3H", "KH QD"),
        (COMMISSION, "AS JK KS QS JS 5D 3H", "KS QS"),
    ],
    "ace and joker in a wheel, or beside a flush, are no exception": [
        (COMMISSION, "AS JK 2D 3C 4H KD 9S", "KD 9S"),
        (COMMISSION, "AS JK 9S 6S 3S KD QH", "KD QH"),
        (COMMISSION, "AS JK KS 6S 3S QD 4H", "QD 4H"),
    ],
    "the joker without a natural ace is no exception": [
        (COMMISSION, "JK KH QD JC TS 5S 3H", "5S 3H"),
    ],
    "two natural aces are no exception": [
        (COMMISSION, "AS KH QD JC TS AD 4H", "AD 4H"),
    ],
    "three aces are split with two behind, an ace and the next highest in front": [
        (BOTH, "AS AH AD QC 9S 6H 3D", "AD QC"),
        (BOTH, "AS AH JK QC 9S 6H 3D", "AH QC"),
    ],
    "of several cards for the front go those that leave the best hand behind": [
        (BOTH, "9S 8S 7S 6S 5S 5H KD", "KD 5H"),
        (BOTH, "9H 8H 7H 6H 5H 5S KD", "KD 5S"),
    ],
}


@pytest.mark.parametrize(
    ("way", "dealt", "low"),
    [
        pytest.param(way, dealt, low, id=f"{name} [{way} {dealt}]")
        for name, cases in DECIDED.items()
        for ways, dealt, low in cases
        for way in ways
    ],
)
def test_points_that_the_sheets_leave_open(way, dealt, low):
    assert hand_text(set_cards(way, dealt).low) == low


@pytest.mark.parametrize("way", BOTH)
def test_four_aces_leave_the_straight_or_flush_that_ace_and_joker_complete(way):
    straight = set_cards(way, "AS AH AD JK KC QD JS")
    flush = set_cards(way, "AS AH AD JK KS 9S 2S")
    assert rank_high(straight.high, RANKING).category is Category.STRAIGHT
    assert rank_high(flush.high, RANKING).category is Category.FLUSH


def test_cards_are_set_in_reading_order_with_the_joker_as_an_ace():
    hand = set_cards("daytona", "2S 7C JK 4D TS 8H QD")
    assert hand_text(hand.low) == "QD TS"
    assert hand_text(hand.high) == "JK 8H 7C 4D 2S"


@pytest.mark.parametrize("way", BOTH)
def test_a_sheet_for_seven_cards_sets_no_other_count(way):
    with pytest.raises(HandError, match="a hand has 7 cards, not 6"):
        set_cards(way, "2S 7C JK 4D TS 8H")


@pytest.mark.parametrize("way", [*BOTH, "best-high"])
def test_a_card_that_is_there_twice_is_refused(way):
    with pytest.raises(HandError, match="2S is in the hand twice"):
        set_cards(way, "2S 7C JK 4D TS 8H 2S")
