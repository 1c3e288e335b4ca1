"""The odds of a profile as tables for a person, drawn with rich."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich import box
from rich.console import Console
from rich.table import Table

from firmware_app.rules.money import dollars
from firmware_app.rules.must_beat_odds import SampledEdge
from firmware_app.rules.odds import FortuneOdds
from firmware_app.rules.profile_odds import ProfileOdds

_CAP_NAMES = {"aggregate": "a round", "per_spot": "a spot"}
# Everything fits a terminal of 80 columns.
_BAR_WIDTH = 28


def print_odds(
    odds: ProfileOdds, before: ProfileOdds | None, sampled: SampledEdge | None, *, chart: bool
) -> None:
    """Print every wager's odds; ``before`` are those of the posted table that another replaces."""
    console = Console(highlight=False)
    wager = odds.profile.fortune
    assert wager is not None  # there are no odds without it
    console.print(f"[bold]{odds.profile.title}[/] ({odds.profile.name}, {odds.profile.source})")
    if wager.sample_pay_table:
        console.print("[bold]SAMPLE PAY TABLE: for demonstration, not posted by the venue[/]")
    console.print(_fortune_table(odds.fortune))
    console.print(
        f"Fortune: {_percent(odds.fortune.hit_rate)} of hands are paid; "
        f"house edge {_percent(odds.fortune.house_edge)} ({odds.fortune.house_edge})"
    )
    if before is not None:
        edge = before.fortune.house_edge
        console.print(
            f"The posted table: house edge {_percent(edge)} ({edge}); "
            f"the change is {_percent(odds.fortune.house_edge - edge, signed=True)}"
        )
    if wager.must_beat_designated_player:
        console.print(_must_beat(wager.compare, sampled))
    if chart:
        console.print(_chart(odds.fortune, _bar_letter(console)))
    if odds.envy:
        console.print(_envy_table(odds))
    if odds.caps:
        console.print(_caps_table(odds))
    if odds.ace_high is not None:
        console.print(_ace_high_table(odds))


def _fortune_table(odds: FortuneOdds) -> Table:
    table = _table(
        f"Fortune Bonus, all {odds.hands:,} hands",
        ("line", "hands", "one in", "to 1", "returns", "envy"),
    )
    for row in odds.lines:
        table.add_row(
            _words(row.line),
            f"{row.hands:,}",
            _one_in(odds.hands, row.hands),
            f"{row.pays:,}",
            _percent(Fraction(row.hands * row.pays, odds.hands)),
            dollars(row.envy_cents) if row.envy_cents else "",
        )
    table.add_row("no line", f"{odds.losing_hands:,}", _one_in(odds.hands, odds.losing_hands), "-")
    return table


def _envy_table(odds: ProfileOdds) -> Table:
    envy = odds.profile.envy
    assert envy is not None  # there are no envy odds without it
    smallest = dollars(envy.minimum_fortune_cents)
    table = _table(
        f"Envy, averages of a Fortune wager of {smallest}",
        ("hands of other players", "envy in a round", "house edge with envy"),
    )
    for row in odds.envy:
        table.add_row(
            str(row.other_players), _average_cents(row.envy_cents), _percent(row.house_edge)
        )
    return table


def _caps_table(odds: ProfileOdds) -> Table:
    table = _table(
        "Caps, for the only winning wager of a round",
        ("winnings of", "cap", "stake", "lost on average", "house edge"),
    )
    table.caption = "A cap on a round is shared with the other winners: it can take more."
    for row in odds.caps:
        table.add_row(
            _CAP_NAMES[row.cap],
            dollars(row.cap_cents),
            dollars(row.stake_cents),
            _average_cents(row.lost_cents),
            _percent(row.house_edge),
        )
    return table


def _ace_high_table(odds: ProfileOdds) -> Table:
    chances, bonus = odds.ace_high, odds.profile.ace_high
    assert chances is not None
    assert bonus is not None
    assert odds.ace_high_house_edge is not None
    with_joker = chances.dealer_ace_high_with_joker - chances.both_with_dealers_joker
    rest = chances.dealer_ace_high - chances.both_ace_high - with_joker
    table = _table("Ace High Bonus", ("line, the first that holds", "chance", "to 1"))
    for name, chance, pays in (
        ("dealer and player ace-high", chances.both_ace_high, bonus.dealer_and_player_pays),
        ("dealer ace-high with joker", with_joker, bonus.dealer_with_joker_pays),
        ("dealer ace-high", rest, bonus.dealer_pays),
    ):
        table.add_row(name, _percent(chance), str(pays))
    table.add_section()
    table.add_row("any ace-high of the dealer", _percent(chances.dealer_ace_high))
    table.add_row("of it with joker", _percent(chances.dealer_ace_high_with_joker))
    table.add_row("house edge", _percent(odds.ace_high_house_edge))
    return table


def _must_beat(compare: str, sampled: SampledEdge | None) -> str:
    rule = (
        f"A win must also beat the designated player's hand (compare = {compare}); the edge above "
        "leaves that aside, since it has no closed form."
    )
    if sampled is None:
        return f"{rule} --deals N samples it."
    return (
        f"{rule} Sampled from {sampled.deals:,} deals: house edge "
        f"{sampled.house_edge:.3%}, standard error {sampled.standard_error:.3%}"
    )


def _chart(odds: FortuneOdds, letter: str) -> Table:
    """Bars of what each line gives back of a stake on average."""
    shares = [Fraction(row.hands * row.pays, odds.hands) for row in odds.lines]
    longest = max(shares)
    table = Table(title="What each line returns of a stake", box=None, show_header=False)
    for _ in ("line", "bar", "share"):
        table.add_column(no_wrap=True)
    for row, share in zip(odds.lines, shares, strict=True):
        bar = letter * round(_BAR_WIDTH * share / longest) if longest else ""
        table.add_row(_words(row.line), bar, _percent(share))
    return table


def _table(title: str, headings: Sequence[str]) -> Table:
    """Return an empty table whose first column holds words and whose others hold figures."""
    table = Table(title=title, box=box.SIMPLE, title_justify="left", caption_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=number > 0)
    return table


def _bar_letter(console: Console) -> str:
    return "#" if console.options.ascii_only else "█"


def _one_in(hands: int, of_them: int) -> str:
    if not of_them:
        return "never"
    ratio = hands / of_them
    return f"{ratio:,.1f}" if ratio < 1_000 else f"{ratio:,.0f}"


def _words(line: str) -> str:
    return line.replace("_", " ")


def _percent(share: Fraction, *, signed: bool = False) -> str:
    return f"{float(share):{'+' if signed else ''}.4%}"


def _average_cents(cents: Fraction) -> str:
    return f"${float(cents) / 100:.6f}"
