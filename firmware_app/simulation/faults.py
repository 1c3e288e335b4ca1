"""Everything that can be made to go wrong around the simulated table, on purpose and by name.

A fault touches what is outside the table: contacts, the cable, the reader, the broker. It breaks
something and, where a person would, mends it again; what the table makes of it, and what the dealer
then does, is not written here. ``fortune-table simulate --fault NAME[:ARGUMENT]`` takes the names
of :data:`KINDS`, several at once.

A fault of the whole simulation has a ``begin``. A fault of one round has a ``strike``: it comes in
the middle of that round's deal, and its ``mend``, if it has one, after the round. The same seed
bets and shuffles the same, with faults and without.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from firmware_app.feed.demo_broker import DemoBroker
from firmware_app.runtime.reader_facts import READER_ALARM, READER_UNREADABLE
from firmware_app.simulation.watch import Watch
from firmware_app.table.values import Phase
from firmware_app.table.view import TableView
from hw.lines import spot_line
from hw.reader.sentence import Sentence
from hw.sim.panel import SimPanel
from hw.sim.reader import SimReader

BET_STUCK_AFTER_S: Final = 15
"""The limit of the bet sensors where one is to be seen stuck: longer than any simulated bet lies.

At a real table it is ``"never"`` by default, since a winner's chips may lie through many rounds.
Where every losing bet is taken up, four in five rounds, half an hour (``bet.stuck_after_s = 1800``)
finds a sensor that hangs and hardly ever a bet that lies.
"""

_NOTICED_S = 30.0
_UNDER_WAY_S = 0.1
"""The host has read half a sentence before the cable is out."""


@dataclass(frozen=True, slots=True)
class World:
    """What faults can reach. ``broker`` is None where the simulation does not run its own."""

    panel: SimPanel
    reader: SimReader
    watch: Watch
    broker: DemoBroker | None


@dataclass(frozen=True, slots=True)
class Hand:
    """The hand that the shuffler is dealing when a fault strikes; position 0 is the dealer's."""

    round_number: int
    position: int
    cards: tuple[str, ...]


# --- faults of the whole simulation --------------------------------------------------------


def _bounce(world: World, pairs: float) -> None:
    world.panel.bounces = int(pairs)


def _stuck(world: World, spot: float) -> None:
    world.panel.stick(spot_line(int(spot), "bet"))


def _is_out_of_service(view: TableView, spot: float) -> bool:
    return not view.spots[int(spot) - 1].in_service


def _lost_edge(world: World, share: float) -> None:
    world.panel.edge_loss = share


def _dead_lamp(world: World, spot: float) -> None:
    world.panel.kill_lamp(int(spot))


def _noise(world: World, share: float) -> None:
    world.reader.set_faults(replace(world.reader.faults, noise=share))


def _cut(world: World, share: float) -> None:
    world.reader.set_faults(replace(world.reader.faults, cut=share))


def _damage(world: World, share: float) -> None:
    world.reader.set_faults(replace(world.reader.faults, damage=share))


def _repeats(world: World, share: float) -> None:
    world.reader.set_faults(replace(world.reader.faults, repeat=share))


def _deaf(world: World, share: float) -> None:
    world.reader.set_faults(replace(world.reader.faults, deaf=share))


# --- faults of one round -------------------------------------------------------------------


def _silence(world: World, hand: Hand) -> None:
    before = world.reader.faults
    world.reader.set_faults(replace(before, silent=True))
    _until(world, hand, lambda view: view.phase is Phase.SUSPENDED, "be suspended")
    world.reader.set_faults(before)


def _wrong_baud(world: World, hand: Hand) -> None:
    before = world.reader.faults
    world.reader.set_faults(replace(before, wrong_speed=True))
    _until(world, hand, lambda view: _alarmed(view, READER_UNREADABLE), "find it unreadable")
    world.reader.set_faults(before)


def _unplug(world: World, hand: Hand) -> None:
    """The reader keeps its power, and what was not acknowledged."""
    sentence = Sentence(0, "HAND", (str(hand.position), " ".join(hand.cards))).to_bytes()
    world.reader.write_raw(sentence[: len(sentence) // 2])
    time.sleep(_UNDER_WAY_S)
    world.reader.unplug()
    _until(world, hand, lambda view: not view.reader_up, "miss the reader")
    world.reader.plug_in()


def _restart(world: World, hand: Hand) -> None:
    """The reader loses its power with the cable, and forgets what was not acknowledged."""
    _unplug(world, hand)
    world.reader.hello()


def _misdeal(world: World, hand: Hand) -> None:
    world.reader.misdeal("two cards came out at once")
    _until(world, hand, lambda view: view.phase is Phase.VOIDED, "be void")


def _unread_card(world: World, hand: Hand) -> None:
    world.reader.hand(hand.position, ("??", *hand.cards[1:]))
    _until(world, hand, lambda view: _alarmed(view, READER_ALARM), "ask for the hand again")


def _broker_down(world: World, hand: Hand) -> None:
    if world.broker is not None:
        world.broker.pause()


def _broker_back(world: World) -> None:
    if world.broker is not None:
        world.broker.resume()


def _until(world: World, hand: Hand, wanted: Callable[[TableView], bool], what: str) -> TableView:
    return world.watch.until(wanted, f"round {hand.round_number} to {what}", _NOTICED_S)


def _alarmed(view: TableView, code: str) -> bool:
    return any(alarm.code == code for alarm in view.alarms)


# --- their names ---------------------------------------------------------------------------


class Argument(Enum):
    """What stands behind the colon."""

    SPOT = "a betting spot"
    ROUND = "a round, counted from 1"
    SHARE = "how often, from 0.01 to 0.9"
    PAIRS = "how many times, from 1 to 50"


@dataclass(frozen=True, slots=True)
class Kind:
    """A fault by its name. ``default`` None: the argument must be given.

    ``seen`` tells whether the table has noticed what ``begin`` did; the dealer waits for it before
    the first bet. A bet sensor that hangs looks like a bet until its limit.
    """

    name: str
    argument: Argument
    default: float | None
    tells: str
    begin: Callable[[World, float], None] | None = None
    seen: Callable[[TableView, float], bool] | None = None
    strike: Callable[[World, Hand], None] | None = None
    mend: Callable[[World], None] | None = None
    needs_own_broker: bool = False


_SHARE, _ROUND, _SPOT = Argument.SHARE, Argument.ROUND, Argument.SPOT

KINDS: Final = (
    Kind("bounce", Argument.PAIRS, 5, "every contact bounces before it rests", begin=_bounce),
    Kind(
        "stuck",
        _SPOT,
        None,
        "the bet sensor of a spot hangs active",
        begin=_stuck,
        seen=_is_out_of_service,
    ),
    Kind("lost-edge", _SHARE, 0.2, "changes of inputs reach no handler", begin=_lost_edge),
    Kind("dead-lamp", _SPOT, None, "the lamp of a spot is burnt out", begin=_dead_lamp),
    Kind("noise", _SHARE, 0.2, "random bytes stand before sentences of the reader", begin=_noise),
    Kind("cut", _SHARE, 0.1, "sentences of the reader lack their end", begin=_cut),
    Kind("damage", _SHARE, 0.1, "a byte of a sentence is another", begin=_damage),
    Kind("repeats", _SHARE, 0.3, "the reader sends sentences twice", begin=_repeats),
    Kind("deaf", _SHARE, 0.1, "the reader does not hear the answer, and repeats", begin=_deaf),
    Kind("silence", _ROUND, 1, "the reader says nothing for a while", strike=_silence),
    Kind("wrong-baud", _ROUND, 1, "the reader is unreadable for a while", strike=_wrong_baud),
    Kind("unplug", _ROUND, 1, "the cable is pulled in mid-hand, back as another", strike=_unplug),
    Kind("restart", _ROUND, 1, "as unplug, and the reader forgets the hand", strike=_restart),
    Kind("misdeal", _ROUND, 1, "the shuffler reports a misdeal", strike=_misdeal),
    Kind("unread-card", _ROUND, 1, "a card of a hand cannot be read", strike=_unread_card),
    Kind(
        "broker-down",
        _ROUND,
        1,
        "the broker answers nothing until the round is over",
        strike=_broker_down,
        mend=_broker_back,
        needs_own_broker=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that was asked for, with its argument."""

    kind: Kind
    value: float

    def __str__(self) -> str:
        return f"{self.kind.name}:{self.value:g}"

    def is_seen(self, view: TableView) -> bool:
        """Tell whether the table has noticed the fault, as far as it can before play."""
        return self.kind.seen is None or self.kind.seen(view, self.value)


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults of one simulation, called by the dealer at their moments."""

    wished: tuple[Fault, ...] = ()

    @property
    def bet_stuck_after_s(self) -> int | None:
        """The limit that the bet sensors need, None where no bet sensor is to hang."""
        hangs = any(fault.kind.begin is _stuck for fault in self.wished)
        return BET_STUCK_AFTER_S if hangs else None

    def begin(self, world: World) -> None:
        """The table is up; nobody plays yet."""
        for fault in self.wished:
            if fault.kind.begin is not None:
                fault.kind.begin(world, fault.value)

    def wait_until_seen(self, world: World) -> None:
        """Wait until the table shows every fault that it can notice before play."""
        for fault in self.wished:
            world.watch.until(fault.is_seen, f"the table to notice {fault}", _NOTICED_S)

    def strike(self, world: World, hand: Hand) -> bool:
        """The shuffler is about to deal ``hand``, in the middle of the deal. Return whether
        something happened."""
        struck = self._of(hand.round_number)
        for fault in struck:
            if fault.kind.strike is not None:
                fault.kind.strike(world, hand)
        return bool(struck)

    def mend(self, world: World, round_number: int) -> None:
        """The round is over."""
        for fault in self._of(round_number):
            if fault.kind.mend is not None:
                fault.kind.mend(world)

    def _of(self, round_number: int) -> tuple[Fault, ...]:
        return tuple(
            fault
            for fault in self.wished
            if fault.kind.argument is Argument.ROUND and fault.value == round_number
        )
