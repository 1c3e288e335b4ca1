"""A broker that does exactly what a test tells it to, down to the bytes of MQTT.

Written from the MQTT 5.0 and 3.1.1 standards, without the client library under test. It hears
CONNECT, PUBLISH, SUBSCRIBE, PINGREQ and DISCONNECT, and notes every PUBLISH.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
PINGREQ, PINGRESP, DISCONNECT = 12, 13, 14
RECEIVE_MAXIMUM, MAXIMUM_PACKET_SIZE = 0x21, 0x27
QUOTA_EXCEEDED, NOT_AUTHORIZED, BAD_USER_NAME_OR_PASSWORD = 0x97, 0x87, 0x86


@dataclass(frozen=True)
class Published:
    """A PUBLISH as it came: over which connection, under which packet id."""

    connection: int
    topic: str
    payload: bytes
    qos: int
    retain: bool
    packet_id: int


@dataclass(frozen=True)
class Hello:
    """What a CONNECT said."""

    client_id: str
    clean: bool
    keepalive_s: int
    will_topic: str
    will: bytes
    will_retained: bool
    session_expiry_s: int
    username: str
    password: str


class Connection:
    """One client's connection; the script answers through it."""

    def __init__(self, number: int, sock: socket.socket, version: int = 5) -> None:
        self.number = number
        self.version = version
        self._sock = sock
        self._lock = threading.Lock()

    def send(self, data: bytes) -> None:
        with self._lock:
            self._sock.sendall(data)

    def accept(self, *, code: int = 0, properties: bytes = b"") -> None:
        body = bytes([0, code])
        if self.version == 5:
            body += bytes([len(properties)]) + properties
        self.send(_packet(CONNACK << 4, body))

    def acknowledge(self, packet_id: int, code: int = 0) -> None:
        body = struct.pack("!H", packet_id)
        if code:
            body += bytes([code, 0])
        self.send(_packet(PUBACK << 4, body))

    def publish(self, topic: str, payload: bytes, packet_id: int) -> None:
        body = _text(topic.encode()) + struct.pack("!H", packet_id)
        if self.version == 5:
            body += b"\0"
        self.send(_packet((PUBLISH << 4) | 2, body + payload))

    def cut(self) -> None:
        """Drop the connection without a word."""
        self._sock.shutdown(socket.SHUT_RDWR)


def receive_maximum(count: int) -> bytes:
    return bytes([RECEIVE_MAXIMUM]) + struct.pack("!H", count)


def maximum_packet_size(size: int) -> bytes:
    return bytes([MAXIMUM_PACKET_SIZE]) + struct.pack("!I", size)


@dataclass
class ScriptedBroker:
    """Accepts connections one after the other and calls the script's two functions.

    ``on_connect(connection)`` is called for a CONNECT, ``on_publish(connection, published)`` for a
    PUBLISH. Left out, everything is accepted and acknowledged.
    """

    on_connect: Callable[[Connection], None] = field(default=lambda connection: connection.accept())
    on_publish: Callable[[Connection, Published], None] | None = None
    published: list[Published] = field(default_factory=list)
    hellos: list[Hello] = field(default_factory=list)
    farewells: int = 0

    def __enter__(self) -> ScriptedBroker:
        self._changed = threading.Condition()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def wait(self, condition: Callable[[ScriptedBroker], object], timeout_s: float = 20) -> None:
        """Wait until ``condition`` holds; fail if it does not within the time."""
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self), timeout_s), "not in time"

    def payloads(self, topic_part: str = "/event/") -> list[bytes]:
        """The payloads published so far on topics that hold ``topic_part``, in order."""
        with self._changed:
            return [item.payload for item in self.published if topic_part in item.topic]

    def _serve(self) -> None:
        number = 0
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(sock)
            # The client leaves, or the script cuts it off.
            with contextlib.suppress(OSError, EOFError, ValueError):
                self._converse(Connection(number, sock), sock.makefile("rb"))
            sock.close()
            number += 1

    def _converse(self, connection: Connection, stream: object) -> None:
        while True:
            kind, flags, body = _read_packet(stream)
            if kind == CONNECT:
                hello, connection.version = _parse_connect(body)
                with self._changed:
                    self.hellos.append(hello)
                    self._changed.notify_all()
                self.on_connect(connection)
            elif kind == PUBLISH:
                item = _parse_publish(connection, flags, body)
                with self._changed:
                    self.published.append(item)
                    self._changed.notify_all()
                if self.on_publish is not None:
                    self.on_publish(connection, item)
                elif item.qos:
                    connection.acknowledge(item.packet_id)
            elif kind == SUBSCRIBE:
                answer = body[:2] + (b"\0" if connection.version == 5 else b"") + b"\1"
                connection.send(_packet(SUBACK << 4, answer))
            elif kind == PINGREQ:
                connection.send(_packet(PINGRESP << 4, b""))
            elif kind == DISCONNECT:
                with self._changed:
                    self.farewells += 1
                    self._changed.notify_all()


def _packet(first: int, body: bytes) -> bytes:
    length, size = bytearray(), len(body)
    while True:
        size, digit = divmod(size, 128)
        length.append(digit | (0x80 if size else 0))
        if not size:
            return bytes([first]) + bytes(length) + body


def _text(data: bytes) -> bytes:
    return struct.pack("!H", len(data)) + data


def _read_packet(stream: object) -> tuple[int, int, bytes]:
    first = _exactly(stream, 1)[0]
    size = shift = 0
    while True:
        digit = _exactly(stream, 1)[0]
        size |= (digit & 0x7F) << shift
        shift += 7
        if not digit & 0x80:
            return first >> 4, first & 15, _exactly(stream, size)


def _exactly(stream: object, size: int) -> bytes:
    data: bytes = stream.read(size)  # type: ignore[attr-defined]
    if len(data) != size:
        raise EOFError
    return data


def _take_text(body: bytes) -> tuple[bytes, bytes]:
    (size,) = struct.unpack("!H", body[:2])
    return body[2 : 2 + size], body[2 + size :]


def _parse_connect(body: bytes) -> tuple[Hello, int]:
    _, body = _take_text(body)
    version, flags, keepalive_s = struct.unpack("!BBH", body[:4])
    body = body[4:]
    expiry_s = 0
    if version == 5:
        properties, body = body[1 : 1 + body[0]], body[1 + body[0] :]
        if properties[:1] == b"\x11":
            (expiry_s,) = struct.unpack("!I", properties[1:5])
    client_id, body = _take_text(body)
    will_topic = will = b""
    if flags & 4:
        if version == 5:
            body = body[1 + body[0] :]
        will_topic, body = _take_text(body)
        will, body = _take_text(body)
    username = password = b""
    if flags & 0x80:
        username, body = _take_text(body)
    if flags & 0x40:
        password, body = _take_text(body)
    hello = Hello(
        client_id=client_id.decode(),
        clean=bool(flags & 2),
        keepalive_s=keepalive_s,
        will_topic=will_topic.decode(),
        will=will,
        will_retained=bool(flags & 0x20),
        session_expiry_s=expiry_s,
        username=username.decode(),
        password=password.decode(),
    )
    return hello, version


def _parse_publish(connection: Connection, flags: int, body: bytes) -> Published:
    topic, body = _take_text(body)
    qos = flags >> 1 & 3
    packet_id = 0
    if qos:
        (packet_id,) = struct.unpack("!H", body[:2])
        body = body[2:]
    if connection.version == 5:
        body = body[1 + body[0] :]
    return Published(connection.number, topic.decode(), body, qos, bool(flags & 1), packet_id)
