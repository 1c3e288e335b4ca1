"""The weather around a table: a broker that is up, down, flapping or frozen, and who listens."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Self

from firmware_app.feed.demo_broker import HOST, DemoBroker
from firmware_app.feed.settings import BrokerSettings

_SUBSCRIBER = Path(__file__).with_name("soak_subscriber.py")
_PATIENCE_S = 60.0


class PatientBroker(DemoBroker):
    """Mosquitto that hands everything on before it acknowledges it, however much is under way."""

    def _mosquitto_config(self) -> str:
        config = super()._mosquitto_config()
        return config.replace("max_inflight_messages 100", "max_inflight_messages 0")


class Listener:
    """The subscriber's process, and the file that it writes."""

    def __init__(self, broker: DemoBroker, topic: str, path: Path) -> None:
        self.path = path
        self.connected = threading.Event()
        self._read = threading.Event()
        path.touch()
        self._process = subprocess.Popen(
            [sys.executable, _SUBSCRIBER, str(broker.port), broker.protocol, topic, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._follower = threading.Thread(target=self._follow, daemon=True)
        self._follower.start()
        self.wait_connected()

    def wait_connected(self) -> None:
        if not self.connected.wait(_PATIENCE_S):
            raise RuntimeError("the subscriber does not come up")

    def wait_read(self) -> bool:
        """Wait until all that the broker has passed on is written down; False if not connected."""
        assert self._process.stdin is not None
        self._read.clear()
        self._process.stdin.write("?\n")
        self._process.stdin.flush()
        return self._read.wait(_PATIENCE_S) and self.connected.is_set()

    def wait_for(self, sequence: int, timeout_s: float) -> bool:
        """Wait until the event of that number is written down; False if it takes too long."""
        needle = b'"sequence":"%012d"' % sequence
        deadline_s = time.monotonic() + timeout_s
        with self.path.open("rb") as file:
            while sequence:
                for line in file:
                    if needle in line:
                        return True
                if time.monotonic() > deadline_s:
                    return False
                time.sleep(0.02)
        return True

    def received(self) -> list[bytes]:
        return self.path.read_bytes().splitlines()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._follower.join()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _follow(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line == "up\n":
                self.connected.set()
            elif line == "down\n":
                self.connected.clear()
            else:
                self._read.set()


class Weather:
    """Changes the broker's state. ``broker`` runs when it begins.

    The embedded broker forgets its subscribers when it ends. Where there is nothing else, it is
    only frozen, and a table that is to find no broker is told an address where none listens.
    """

    def __init__(self, broker: DemoBroker, listener: Listener, seed: int) -> None:
        """The moods of the lives depend on ``seed`` alone, the turns on the moments as well."""
        self._broker = broker
        self._listener = listener
        self._moods = random.Random(seed)
        self._turns = random.Random(seed)
        self.counted: Counter[str] = Counter()
        """How often the broker was frozen, stopped and killed."""
        # Only mosquitto speaks MQTT 5, and only mosquitto remembers.
        self._lasting = broker.protocol == "5"
        self._up = True
        self._frozen = False
        # Bound and not listening: nobody else can take it, and it refuses connections.
        self._nowhere = socket.socket()
        self._nowhere.bind((HOST, 0))
        if self._lasting:
            # Stopped in good order it saves the subscription, which even a kill cannot undo then.
            broker.stop()
            broker.start()

    def before_life(self) -> tuple[BrokerSettings, list[float]]:
        """Return the broker that the next life is told of, and after how many seconds of it to
        call :meth:`turn`."""
        mood = self._moods.choices(("up", "down", "flapping"), (4, 2, 4))[0]
        if mood == "up":
            self.clear()
        elif mood == "down" and self._lasting:
            self._end()
        elif mood == "down":
            port = self._nowhere.getsockname()[1]
            return self._broker.settings.model_copy(update={"port": port}), []
        turns = self._moods.randint(1, 3) if mood == "flapping" else 0
        return self._broker.settings, sorted(self._moods.uniform(0.0, 0.3) for _ in range(turns))

    def turn(self) -> None:
        """Change for the worse from good, and for the better from bad."""
        if self._frozen or not self._up:
            self.clear()
        elif not self._lasting or self._turns.random() < 0.3:
            self._broker.pause()
            self._frozen = True
            self.counted["frozen"] += 1
        else:
            self._end()

    def clear(self) -> None:
        """Have the broker up and awake."""
        if self._frozen:
            self._broker.resume()
            self._frozen = False
        if not self._up:
            self._broker.start()
            self._up = True

    def close(self) -> None:
        self.clear()
        self._nowhere.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _end(self) -> None:
        """Stop the broker in good order, or kill it.

        Its acknowledgement does not mean saved: killed, it loses what it has acknowledged and the
        subscriber has not read yet, by no fault of the table. So it is frozen before, until the
        subscriber has read all; without a subscriber, or frozen already, it is not killed.
        """
        if not self._up:
            return
        kill = not self._frozen and self._turns.random() < 0.5
        if kill:
            self._broker.pause()
            kill = self._listener.wait_read()
        if kill:
            self._broker.kill()
        else:
            self._broker.stop()
        self.counted["killed" if kill else "stopped"] += 1
        self._up = self._frozen = False
        self._listener.connected.clear()
