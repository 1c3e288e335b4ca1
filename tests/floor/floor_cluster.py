"""A cluster of three brokers on the loopback interface, as the sample configures them."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from floor_brokers import CERTIFICATES, certificate_of

from firmware_app.feed.connection import LinkLostError
from firmware_app.feed.settings import BrokerSettings
from firmware_app.feed.subscriber import Subscriber

SAMPLE = Path(__file__).parents[2] / "systemd" / "cluster" / "node.conf"
HOST = "127.0.0.1"
NODES = 3
START_S = 60.0


class Cluster:
    """Three nodes, each a process in a directory of its own under ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        search = os.pathsep.join((os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin"))
        program = shutil.which("nats-server", path=search)
        assert program is not None
        self._program = program
        self._ports = free_ports(3 * NODES)
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Cluster:
        try:
            for node in range(NODES):
                self.start(node)
            for node in range(NODES):
                self.wait_ready(node)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for node in list(self._processes):
            self.kill(node)

    def port(self, node: int) -> int:
        return self._ports[NODES + node]

    def node(self, node: int, name: str = "back-office") -> BrokerSettings:
        """How the owner of the certificate ``name`` reaches a node."""
        return BrokerSettings(
            host=HOST, port=self.port(node), protocol="3.1.1", tls=certificate_of(name)
        )

    def others(self, node: int) -> tuple[str, ...]:
        """The other nodes, as fallbacks of a table whose first is ``node``."""
        return tuple(f"{HOST}:{self.port((node + step) % NODES)}" for step in range(1, NODES))

    def start(self, node: int) -> None:
        config = self._folder / f"node-{node}.conf"
        config.write_text(self._text(node), "utf-8")
        with (self._folder / f"node-{node}.log").open("ab") as log:
            self._processes[node] = subprocess.Popen(
                [self._program, "-c", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill(self, node: int) -> None:
        """End a node as a power cut would."""
        process = self._processes.pop(node)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def wait_ready(self, node: int) -> None:
        """Wait until a node takes subscriptions, for which it needs the others."""
        deadline_s = time.monotonic() + START_S
        while True:
            probe = Subscriber(
                self.node(node), "ready", lambda *_: None, client_name=f"probe-{node}"
            )
            try:
                probe.start(timeout_s=5)
            except LinkLostError as error:
                log = (self._folder / f"node-{node}.log").read_text("utf-8")[-2000:]
                assert time.monotonic() < deadline_s, f"{error}\n{log}"
                assert self._processes[node].poll() is None, log
                time.sleep(0.1)
            else:
                probe.stop()
                return

    def _text(self, node: int) -> str:
        client, mqtt, route = (self._ports[kind * NODES + node] for kind in range(3))
        places = {
            "server_name: broker-1": f"server_name: broker-{node + 1}",
            "127.0.0.1:4222": f"{HOST}:{client}",
            "0.0.0.0:8883": f"{HOST}:{mqtt}",
            "0.0.0.0:6222": f"{HOST}:{route}",
            "/var/lib/nats": f"{self._folder}/node-{node}",
            "/etc/nats/broker-1": f"{CERTIFICATES}/site-broker",
            "/etc/nats/fortune-ca.pem": f"{CERTIFICATES}/authority.pem",
        }
        for other in range(NODES):
            routed = f"{HOST}:{self._ports[2 * NODES + other]}"
            places[f"broker-{other + 1}.casino.example:6222"] = routed
        text = SAMPLE.read_text("utf-8")
        for place, here in places.items():
            assert place in text, f"the sample has no {place} any more"
            text = text.replace(place, here)
        return text


def free_ports(count: int) -> list[int]:
    """Ports that were all free at once."""
    probes = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports
