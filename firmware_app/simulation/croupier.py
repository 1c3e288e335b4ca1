"""The automatic dealer: plays whole rounds by laying chips, pressing buttons and dealing.

The dealer looks at the sign as a person does: bets on no spot that is out of service, presses a
button again that had no effect, resumes a round that was suspended, passes a hand again that did
not arrive, and deals a voided round anew.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from firmware_app.cards import DECK_SIZE
from firmware_app.rules.profile import Profile
from firmware_app.simulation.deck import showpiece, shuffled
from firmware_app.simulation.faults import Faults, Hand, World
from firmware_app.simulation.watch import SimulationError
from firmware_app.table.values import Phase
from firmware_app.table.view import SpotView, TableView
from hw.lines import ADVANCE, VOID, spot_line

_PRESS_S = 0.08
_CHORD_S = 0.15
_GUARD_S = 0.55
"""The table takes a second ADVANCE sooner than half a second for a slip of the hand."""
_CLEARED_S = 0.2
"""A bet taken up and laid again sooner than the debounce time has never been away."""
_ANSWER_S = 3.0
"""What a button does is seen sooner than this, or it is pressed again."""
_PRESSES = 4
_FIRM_S = 1.2
"""How long a button is held when it is pressed again: the table reads every pin once a second, so
that it cannot miss this."""
_DEALS = 4
_PATIENCE_S = 30.0


Linger = Callable[[str], None]
"""Called at each moment worth looking at, with its name: to pause, or to take a picture."""


@dataclass(slots=True)
class Tally:
    """What was done, for the summary.

    ``hands`` are the cards dealt, by round and position. ``settled`` are the rounds that were
    played to their payment.
    """

    voided: int = 0
    hands: dict[int, dict[int, tuple[str, ...]]] = field(default_factory=dict)
    settled: list[int] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        return len(self.settled)

    @property
    def hands_dealt(self) -> int:
        return sum(len(hands) for hands in self.hands.values())


@dataclass(frozen=True, slots=True)
class _Laid:
    """What lies on a spot."""

    main: bool = False
    fortune: bool = False
    envy: bool = False
    ace_high_cents: int = 0


class _RoundVoidedError(Exception):
    """The table voided the round while it was dealt."""


class Croupier:
    """Plays rounds at a simulated table. The same seed bets and shuffles the same in each round."""

    def __init__(
        self,
        profile: Profile,
        world: World,
        *,
        seed: int,
        linger: Linger,
        faults: Faults = Faults(),  # noqa: B008 - immutable
    ) -> None:
        self._profile = profile
        self._world = world
        self._panel = world.panel
        self._reader = world.reader
        self._watch = world.watch
        self._faults = faults
        self._seed = seed
        self._rng = random.Random()
        self._linger = linger
        self._last_advance_s = 0.0
        self._laid: dict[int, _Laid] = {}
        self.tally = Tally()

    def play_round(self) -> None:
        """Play one round from the first bet to the payment; a voided one is dealt anew."""
        for _ in range(_DEALS):
            number = self._open_and_bet()
            self._start(number)
            try:
                self._deal(number)
                self._until_dealt(number)
            except _RoundVoidedError:
                self._linger("voided")
                self._clear_table()
                self._faults.mend(self._world, number)
                self.tally.voided += 1
                continue
            self._linger("dealt")
            self._advance_to(number, Phase.REVEALED)
            self._linger("revealed")
            self._advance_to(number, Phase.SETTLED)
            self._linger("settled")
            self._clear_table()
            self._faults.mend(self._world, number)
            self.tally.settled.append(number)
            return
        raise SimulationError(f"{_DEALS} rounds in a row were void; the last is round {number}")

    def play_interrupted_round(self) -> None:
        """Lock bets, lose the reader in mid-deal, get it back, and void the round."""
        number = self._open_and_bet()
        self._start(number)
        self._reader.unplug()
        self._wait_for(number, Phase.SUSPENDED)
        self._linger("suspended")
        self._reader.plug_in()
        self._resume(number)
        self._panel.press(VOID)
        self._wait_for(number, Phase.VOIDED)
        self._panel.release(VOID)
        self._linger("voided")
        self._clear_table()
        self.tally.voided += 1

    def advance(self, hold_s: float = _PRESS_S) -> None:
        """Press ADVANCE, not sooner than the table takes it for meant."""
        time.sleep(max(0.0, self._last_advance_s + _GUARD_S - time.monotonic()))
        self._panel.press(ADVANCE)
        time.sleep(hold_s)
        self._panel.release(ADVANCE)
        time.sleep(_PRESS_S)
        self._last_advance_s = time.monotonic()

    # --- the steps of a round --------------------------------------------------------------

    def _open_and_bet(self) -> int:
        before = self._watch.until(
            lambda view: view.phase in (Phase.SETTLED, Phase.VOIDED, Phase.BETTING),
            "a free table",
            _PATIENCE_S,
        )
        number = before.round_number
        if before.phase is not Phase.BETTING:
            number += 1
        # Each round has chances of its own, so that a round more before it changes nothing.
        self._rng = random.Random(f"{self._seed}/{number}")
        if before.phase is Phase.VOIDED:
            self._advance_to(number, Phase.BETTING)
        usable = [spot.number for spot in before.spots if spot.in_service]
        if not usable:
            raise SimulationError("every spot is out of service")
        if self._profile.banker == "designated-player":
            wanted = 1 + number % self._profile.spots
            self._choose_designated_player(min(usable, key=lambda spot: (spot < wanted, spot)))
        for spot in self._bettors():
            # The draw comes first: what others do does not hang on a spot that is out of service.
            wagers = self._drawn_wagers()
            if spot in usable:
                self._lay(spot, wagers)
        if not self._seen_in_time(
            lambda view: view.round_number == number and view.phase is Phase.BETTING
        ):
            # The first bet opens the round, unless it was never seen to be away.
            self._advance_to(number, Phase.BETTING)
        self._all_acknowledged()
        self._watch.until(self._all_seen, f"the bets of round {number}", _PATIENCE_S)
        self._linger("betting")
        return number

    def _bettors(self) -> list[int]:
        spots = range(1, self._profile.spots + 1)
        count = self._rng.randint(max(1, len(spots) - 2), len(spots))
        return sorted(self._rng.sample(spots, count))

    def _drawn_wagers(self) -> _Laid:
        fortune = self._profile.fortune is not None and self._rng.random() < 0.85
        ace_high = self._profile.ace_high
        plays_ace_high = ace_high is not None and self._rng.random() < 0.4
        return _Laid(
            main=True,
            fortune=fortune,
            envy=fortune and self._profile.envy is not None,
            ace_high_cents=ace_high.limits.minimum_cents if ace_high and plays_ace_high else 0,
        )

    def _lay(self, spot: int, wagers: _Laid) -> None:
        self._laid[spot] = wagers
        self._panel.main(spot)
        if wagers.fortune:
            self._panel.bet(spot)
        if wagers.envy:
            self._panel.envy(spot)
        if wagers.ace_high_cents:
            self._reader.wager(spot, "ace-high", wagers.ace_high_cents)
        self._linger("bet")

    def _all_seen(self, view: TableView) -> bool:
        """Tell whether the sign shows what lies there; a broken spot may show anything."""
        return all(
            _shown(spot) == self._laid.get(spot.number, _Laid())
            for spot in view.spots
            if spot.in_service
        )

    def _choose_designated_player(self, spot: int) -> None:
        for hold_s in _holds(_CHORD_S):
            self._panel.press(ADVANCE)
            time.sleep(hold_s)
            self._panel.envy(spot, True)
            time.sleep(hold_s)
            self._panel.envy(spot, False)
            time.sleep(hold_s)
            self._panel.release(ADVANCE)
            if self._seen_in_time(lambda view: view.designated_player == spot):
                return
        raise SimulationError(f"spot {spot} does not come to hold the bank")

    def _start(self, number: int) -> None:
        self._reader.start(self._rng.randint(1, self._profile.spots))
        self._wait_for(number, Phase.DEALING)
        self._linger("dealing")

    def _deal(self, number: int) -> None:
        count = self._profile.cards_per_hand
        positions = self._positions()
        special = showpiece(number, count)
        deck = shuffled(self._rng, without=special or ())
        star = self._rng.choice(sorted(self._laid) or positions)
        passed = self.tally.hands.setdefault(number, {})
        for place, position in enumerate(positions):
            hand = list(special) if special is not None and position == star else None
            cards = tuple(str(card) for card in hand or [deck.pop() for _ in range(count)])
            if place == len(positions) // 2:
                self._strike(Hand(number, position, cards))
            self._reader.hand(position, cards)
            passed[position] = cards
            self._linger("hand")
        self._reader.dealt(DECK_SIZE - count * len(positions))

    def _strike(self, hand: Hand) -> None:
        """Let something go wrong with ``hand``, should that be wished, and deal with it."""
        self._all_acknowledged()
        if self._faults.strike(self._world, hand):
            view = self._watch.view
            if view is not None and view.phase is Phase.SUSPENDED:
                self._linger("suspended")
            self._deal_with_trouble(hand.round_number)

    def _until_dealt(self, number: int) -> None:
        while True:
            view = self._watch.until(
                lambda view: view.phase in (Phase.DEALT, Phase.SUSPENDED, Phase.VOIDED),
                f"round {number} to be dealt",
                _PATIENCE_S,
            )
            if view.phase is Phase.DEALT:
                return
            self._deal_with_trouble(number)

    def _deal_with_trouble(self, number: int) -> None:
        view = self._watch.view
        assert view is not None
        if view.phase is Phase.VOIDED:
            raise _RoundVoidedError
        if view.phase is Phase.SUSPENDED:
            self._resume(number)

    def _resume(self, number: int) -> None:
        """Go on with a suspended deal, and pass the hands again that the table does not have."""
        self._watch.until(lambda view: view.reader_up, "the reader to be back", _PATIENCE_S)
        view = self._press_until(
            lambda view: view.phase is not Phase.SUSPENDED, f"round {number} to be resumed"
        )
        arrived = {spot.number for spot in view.spots if spot.hand_in}
        if view.dealer.hand_in:
            arrived.add(0)
        for position, cards in self.tally.hands.get(number, {}).items():
            if position not in arrived:
                self._reader.hand(position, cards)

    def _positions(self) -> list[int]:
        spots = range(1, self._profile.spots + 1)
        if self._profile.deal_all_spots:
            dealt = list(spots)
        else:
            shown = self._watch.view
            played = shown.spots if shown is not None else ()
            dealt = [s.number for s in played if s.main_cents > 0 or s.is_designated_player]
        return dealt if self._profile.banker == "designated-player" else [*dealt, 0]

    def _clear_table(self) -> None:
        self._laid.clear()
        for spot in range(1, self._profile.spots + 1):
            self._panel.main(spot, False)
            self._panel.bet(spot, False)
            self._panel.set(spot_line(spot, "envy"), False)
            if self._profile.ace_high is not None:
                self._reader.wager(spot, "ace-high", 0)
        time.sleep(_CLEARED_S)

    # --- looking at the sign ---------------------------------------------------------------

    def _advance_to(self, number: int, phase: Phase) -> None:
        self._press_until(
            lambda view: view.round_number == number and view.phase is phase,
            f"round {number} to be {phase.value}",
        )

    def _press_until(self, wanted: Callable[[TableView], bool], what: str) -> TableView:
        """Press ADVANCE, and again where it had no effect; return the view that was wanted."""
        for hold_s in _holds(_PRESS_S):
            self.advance(hold_s)
            if self._seen_in_time(wanted):
                break
        return self._watch.until(wanted, what, _ANSWER_S)

    def _seen_in_time(self, wanted: Callable[[TableView], bool]) -> bool:
        try:
            self._watch.until(wanted, "an answer", _ANSWER_S)
        except SimulationError:
            return False
        return True

    def _all_acknowledged(self) -> None:
        if not self._reader.wait_acknowledged(_PATIENCE_S):
            raise SimulationError(f"what the reader said was not taken in {_PATIENCE_S:g} s")

    def _wait_for(self, number: int, phase: Phase) -> TableView:
        return self._watch.until(
            lambda view: view.round_number == number and view.phase is phase,
            f"round {number} to be {phase.value}",
            _PATIENCE_S,
        )


def _holds(first_s: float) -> Iterator[float]:
    """How long to hold a button: the first time, and each time that it had no effect."""
    return itertools.chain([first_s], itertools.repeat(_FIRM_S, _PRESSES - 1))


def _shown(spot: SpotView) -> _Laid:
    return _Laid(spot.main_cents > 0, spot.has_fortune, spot.envy_button, spot.ace_high_cents)
