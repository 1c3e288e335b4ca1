"""A door between a table and its broker: it can be shut, cut, and made to ask for certificates."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from pathlib import Path

CERTIFICATES = Path(__file__).parent / "certificates"


class Door:
    """Passes connections on to the broker at port ``broker``; ``port`` 0 listens on a free one.

    ``certificate`` names the broker's certificate in the directory: with one, the door speaks TLS
    and lets only clients of the test authority in. ``certificate`` may be changed while it stands.
    """

    def __init__(self, broker: int, certificate: str | None = None, *, port: int = 0) -> None:
        self._broker = ("127.0.0.1", broker)
        self._listen_on = ("127.0.0.1", port)
        self.certificate = certificate
        self.visitors: list[str] = []
        """The common name of each client whose certificate was accepted."""
        self.refused = 0
        self.passed = 0

    def __enter__(self) -> Door:
        self._changed = threading.Condition()
        self._listener = socket.create_server(self._listen_on)
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Drop every connection that is open, without a word."""
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def wait_refused(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.refused >= count, 20), "not in time"

    def wait_passed(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.passed >= count, 20), "not in time"

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                visitor = client if self.certificate is None else self._check(client)
                broker = socket.create_connection(self._broker)
            except OSError:
                client.close()
                self._count(refused=1)
                continue
            self._sockets += [visitor, broker]
            for source, target in ((visitor, broker), (broker, visitor)):
                threading.Thread(target=_pass_on, args=(source, target), daemon=True).start()
            self._count(passed=1)

    def _check(self, client: socket.socket) -> ssl.SSLSocket:
        context = ssl.create_default_context(
            ssl.Purpose.CLIENT_AUTH, cafile=str(CERTIFICATES / "authority.pem")
        )
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(
            CERTIFICATES / f"{self.certificate}.pem", CERTIFICATES / f"{self.certificate}.key"
        )
        secured = context.wrap_socket(client, server_side=True)
        subject = dict(pair for group in secured.getpeercert()["subject"] for pair in group)
        self.visitors.append(subject["commonName"])
        return secured

    def _count(self, *, passed: int = 0, refused: int = 0) -> None:
        with self._changed:
            self.passed += passed
            self.refused += refused
            self._changed.notify_all()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
