"""Words of a floor's tests: tables that play into a real journal, and consumers that keep books."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from firmware_app.backoffice.intake import Intake
from firmware_app.backoffice.repairs import Repairs
from firmware_app.backoffice.store import Store
from firmware_app.feed.envelope import encode, event_id
from firmware_app.feed.link import Link
from firmware_app.feed.settings import BrokerSettings, FeedSettings
from firmware_app.journal.records import OutgoingMessage, Stamp
from firmware_app.journal.store import Journal
from firmware_app.simulation.rounds import deal_rounds
from firmware_app.table.facts import WagerChanged

WAIT_S = 90.0


def wait_until(condition: Callable[[], object], what: str, timeout_s: float = WAIT_S) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, f"{what}: not within {timeout_s:.0f} s"
        time.sleep(0.02)


class FloorTable:
    """A table with a real journal and the real link, whose rounds are dealt all at once.

    ``settings`` are those of the feed that differ.
    """

    def __init__(
        self,
        folder: Path,
        broker: BrokerSettings,
        name: str,
        *,
        site: str,
        seed: int = 1,
        **settings: object,
    ) -> None:
        self.settings = FeedSettings.model_validate(
            broker.model_dump()
            | {"site": site, "table": name, "accept_resend_requests": True}
            | {"retry_first_s": 0.05, "retry_cap_s": 0.5, "events_per_s": 10_000}
            | settings
        )
        self.source = f"/{self.settings.topics.base}"
        self.told: list[bytes] = []
        """Every event's bytes, in order."""
        self._journal = Journal.open(folder / f"{name}.sqlite3")
        self._rounds = deal_rounds("envy", seed=seed)
        self.link = Link(self.settings, self._journal.outbox)

    def __enter__(self) -> FloorTable:
        self.link.start()
        return self

    def __exit__(self, *_: object) -> None:
        stopped = self.link.stop(10)
        self._journal.close()
        assert stopped

    def play(self, rounds: int) -> None:
        """Play rounds: each is one transaction of its events, and then sent."""
        for _ in range(rounds):
            events = next(self._rounds)
            first = self._journal.next_sequence
            now_ns = time.time_ns()
            messages = [
                OutgoingMessage(
                    first + place,
                    event_id(self.settings.table, first + place),
                    event.TYPE,
                    encode(
                        event,
                        self.settings.topics,
                        sequence=first + place,
                        wall_utc_ns=now_ns,
                        synchronised=True,
                    ),
                )
                for place, event in enumerate(events)
            ]
            # The facts do not matter to the feed; an entry has to have one.
            self._journal.append(
                [WagerChanged(spot=1, wager="fortune", cents=first)],
                [],
                messages,
                round_number=events[-1].round,
                stamp=Stamp(now_ns, time.monotonic_ns(), "boot", True),
            )
            self.told += [message.payload for message in messages]
            self.link.wake()


class Consumer:
    """A back office's consumer at work in a thread, on books that others may write too."""

    def __init__(
        self,
        books: Path,
        broker: BrokerSettings,
        *,
        name: str,
        group: str | None = None,
        repairs: Repairs | None = None,
        open_store: Callable[[Path], Store] = Store,
        intake: type[Intake] = Intake,
    ) -> None:
        self._open_store = open_store
        self._intake_type = intake
        self._books = books
        self._wish = (broker, name, group, repairs)
        self._stop = threading.Event()
        self.intake: Intake | None = None
        self._failure: Exception | None = None

    @property
    def booked(self) -> int:
        return 0 if self.intake is None else self.intake.booked

    @property
    def connections(self) -> int:
        """How often it has subscribed."""
        return 0 if self.intake is None else self.intake.subscribed

    def __enter__(self) -> Consumer:
        self._stop.clear()
        self._thread = threading.Thread(target=self._run, name=self._wish[1], daemon=True)
        self._thread.start()
        wait_until(lambda: self._failure or self.connections, "the consumer")
        assert self._failure is None, self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(20)
        assert not self._thread.is_alive()
        assert self._failure is None, self._failure

    def _run(self) -> None:
        broker, name, group, repairs = self._wish
        try:
            with self._open_store(self._books) as store:
                self.intake = self._intake_type(
                    broker, store, name=name, group=group, repairs=repairs
                )
                self.intake.run(self._stop.is_set)
        except Exception as error:
            self._failure = error


def booked(store: Store, source: str) -> list[bytes]:
    """The events of one table, in order."""
    rows = store.connection.execute(
        "SELECT payload FROM event WHERE source = ? ORDER BY sequence", (source,)
    )
    return [payload for (payload,) in rows]


def wait_for_books(store: Store, *tables: FloorTable) -> None:
    """Wait until the books have all that the tables told, and check it to the byte."""

    def all_there() -> bool:
        [(events,)] = store.connection.execute("SELECT count(*) FROM event")
        return bool(events >= sum(len(table.told) for table in tables))

    wait_until(all_there, "the books")
    check_books(store, *tables)


def check_books(store: Store, *tables: FloorTable) -> None:
    """Check that the books have all that the tables told, to the byte, and nothing else."""
    for table in tables:
        assert booked(store, table.source) == table.told
    assert store.gaps(first=1) == []
    assert list(store.connection.execute("SELECT why FROM refused")) == []
