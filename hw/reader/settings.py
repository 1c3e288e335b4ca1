"""The card reader's part of the table's configuration, validated."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from hw.reader.presets import PRESETS, AlarmPattern, CardPattern, LineFormat, Pattern, PresetName
from hw.reader.vocabulary import DECK_CARDS, MAX_HAND_CARDS, MAX_POSITION, FieldError, card_text

NATIVE_BAUD: Final = 115_200

_SCHEMES: Final = ("socket", "rfc2217", "spy", "loop", "alt", "hwgrep", "cp2110")
_KERNEL_NAME: Final = re.compile(r"/dev/tty(USB|ACM)\d+")

_Position = Annotated[int, Field(ge=0, le=MAX_POSITION, strict=True)]
_Baud = Annotated[int, Field(ge=300, le=4_000_000, strict=True)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineSettings(_Model):
    """A shoe or scanner that prints one code per card.

    ``preset`` fills in how the device writes; single values beside it override the preset.
    ``codes`` maps what is printed to a card (``"017" = "AS"``); without it the code is the card's
    own text. ``joker_code`` is what the device prints for the joker. ``positions`` are the places
    in the order of delivery, 0 the house dealer; ``order`` says whether each gets a packet of
    ``packet_size`` cards at once, or one card in turn until it has as many.
    """

    preset: PresetName | None = None
    record_end: Annotated[str, Field(min_length=1, max_length=4)] | None = None
    card: CardPattern | None = None
    unread: Pattern | None = None
    alarm: AlarmPattern | None = None
    ignore: Pattern | None = None
    codes: dict[str, str] = Field(default_factory=dict)
    joker_code: str | None = None
    positions: tuple[_Position, ...] = (1, 2, 3, 4, 5, 6, 0)
    order: Literal["packets", "round-robin"] = "packets"
    packet_size: Annotated[int, Field(ge=1, le=MAX_HAND_CARDS, strict=True)] = MAX_HAND_CARDS

    @field_validator("codes")
    @classmethod
    def _known_cards(cls, codes: dict[str, str]) -> dict[str, str]:
        for code, card in codes.items():
            try:
                card_text(card)
            except FieldError as fault:
                raise ValueError(
                    f"code {code!r}: expected a card such as AS, 10H or JK, got {card!r}"
                ) from fault
        return codes

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.preset is None and self.card is None:
            raise ValueError(
                f"neither preset nor card is set; name a preset ({', '.join(PRESETS)}) "
                "or give the pattern of a card"
            )
        if not self.positions or len(set(self.positions)) != len(self.positions):
            raise ValueError(
                f"positions {list(self.positions)} are empty or name one twice; "
                "list each place once, in the order of delivery"
            )
        cards = len(self.positions) * self.packet_size
        if cards > DECK_CARDS:
            raise ValueError(
                f"{len(self.positions)} positions of {self.packet_size} cards need {cards} cards, "
                f"more than the deck's {DECK_CARDS}; take out a position"
            )
        return self

    def format(self) -> LineFormat:
        """Return how the device writes: the preset with what is overridden."""
        base = {} if self.preset is None else PRESETS[self.preset].model_dump()
        own = self.model_dump(
            include={"record_end", "card", "unread", "alarm", "ignore"}, exclude_none=True
        )
        return LineFormat.model_validate(base | own)


class ReaderSettings(_Model):
    """Where the reader is and what it speaks.

    ``url`` is a device path or any pyserial URL. ``baud`` defaults to what the protocol or preset
    uses. ``beat_limit_ms`` is how long a native reader may be silent before it counts as lost.
    """

    url: str
    protocol: Literal["native", "line"] = "native"
    baud: _Baud | None = None
    beat_limit_ms: Annotated[int, Field(ge=2_500, le=60_000, strict=True)] = 5_000
    line: LineSettings | None = None

    @field_validator("url")
    @classmethod
    def _openable(cls, url: str) -> str:
        scheme, separator, _ = url.partition("://")
        if separator and scheme not in _SCHEMES:
            raise ValueError(f"url {url!r}: scheme is not one of {', '.join(_SCHEMES)}")
        if not separator and not url.startswith("/"):
            raise ValueError(
                f"url {url!r} is neither an absolute path nor a URL; "
                "write /dev/fortune-reader or socket://host:port"
            )
        return url

    @model_validator(mode="after")
    def _one_protocol(self) -> Self:
        if self.protocol == "line" and self.line is None:
            raise ValueError('protocol is "line" but line is missing; add line.preset')
        if self.protocol == "native" and self.line is not None:
            raise ValueError('line is set but protocol is "native"; set protocol = "line"')
        return self

    @property
    def line_speed_baud(self) -> int:
        """Bits per second on the wire."""
        if self.baud is not None:
            return self.baud
        return NATIVE_BAUD if self.line is None else self.line.format().baud

    def advice(self) -> tuple[str, ...]:
        """Return what works and is still likely to fail one day, one line each with its cure."""
        found = []
        if _KERNEL_NAME.fullmatch(self.url):
            found.append(
                f"url {self.url} is a number the kernel gives out anew after each unplugging; "
                "use a name from /dev/serial/by-id, or /dev/fortune-reader from the udev rule"
            )
        if self.url.startswith("loop://"):
            found.append(f"url {self.url} is a loop for tests; name the reader's device")
        if self.line is not None and not self._reads_the_joker(self.line):
            found.append(
                "line.joker_code is not set, so the joker will count as a card that was not read; "
                "set it to what the device prints for the joker"
            )
        return tuple(found)

    @staticmethod
    def _reads_the_joker(line: LineSettings) -> bool:
        return line.joker_code is not None or "JK" in (card.upper() for card in line.codes.values())
