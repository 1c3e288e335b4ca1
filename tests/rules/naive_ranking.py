"""A second, slow ranking of hands, written from the sheets alone, to test the quick one against.

Works on text cards (``"KS"``, ``"JK"``) and tries the joker as every card that it may be.
"""

from collections import Counter

RANKS = "23456789TJQKA"
SUITS = "SHDC"
DECK = [rank + suit for suit in SUITS for rank in RANKS] + ["JK"]

STRAIGHTS_WHEEL_LOW = ["A23456789TJQKA"[start : start + 5] for start in range(10)]
STRAIGHTS_WHEEL_SECOND = [*STRAIGHTS_WHEEL_LOW[1:9], "A2345", "TJQKA"]
CATEGORIES = [
    "HIGH_CARD",
    "PAIR",
    "TWO_PAIR",
    "THREE_OF_A_KIND",
    "STRAIGHT",
    "FLUSH",
    "FULL_HOUSE",
    "FOUR_OF_A_KIND",
    "STRAIGHT_FLUSH",
    "ROYAL_FLUSH",
    "FIVE_ACES",
]


def natural_rank(cards, straights):
    """Return (category, tie-break) of up to five cards, none of them the joker."""
    ranks = sorted((RANKS.index(card[0]) for card in cards), reverse=True)
    by_size = sorted(Counter(ranks).items(), key=lambda item: (item[1], item[0]), reverse=True)
    sizes = [size for _, size in by_size]
    kickers = [rank for rank, _ in by_size]
    straight = next(
        (
            place
            for place, run in enumerate(straights)
            if len(cards) == 5 and set(run) == {card[0] for card in cards}
        ),
        None,
    )
    flush = len(cards) == 5 and len({card[1] for card in cards}) == 1 and sizes[0] == 1
    if sizes[0] == 5:
        name = "FIVE_ACES"
    elif flush and straight is not None:
        name = "ROYAL_FLUSH" if straights[straight] == "TJQKA" else "STRAIGHT_FLUSH"
        kickers = [straight]
    elif sizes[0] == 4:
        name = "FOUR_OF_A_KIND"
    elif sizes[:2] == [3, 2]:
        name = "FULL_HOUSE"
    elif flush:
        name = "FLUSH"
    elif straight is not None:
        name, kickers = "STRAIGHT", [straight]
    elif sizes[0] == 3:
        name = "THREE_OF_A_KIND"
    elif sizes[:2] == [2, 2]:
        name = "TWO_PAIR"
    elif sizes[0] == 2:
        name = "PAIR"
    else:
        name = "HIGH_CARD"
    return CATEGORIES.index(name), kickers


def naive_rank(cards, straights=STRAIGHTS_WHEEL_LOW):
    """Return (category, tie-break) of up to five cards, the joker as the best it may be."""
    cards = list(cards)
    if "JK" not in cards:
        return natural_rank(cards, straights)
    cards.remove("JK")
    completing = {"STRAIGHT", "FLUSH", "STRAIGHT_FLUSH", "ROYAL_FLUSH"}
    # An ace of no suit; as any other card, or for its suit, only to complete a hand.
    readings = [natural_rank([*cards, "A*"], straights)]
    for card in DECK[:52]:
        if card not in cards:
            reading = natural_rank([*cards, card], straights)
            if CATEGORIES[reading[0]] in completing:
                readings.append(reading)
    return max(readings)
