"""Opening the pins: which gpiochip the header is, and the gpiozero factories on top of it.

The number of the header's gpiochip differs between boards and kernels (0, 4, or anything), so it
is found by its label. There is exactly one way to real pins, lgpio, and exactly one way to
simulated ones: when the one that was asked for cannot be opened, that is an error with its cause.
gpiozero's own search for a working back end is never used.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

from hw.pin_sources import ChipError, Pins
from hw.runtime_dir import RuntimeDirectoryError, lgpio_directory

# Raspberry Pi 5 and Compute Module 5; Pi 4; every Pi before it, and the Zeros.
HEADER_LABELS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
# Older ones debounce wrongly and mix clocks; a package index may also hand out an empty 0.0.0.2.
LGPIO_AT_LEAST: Final = (0, 2, 2)
_CHIP_NAME: Final = re.compile(r"gpiochip([0-9]+)")


class LabelReader(Protocol):
    """Tells the label of ``/dev/gpiochipN`` by its number; raises OSError when it cannot."""

    def __call__(self, number: int) -> str: ...


def find_chip(labels: tuple[str, ...], devices: Path, label_of: LabelReader) -> int:
    """The number of the one gpiochip with one of these labels.

    A link to another chip (``gpiochip4 -> gpiochip0`` on some systems) counts as that chip.

    :raises ChipError: no such chip, more than one, or none that may be opened.
    """
    found: dict[int, str] = {}
    seen: list[str] = []
    for number in _chip_numbers(devices):
        try:
            label = label_of(number)
        except OSError as error:
            seen.append(f"gpiochip{number} not readable ({error})")
            continue
        seen.append(f"gpiochip{number} [{label}]")
        if label in labels:
            found[number] = label
    if len(found) == 1:
        return next(iter(found))
    wanted = " or ".join(labels)
    if not found:
        raise ChipError(
            f"no gpiochip labelled {wanted} under {devices}; seen: {', '.join(seen) or 'none'}. "
            "Run on a Raspberry Pi, as a user of the group gpio; gpiodetect lists the chips"
        )
    raise ChipError(
        f"more than one gpiochip is labelled {wanted}: {', '.join(seen)}; unplug all but one"
    )


def _chip_numbers(devices: Path) -> list[int]:
    numbers = set()
    for entry in devices.iterdir() if devices.is_dir() else ():
        match = _CHIP_NAME.fullmatch(entry.resolve().name)
        if match and _CHIP_NAME.fullmatch(entry.name):
            numbers.add(int(match[1]))
    return sorted(numbers)


def load_lgpio() -> ModuleType:
    """Imports lgpio in a private directory and asserts its version.

    :raises ChipError: lgpio is missing, a placeholder, or older than 0.2.2, or has no directory.
    """
    cure = "install python3-lgpio (Raspberry Pi OS) or lgpio 0.2.2 or later"
    try:
        with lgpio_directory():
            lgpio = importlib.import_module("lgpio")
    except RuntimeDirectoryError as error:
        raise ChipError(str(error)) from error
    except (ImportError, OSError) as error:
        raise ChipError(f"lgpio cannot be imported ({error}); {cure}") from error
    number = getattr(lgpio, "LGPIO_PY_VERSION", 0)
    version = (number >> 24, number >> 16 & 0xFF, number >> 8 & 0xFF)
    if version < LGPIO_AT_LEAST:
        raise ChipError(f"lgpio {'.'.join(map(str, version))} is too old; {cure}")
    return lgpio


def lgpio_label(lgpio: ModuleType) -> LabelReader:
    """Reads labels through lgpio itself, so that what is found is what will be opened."""

    def label_of(number: int) -> str:
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error as error:
            raise OSError(str(error)) from error
        try:
            return str(lgpio.gpio_get_chip_info(handle)[3])
        finally:
            lgpio.gpiochip_close(handle)

    return label_of


def open_pins(expander_label: str | None = None, devices: Path = Path("/dev")) -> Pins:
    """Opens the real pins through lgpio.

    :param expander_label: label of the expander's gpiochip, ``PanelSettings.expander_label``.
    :raises ChipError: lgpio or a chip is missing; the message names the cause and the cure.
    """
    lgpio = load_lgpio()
    label_of = lgpio_label(lgpio)
    header_chip = find_chip(HEADER_LABELS, devices, label_of)
    expander_chip = None
    if expander_label is not None:
        expander_chip = find_chip((expander_label,), devices, label_of)
    # Imported here since it imports lgpio, which only load_lgpio() may do first.
    from hw.lgpio_pins import open_lgpio_pins

    return open_lgpio_pins(header_chip, expander_chip)
