"""What the table's process and the painting process tell each other: one JSON object a line."""

from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from firmware_app.rules.profile import Profile
from firmware_app.signage.past_rounds import RoundSummary
from firmware_app.signage.settings import SignSettings
from firmware_app.table.view import TableView


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Setup(_Message):
    """First of all: how to paint, and whether key presses are asked for (simulator)."""

    kind: Literal["setup"] = "setup"
    settings: SignSettings
    profile: Profile
    wants_keys: bool = False


class Show(_Message):
    """Show the table from now on, or the recall of ``rounds`` where there are any."""

    kind: Literal["show"] = "show"
    number: int
    view: TableView
    rounds: tuple[RoundSummary, ...] = ()


class Capture(_Message):
    """Write what is shown, at rest, to a PNG file."""

    kind: Literal["capture"] = "capture"
    number: int
    path: str


class Status(_Message):
    """The display is up or down; ``detail`` says why, or names driver and size."""

    kind: Literal["status"] = "status"
    up: bool
    detail: str


class Painted(_Message):
    """The :class:`Show` of that number was taken over: the painting process is alive."""

    kind: Literal["painted"] = "painted"
    number: int


class Captured(_Message):
    """The answer to :class:`Capture`; ``fault`` is None where the file was written."""

    kind: Literal["captured"] = "captured"
    number: int
    fault: str | None = None


class Key(_Message):
    """A key was pressed in the window; ``name`` as pygame names it (``space``, ``f1``)."""

    kind: Literal["key"] = "key"
    name: str


Order = Annotated[Setup | Show | Capture, Field(discriminator="kind")]
Report = Annotated[Status | Painted | Captured | Key, Field(discriminator="kind")]


@cache
def _orders() -> TypeAdapter[Setup | Show | Capture]:
    # Made when the first is read, which the table's process never does.
    return TypeAdapter(Order)


@cache
def _reports() -> TypeAdapter[Status | Painted | Captured | Key]:
    return TypeAdapter(Report)


def encode(message: BaseModel) -> bytes:
    """Return a message as one line."""
    return message.model_dump_json().encode() + b"\n"


def decode_order(line: bytes) -> Setup | Show | Capture:
    """Return the order in ``line``; raise ValueError for anything else."""
    return _orders().validate_json(line)


def decode_report(line: bytes) -> Status | Painted | Captured | Key:
    """Return the report in ``line``; raise ValueError for anything else."""
    return _reports().validate_json(line)


class Lines:
    """Cuts a stream of bytes into whole lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Take ``data`` in and return the lines that are complete now."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return lines
