"""Settings of the panel: the ``[panel]`` section of a table's configuration, validated.

Unknown keys are refused, and every fault of the wiring is reported at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
)

from hw.lines import MAX_SPOTS, line_names, role_of, spot_line
from hw.pins import FIXED_PULL_UP_GPIO, PinRef
from hw.wiring import resolve_wiring

Pull: TypeAlias = Literal["up", "down"]
Level: TypeAlias = Literal["low", "high"]
# Below 10 ms a 5 ms spike from a motor or a lamp could pass for a press.
DebounceMs: TypeAlias = Annotated[int, Field(ge=10, le=250, strict=True)]


def _limit(value: object) -> object:
    seconds = isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= 3600
    if seconds or value == "never":
        return value
    raise ValueError(f'{value!r} is no limit; give seconds from 1 to 3600, or "never"')


StuckAfter: TypeAlias = Annotated[float | Literal["never"], BeforeValidator(_limit)]


class WiringError(ValueError):
    """A panel that cannot be wired as configured. ``faults`` holds one readable line per fault."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(faults))


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class InputSettings(_Model):
    """How the lines of one kind are wired and believed.

    ``pull`` is the resistor that holds an open line. ``active`` is the level of a bet that lies
    there or a button that is held; left out, it is the level opposite to the pull, which is a
    normally-open contact. A normally-closed contact has both the same.
    ``stuck_after_s`` is how long a line may stay active before it is reported as stuck.
    """

    pull: Pull = "up"
    active: Level | None = None
    debounce_ms: DebounceMs = 30
    stuck_after_s: StuckAfter = "never"

    @property
    def active_high(self) -> bool:
        """Whether the active level is high."""
        if self.active is None:
            return self.pull == "down"
        return self.active == "high"


class LampSettings(_Model):
    """The envy lamps. ``active`` is the pin level that lights a lamp."""

    active: Level = "high"


@dataclass(frozen=True, slots=True)
class InputLine:
    """One wired input line, with everything that a panel and a debouncer need of it."""

    name: str
    pin: PinRef
    pull: Pull
    active_high: bool
    debounce_ms: int
    stuck_after_s: float | None


class PanelSettings(_Model):
    """Sensors, buttons and lamps of one table.

    ``pins`` names the lines that are wired otherwise than by default: ``"spot1.bet" = "GPIO17"``,
    ``"spot1.main" = "expander:0"``, ``"spot7.lamp" = "none"``. ``expander_label`` is the label of
    the expander's gpiochip as the kernel shows it (``gpiodetect`` prints it).

    The dealer's buttons are stuck after half a minute. Bets lie as long as they like, and so does
    an envy button that latches or a marker that is placed; for momentary envy buttons set
    ``envy.stuck_after_s = 30``.
    """

    spots: Annotated[int, Field(ge=1, le=MAX_SPOTS, strict=True)] = MAX_SPOTS
    bet: InputSettings = InputSettings()
    main: InputSettings = InputSettings()
    envy: InputSettings = InputSettings()
    button: InputSettings = InputSettings(stuck_after_s=30)
    shuffler_fault: InputSettings = InputSettings()
    lamp: LampSettings = LampSettings()
    expander_label: Annotated[str, Field(min_length=1)] | None = None
    pins: dict[str, Any] = Field(default_factory=dict, validate_default=True)

    _wiring: dict[str, PinRef] = PrivateAttr(default_factory=dict)

    @field_validator("pins")
    @classmethod
    def _can_be_wired(cls, pins: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        # A validator of this field, not of the whole model: faults of the wiring are then shown
        # together with the faults of other keys, not one run later.
        wiring, faults = resolve_wiring(info.data.get("spots", MAX_SPOTS), pins)
        faults += tuple(_misplaced(wiring, info.data))
        if faults:
            raise WiringError(faults)
        return pins

    def model_post_init(self, _context: object) -> None:
        wiring, _ = resolve_wiring(self.spots, self.pins)
        self._wiring.update(wiring)

    @property
    def wiring(self) -> Mapping[str, PinRef]:
        """The pin of every wired line, lamps included."""
        return MappingProxyType(self._wiring)

    @property
    def inputs(self) -> tuple[InputLine, ...]:
        """Every wired input, by spot and then the lines of the whole table."""
        return tuple(
            self._input_line(line, self._wiring[line])
            for line in line_names(self.spots)
            if line in self._wiring and role_of(line) != "lamp"
        )

    @property
    def lamps(self) -> Mapping[int, PinRef]:
        """The pin of each spot's lamp, for the spots that have one."""
        names = {spot: spot_line(spot, "lamp") for spot in range(1, self.spots + 1)}
        return {spot: self._wiring[n] for spot, n in names.items() if n in self._wiring}

    def _input_line(self, name: str, pin: PinRef) -> InputLine:
        own: InputSettings = getattr(self, _key_of(name))
        stuck_after_s = None if own.stuck_after_s == "never" else own.stuck_after_s
        return InputLine(name, pin, own.pull, own.active_high, own.debounce_ms, stuck_after_s)


def _key_of(line: str) -> str:
    """The settings key that holds for an input line."""
    role = role_of(line)
    if role in ("advance", "void"):
        return "button"
    return role.replace("-", "_")


def _misplaced(wiring: Mapping[str, PinRef], data: Mapping[str, Any]) -> list[str]:
    """Pins that exist and are free, yet cannot do what their line needs.

    ``data`` holds the settings validated so far; a key whose own value was refused is absent.
    """
    faults = []
    for line, pin in wiring.items():
        if pin.chip == "expander" and data.get("expander_label", "refused") is None:
            faults.append(
                f"{line}: {pin} needs panel.expander_label, the label of the expander's "
                "gpiochip (gpiodetect prints it)"
            )
        own = data.get(_key_of(line))
        fixed_up = pin.chip == "header" and pin.number in FIXED_PULL_UP_GPIO
        if fixed_up and isinstance(own, InputSettings) and own.pull == "down":
            faults.append(
                f"{line}: {pin.describe()} has a pull-up resistor on the board and cannot "
                'be pulled down; wire it to another pin or set pull = "up"'
            )
    return faults
