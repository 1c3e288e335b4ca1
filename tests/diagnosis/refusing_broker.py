"""A broker of a few bytes that answers one client as it was told to: for refusals that a broker
without accounts and access lists never gives. MQTT 5, sections 3.2 (CONNACK) and 3.4 (PUBACK)."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

BAD_USER_NAME_OR_PASSWORD = 0x86
NOT_AUTHORIZED = 0x87


class RefusingBroker:
    """Answers CONNECT and PUBLISH with these reason codes; None: not at all.

    ``hangs_up`` ends the connection where there is no answer, as a broker of another protocol
    does; else the connection stays and nothing is said.
    """

    def __init__(
        self, *, connack: int | None, puback: int | None = None, hangs_up: bool = False
    ) -> None:
        self._connack = connack
        self._puback = puback
        self._hangs_up = hangs_up
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.client_names: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Ends a pending accept; a client that is served ends by itself.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            with client:
                client.settimeout(10)
                self._converse(client)

    def _converse(self, client: socket.socket) -> None:
        connect = client.recv(4096)
        # Behind the variable header of 10 bytes: properties, then the client's name.
        name_at = 2 + 10 + 1 + connect[12]
        length = int.from_bytes(connect[name_at : name_at + 2])
        self.client_names.append(connect[name_at + 2 : name_at + 2 + length].decode())
        if self._connack is not None:
            client.sendall(bytes([0x20, 3, 0, self._connack, 0]))
        elif self._hangs_up:
            return
        while packet := client.recv(65536):
            if packet[0] & 0xF0 == 0x30 and self._puback is not None:
                client.sendall(bytes([0x40, 4, 0, 1, self._puback, 0]))
