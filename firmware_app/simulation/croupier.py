"""The automatic dealer: plays whole rounds by laying chips, pressing buttons and dealing."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from firmware_app.cards import DECK_SIZE
from firmware_app.rules.profile import Profile
from firmware_app.simulation.deck import showpiece, shuffled
from firmware_app.simulation.watch import Watch
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.lines import ADVANCE, VOID, spot_line
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader

_PRESS_S = 0.08
_CHORD_S = 0.15
_GUARD_S = 0.55
"""The table takes a second ADVANCE sooner than half a second for a slip of the hand."""
_CLEARED_S = 0.2
"""A bet taken up and laid again sooner than the debounce time has never been away."""
_PATIENCE_S = 30.0


Linger = Callable[[str], None]
"""Called at each moment worth looking at, with its name: to pause, or to take a picture."""


@dataclass(slots=True)
class Tally:
    """What was done, for the summary."""

    rounds: int = 0
    voided: int = 0
    hands_dealt: int = 0


class Croupier:
    """Plays rounds at a simulated table. The same seed plays the same rounds."""

    def __init__(
        self,
        profile: Profile,
        panel: SimPanel,
        reader: SimReader,
        watch: Watch,
        *,
        seed: int,
        linger: Linger,
    ) -> None:
        self._profile = profile
        self._panel = panel
        self._reader = reader
        self._watch = watch
        self._rng = random.Random(seed)
        self._linger = linger
        self._last_advance_s = 0.0
        self.tally = Tally()

    def play_round(self) -> None:
        """Play one round from the first bet to the payment."""
        number = self._open_and_bet()
        self._start(number)
        self._deal(number)
        self._wait_for(number, Phase.DEALT)
        self._linger("dealt")
        self.advance()
        self._wait_for(number, Phase.REVEALED)
        self._linger("revealed")
        self.advance()
        self._wait_for(number, Phase.SETTLED)
        self._linger("settled")
        self._clear_table()
        self.tally.rounds += 1

    def play_interrupted_round(self) -> None:
        """Lock bets, lose the reader in mid-deal, get it back, and void the round."""
        number = self._open_and_bet()
        self._start(number)
        self._reader.unplug()
        self._wait_for(number, Phase.SUSPENDED)
        self._linger("suspended")
        self._reader.plug_in()
        self._watch.until(lambda view: view.reader_up, "the reader to be back", _PATIENCE_S)
        self.advance()
        self._wait_for(number, Phase.DEALING)
        self._panel.press(VOID)
        self._wait_for(number, Phase.VOIDED)
        self._panel.release(VOID)
        self._linger("voided")
        self._clear_table()
        self.tally.voided += 1

    def advance(self) -> None:
        """Press ADVANCE, not sooner than the table takes it for meant."""
        time.sleep(max(0.0, self._last_advance_s + _GUARD_S - time.monotonic()))
        self._panel.press(ADVANCE)
        time.sleep(_PRESS_S)
        self._panel.release(ADVANCE)
        time.sleep(_PRESS_S)
        self._last_advance_s = time.monotonic()

    # --- the steps of a round --------------------------------------------------------------

    def _open_and_bet(self) -> int:
        before = self._watch.until(
            lambda view: view.phase in (Phase.SETTLED, Phase.VOIDED), "a free table", _PATIENCE_S
        )
        if before.phase is Phase.VOIDED:
            self.advance()
            number = before.round_number + 1
            self._wait_for(number, Phase.BETTING)
        else:
            number = before.round_number + 1
        if self._profile.banker == "designated-player":
            self._choose_designated_player(1 + number % self._profile.spots)
        bettors = self._bettors()
        for spot in bettors:
            self._bet(spot)
        self._watch.until(
            lambda view: view.round_number == number and self._all_seen(view, bettors),
            f"the bets of round {number}",
            _PATIENCE_S,
        )
        self._linger("betting")
        return number

    def _bettors(self) -> list[int]:
        spots = range(1, self._profile.spots + 1)
        count = self._rng.randint(max(1, len(spots) - 2), len(spots))
        return sorted(self._rng.sample(spots, count))

    def _bet(self, spot: int) -> None:
        self._panel.main(spot)
        if self._profile.fortune is not None and self._rng.random() < 0.85:
            self._panel.bet(spot)
            if self._profile.envy is not None:
                self._panel.envy(spot)
        ace_high = self._profile.ace_high
        if ace_high is not None and self._rng.random() < 0.4:
            self._reader.wager(spot, "ace-high", ace_high.limits.minimum_cents)
        self._linger("bet")

    def _all_seen(self, view: TableView, bettors: Iterable[int]) -> bool:
        """Tell whether every chip that lies is shown (a spot out of service shows none)."""
        return all(
            spot.main_cents > 0 or not spot.in_service
            for spot in view.spots
            if spot.number in bettors
        ) and self._reader.wait_acknowledged(_PATIENCE_S)

    def _choose_designated_player(self, spot: int) -> None:
        self._panel.press(ADVANCE)
        time.sleep(_CHORD_S)
        self._panel.envy(spot, True)
        time.sleep(_CHORD_S)
        self._panel.envy(spot, False)
        time.sleep(_CHORD_S)
        self._panel.release(ADVANCE)
        self._watch.until(
            lambda view: view.designated_player == spot,
            f"spot {spot} to hold the bank",
            _PATIENCE_S,
        )

    def _start(self, number: int) -> None:
        self._reader.start(self._rng.randint(1, self._profile.spots))
        self._wait_for(number, Phase.DEALING)
        self._linger("dealing")

    def _deal(self, number: int) -> None:
        count = self._profile.cards_per_hand
        positions = self._positions()
        special = showpiece(number, count)
        deck = shuffled(self._rng, without=special or ())
        star = self._rng.choice([place for place in positions if place != 0])
        for position in positions:
            if special is not None and position == star:
                hand = list(special)
            else:
                hand = [deck.pop() for _ in range(count)]
            self._reader.hand(position, [str(card) for card in hand])
            self.tally.hands_dealt += 1
            self._linger("hand")
        self._reader.dealt(DECK_SIZE - count * len(positions))

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
        for spot in range(1, self._profile.spots + 1):
            self._panel.main(spot, False)
            self._panel.bet(spot, False)
            self._panel.set(spot_line(spot, "envy"), False)
            if self._profile.ace_high is not None:
                self._reader.wager(spot, "ace-high", 0)
        time.sleep(_CLEARED_S)

    def _wait_for(self, number: int, phase: Phase) -> TableView:
        return self._watch.until(
            lambda view: view.round_number == number and view.phase is phase,
            f"round {number} to be {phase.value}",
            _PATIENCE_S,
        )
