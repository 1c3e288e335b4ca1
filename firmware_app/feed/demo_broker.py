"""A broker of one's own for a demonstration or a test: mosquitto if there is one, else amqtt.

Listens on the loopback interface alone. Production has its own broker.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from firmware_app.feed.settings import BrokerSettings, ProtocolName, TlsSettings

HOST = "127.0.0.1"
_START_LIMIT_S = 20.0
_STOP_LIMIT_S = 5.0
_POLL_S = 0.02


class BrokerError(RuntimeError):
    """The demonstration broker does not start. The message holds what it printed."""


def find_mosquitto() -> str | None:
    """Return the path of mosquitto, which Debian keeps out of a user's search path."""
    search = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"))
    return shutil.which("mosquitto", path=search)


class DemoBroker:
    """A broker as a child process, for the time of a ``with`` block.

    ``embedded`` forces the embedded broker. ``tls`` (mosquitto only) is the authority, and the
    broker's own certificate and key; clients must then show a certificate of that authority.
    ``port`` 0 takes a free one; it stays the same when the broker is stopped and started again,
    and so does what mosquitto keeps for its subscribers.
    """

    def __init__(
        self, *, embedded: bool = False, tls: TlsSettings | None = None, port: int = 0
    ) -> None:
        mosquitto = None if embedded else find_mosquitto()
        if tls is not None and mosquitto is None:
            raise BrokerError("the embedded broker has no TLS: install mosquitto")
        self._mosquitto = mosquitto
        self._tls = tls
        self._port = port or _free_port()
        self._directory = tempfile.TemporaryDirectory(prefix="fortune-broker-")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def protocol(self) -> ProtocolName:
        """What it speaks: the embedded broker knows only MQTT 3.1.1."""
        return "3.1.1" if self._mosquitto is None else "5"

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        """The address as ``--broker`` takes it (of a broker without TLS)."""
        return f"mqtt://{HOST}:{self._port}?protocol={self.protocol}"

    @property
    def settings(self) -> BrokerSettings:
        """How to reach it (without TLS, for which a client needs its own certificate)."""
        return BrokerSettings(host=HOST, port=self._port, protocol=self.protocol)

    @property
    def pid(self) -> int:
        """The process id. Raises :class:`BrokerError` while it does not run."""
        if self._process is None:
            raise BrokerError("the broker does not run")
        return self._process.pid

    def __enter__(self) -> DemoBroker:
        try:
            self.start()
        except BaseException:
            self._directory.cleanup()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._directory.cleanup()

    def start(self) -> None:
        """Start it and wait until it takes connections. Raises :class:`BrokerError`."""
        if self._process is not None:
            return
        log = Path(self._directory.name) / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        deadline_s = time.monotonic() + _START_LIMIT_S
        while not _takes_connections(self._port):
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                self.stop()
                raise BrokerError(
                    "the broker does not start: "
                    + log.read_text(encoding="utf-8", errors="replace")[-2000:].strip()
                )
            time.sleep(_POLL_S)

    def stop(self) -> None:
        """Stop it in good order. It may be started again."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze it: connections stay up, and nothing answers."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen broker go on."""
        os.kill(self.pid, signal.SIGCONT)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        # A frozen process would not see the request.
        process.send_signal(signal.SIGCONT)
        process.send_signal(number)
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _command(self) -> list[str]:
        if self._mosquitto is None:
            module = "firmware_app.feed.embedded_broker"
            return [sys.executable, "-m", module, HOST, str(self._port)]
        config = Path(self._directory.name) / "mosquitto.conf"
        config.write_text(self._mosquitto_config(), encoding="utf-8")
        return [self._mosquitto, "-c", str(config)]

    def _mosquitto_config(self) -> str:
        lines = [
            f"listener {self._port} {HOST}",
            "allow_anonymous true",
            # By default mosquitto drops what a slow subscriber is behind by more than 1000. 0 is
            # meant to be "no limit", which releases before 2.0.22 do not all take for it.
            "max_queued_messages 10000000",
            "max_inflight_messages 100",
            "persistence true",
            f"persistence_location {self._directory.name}/",
            # Started by root it would change to a user that cannot read this directory.
            "user root",
        ]
        if self._tls is not None:
            lines += [
                f"cafile {self._tls.ca}",
                f"certfile {self._tls.certificate}",
                f"keyfile {self._tls.key}",
                "require_certificate true",
            ]
        return "\n".join(lines) + "\n"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _takes_connections(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=1):
            return True
    except OSError:
        return False
