"""A TLS door in front of a plain broker: asks for a client certificate, then passes bytes on."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from pathlib import Path

CERTIFICATES = Path(__file__).parent / "certificates"


class TlsDoor:
    """Listens with ``certificate`` (a name in the directory) before the broker at ``port``."""

    def __init__(self, port: int, certificate: str = "broker") -> None:
        self._broker = ("127.0.0.1", port)
        self.certificate = certificate
        self.visitors: list[str] = []
        """The common name of each client whose certificate was accepted."""
        self.refused = 0

    def __enter__(self) -> TlsDoor:
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for sock in (self._listener, *self._sockets):
            sock.close()

    def wait_refused(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.refused >= count, 20)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            context = ssl.create_default_context(
                ssl.Purpose.CLIENT_AUTH, cafile=str(CERTIFICATES / "authority.pem")
            )
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_cert_chain(
                CERTIFICATES / f"{self.certificate}.pem", CERTIFICATES / f"{self.certificate}.key"
            )
            try:
                # TLS 1.3 tells the client of a refused certificate only when it reads.
                secured = context.wrap_socket(client, server_side=True)
            except OSError:
                client.close()
                with self._changed:
                    self.refused += 1
                    self._changed.notify_all()
                continue
            subject = dict(pair for group in secured.getpeercert()["subject"] for pair in group)
            self.visitors.append(subject["commonName"])
            broker = socket.create_connection(self._broker)
            self._sockets += [secured, broker]
            for source, target in ((secured, broker), (broker, secured)):
                threading.Thread(target=_pass_on, args=(source, target), daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
