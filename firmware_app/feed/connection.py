"""A paho client set up for one connection, and connection failures in a technician's words."""

from __future__ import annotations

import contextlib
import socket
import ssl
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from firmware_app.feed.certificate import valid_until
from firmware_app.feed.envelope import CONTENT_TYPE
from firmware_app.feed.settings import BrokerSettings, TlsSettings

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

# OpenSSL's X509_V_ERR_* numbers; the ssl module does not name them.
_NOT_YET_VALID = 9
_EXPIRED = 10


class LinkLostError(Exception):
    """The broker cannot be reached, or is no longer. The message says why and what to look at."""


def new_client(broker: BrokerSettings, client_name: str, *, reconnects: bool = False) -> Client:
    """Return a client whose session the broker keeps while it is away.

    ``reconnects`` lets paho's own thread connect again, for a subscriber; a publisher must not,
    since paho would resend from its own queue. Raises :class:`LinkLostError` where a certificate,
    key or password file cannot be used.
    """
    version5 = broker.protocol == "5"
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=client_name,
        protocol=MQTTProtocolVersion.MQTTv5 if version5 else MQTTProtocolVersion.MQTTv311,
        clean_session=None if version5 else False,
        reconnect_on_failure=reconnects,
    )
    # A callback that raises must not end the thread that reads from the broker.
    client.suppress_exceptions = True
    if broker.username is not None:
        client.username_pw_set(broker.username, _password(broker))
    if broker.tls is not None:
        client.tls_set_context(_tls_context(broker.tls))
    return client


def connect(
    client: Client, broker: BrokerSettings, *, keepalive_s: int, expiry_s: int, timeout_s: float
) -> None:
    """Open the connection and send CONNECT; the broker's answer comes later.

    ``expiry_s`` is how long the broker keeps the session of a client that is away (MQTT 5; with
    3.1.1 the broker decides). Blocks for the name look-up, and up to ``timeout_s`` for TCP and for
    TLS each. Raises :class:`LinkLostError`.
    """
    client.connect_timeout = timeout_s
    try:
        if broker.protocol == "5":
            properties = _properties(PacketTypes.CONNECT)
            properties.SessionExpiryInterval = expiry_s
            client.connect(
                broker.host,
                broker.port_number,
                keepalive=keepalive_s,
                clean_start=False,
                properties=properties,
            )
        else:
            client.connect(broker.host, broker.port_number, keepalive=keepalive_s)
    except OSError as error:
        raise LinkLostError(f"broker {broker.address}: {explain(error)}") from error


class _EventProperties(Properties):
    """What MQTT 5 says of an event beside its bytes, packed once: paho packs for every message."""

    def pack(self) -> bytes:
        return _EVENT_PROPERTIES


def event_properties(broker: BrokerSettings) -> Properties | None:
    """Return what is said of an event beside its bytes; MQTT 3.1.1 can say nothing."""
    if broker.protocol != "5":
        return None
    return _EventProperties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho leaves it untyped


def explain(error: OSError) -> str:
    """Return a connection error as one sentence that says where to look."""
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code == _NOT_YET_VALID:
            return (
                "its certificate is not valid yet; the clock of this device is probably not set, "
                "the link is tried again until it is"
            )
        if error.verify_code == _EXPIRED:
            return "its certificate has expired, or the clock of this device is wrong"
        return f"its certificate is refused: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"the TLS handshake failed: {error}"
    if isinstance(error, socket.gaierror):
        return "its name cannot be found; is the host right, and the network up?"
    if isinstance(error, TimeoutError):
        return "no answer; is the address right and the broker running?"
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is the broker running and the port right?"
    return str(error) or type(error).__name__


def unanswered(broker: BrokerSettings) -> str:
    """Return why a broker may have closed a connection before it said a word.

    A broker that finds the table's certificate out of date does so: the table learns no reason.
    """
    own = None if broker.tls is None else broker.tls.certificate
    with contextlib.suppress(OSError, ValueError):
        if own is not None and (end := valid_until(own)) < datetime.now(UTC):
            return (
                f"broker {broker.address} does not let the table in; its certificate {own} has "
                f"expired on {end:%Y-%m-%d}, renew it"
            )
    return (
        f"broker {broker.address} closed the connection without an answer; does it speak MQTT "
        f"{broker.protocol}? If not, change mqtt.protocol"
    )


def refusal(reason: ReasonCode) -> str:
    """Return the broker's reason for refusing or ending a connection."""
    return str(reason).lower()


def _password(broker: BrokerSettings) -> str | None:
    if broker.password_file is None:
        return None
    try:
        return broker.password_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise LinkLostError(f"password_file {broker.password_file}: {error}") from error


def _tls_context(tls: TlsSettings) -> ssl.SSLContext:
    # Read at each connection, so that renewed certificates need no restart.
    part, file = "ca", tls.ca
    try:
        context = ssl.create_default_context(cafile=str(tls.ca))
        if tls.certificate is not None and tls.key is not None:
            part, file = "certificate or key", tls.certificate
            context.load_cert_chain(str(tls.certificate), str(tls.key))
    except OSError as error:
        raise LinkLostError(f"tls {part} {file} cannot be used: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _properties(packet_type: int) -> Properties:
    return Properties(packet_type)  # type: ignore[no-untyped-call]  # paho leaves it untyped


def _packed_event_properties() -> bytes:
    properties = _properties(PacketTypes.PUBLISH)
    properties.ContentType = CONTENT_TYPE
    properties.PayloadFormatIndicator = 1  # UTF-8 text
    packed: bytes = properties.pack()  # type: ignore[no-untyped-call]  # paho leaves it untyped
    return packed


_EVENT_PROPERTIES = _packed_event_properties()
