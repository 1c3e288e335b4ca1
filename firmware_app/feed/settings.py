"""Settings of the feed: the ``[mqtt]`` section of a table's configuration, validated."""

from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias, get_args
from urllib.parse import parse_qsl, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from firmware_app.feed.topics import NAME_PATTERN, TableTopics

PLAIN_PORT = 1883
TLS_PORT = 8883
_EXAMPLE = "mqtt://host:1883, or mqtts://host:8883?ca=FILE"

ProtocolName: TypeAlias = Literal["5", "3.1.1"]
TopicName: TypeAlias = Annotated[str, Field(pattern=NAME_PATTERN)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TlsSettings(_Model):
    """Files of the encrypted link, PEM. ``certificate`` and ``key`` prove who the table is."""

    ca: Path
    certificate: Path | None = None
    key: Path | None = None

    @model_validator(mode="after")
    def _pair(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key go together: give both, or neither")
        return self


class BrokerSettings(_Model):
    """How to reach a broker. ``port`` left out is 1883, or 8883 with ``tls``.

    The password is read from ``password_file`` at each connection, so that it stands in no
    configuration and can be changed while the table runs.
    """

    host: str = Field(min_length=1)
    port: int | None = Field(default=None, ge=1, le=65535)
    protocol: ProtocolName = "5"
    tls: TlsSettings | None = None
    username: str | None = None
    password_file: Path | None = None

    @property
    def port_number(self) -> int:
        if self.port is not None:
            return self.port
        return PLAIN_PORT if self.tls is None else TLS_PORT

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port_number}"


class FeedSettings(BrokerSettings):
    """Who the table is for the broker, and how its events are sent.

    ``fallbacks`` are further nodes of the same cluster, each ``host`` or ``host:port``: with every
    failure of the link the next is tried, and after the last ``host`` again.

    ``in_flight`` is how many messages may wait for an acknowledgement at once; a broker may allow
    fewer. ``events_per_s`` keeps a backlog of days from flooding the casino's systems.
    ``ack_timeout_s`` is how long a broker may hold an acknowledgement back before the link is
    made anew. The retry cap holds the promise that events flow within 30 s of a broker's return.
    """

    site: TopicName
    table: TopicName
    fallbacks: tuple[str, ...] = ()
    client_id: str | None = Field(default=None, min_length=1, max_length=120)
    keepalive_s: int = Field(default=15, ge=2, le=300)
    session_expiry_s: int = Field(default=86_400, ge=0, le=0xFFFF_FFFF)
    connect_timeout_s: float = Field(default=5, gt=0, le=10)
    ack_timeout_s: float = Field(default=20, gt=0, le=300)
    retry_first_s: float = Field(default=1, gt=0, le=20)
    retry_cap_s: float = Field(default=20, gt=0, le=25)
    in_flight: int = Field(default=50, ge=1, le=100)
    events_per_s: int = Field(default=500, ge=1, le=100_000)
    accept_resend_requests: bool = False

    @field_validator("fallbacks")
    @classmethod
    def _are_places(cls, fallbacks: tuple[str, ...]) -> tuple[str, ...]:
        for place in fallbacks:
            _split_place(place)
        return fallbacks

    def node(self, turn: int) -> Self:
        """Return these settings toward one node of the cluster: ``host`` at turn 0, and so on."""
        number = turn % (len(self.fallbacks) + 1)
        if number == 0:
            return self
        host, port = _split_place(self.fallbacks[number - 1])
        return self.model_copy(update={"host": host, "port": port or self.port})

    @property
    def topics(self) -> TableTopics:
        return TableTopics(self.site, self.table)

    @property
    def client_name(self) -> str:
        return self.client_id or f"fpg-{self.site}-{self.table}"


def _split_place(place: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(f"//{place}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"{place!r}: {error}; write host or host:1883") from None
    if not host or parts.netloc != place or "@" in place:
        raise ValueError(f"{place!r} is not understood; write host or host:1883")
    return host, port


def parse_broker_url(url: str) -> BrokerSettings:
    """Return the broker that ``url`` names: ``mqtt://host:port`` or ``mqtts://host:port?ca=FILE``.

    ``protocol=3.1.1`` asks for the older protocol; ``certificate=FILE`` and ``key=FILE`` prove who
    connects. Raises ValueError naming what cannot be read.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True))
    except ValueError as error:
        raise ValueError(f"broker {url!r}: {error}; write {_EXAMPLE}") from None
    if parts.scheme not in ("mqtt", "mqtts") or not host or parts.path not in ("", "/"):
        raise ValueError(f"broker {url!r} is not understood: write {_EXAMPLE}")
    if parts.username is not None or parts.password is not None:
        raise ValueError(
            "a user name and password do not belong in the broker's address, where every list of "
            "processes shows them: put them into the configuration"
        )
    protocol = options.pop("protocol", "5")
    if protocol not in get_args(ProtocolName):
        raise ValueError(f"broker protocol {protocol!r} is unknown: use 5 or 3.1.1")
    if (parts.scheme == "mqtts") != ("ca" in options):
        raise ValueError(f"broker {url!r}: mqtts and ca=FILE go together")
    try:
        tls = TlsSettings.model_validate(options) if options else None
    except ValidationError as error:
        fault = error.errors()[0]
        where = "".join(f"{part}: " for part in fault["loc"])
        raise ValueError(f"broker {url!r}: {where}{fault['msg']}") from None
    return BrokerSettings.model_validate(
        {"host": host, "port": port, "protocol": protocol, "tls": tls}
    )
