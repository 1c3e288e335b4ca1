"""The reader's configuration: what is refused, what is advised, and what the presets fill in."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hw.reader.presets import PRESETS
from hw.reader.settings import LineSettings, ReaderSettings


def refused(**settings: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        ReaderSettings.model_validate(settings)
    return str(caught.value)


def line(**settings: Any) -> dict[str, Any]:
    return {"url": "/dev/shoe", "protocol": "line", "line": settings}


@pytest.mark.parametrize(
    "url",
    [
        "/dev/fortune-reader",
        "/dev/serial/by-id/usb-FTDI_FT232R_A50285BI-if00-port0",
        "/dev/serial0",
        "socket://127.0.0.1:4001",
        "rfc2217://127.0.0.1:4001",
        "spy:///dev/fortune-reader?file=/run/reader.log",
    ],
)
def test_url_that_keeps_its_meaning_needs_no_advice(url: str) -> None:
    assert ReaderSettings(url=url).advice() == ()


@pytest.mark.parametrize("url", ["/dev/ttyUSB0", "/dev/ttyUSB12", "/dev/ttyACM1"])
def test_name_that_the_kernel_numbers_is_advised_against(url: str) -> None:
    (advice,) = ReaderSettings(url=url).advice()
    assert url in advice
    assert "/dev/serial/by-id" in advice


def test_loop_is_advised_against() -> None:
    (advice,) = ReaderSettings(url="loop://").advice()
    assert "loop://" in advice


def test_line_without_a_code_for_the_joker_is_advised_against() -> None:
    (advice,) = ReaderSettings.model_validate(line(preset="bee-tek")).advice()
    assert "line.joker_code is not set" in advice
    assert ReaderSettings.model_validate(line(preset="bee-tek", joker_code="ZZ")).advice() == ()
    mapped = line(preset="scanner", codes={"53": "jk"})
    assert ReaderSettings.model_validate(mapped).advice() == ()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"url": "COM3"}, "'COM3' is neither an absolute path nor a URL"),
        ({"url": "sokcet://x:1"}, "scheme is not one of socket, rfc2217"),
        ({"url": "/dev/r", "baud": 0}, "baud"),
        ({"url": "/dev/r", "baud": "9600"}, "baud"),
        ({"url": "/dev/r", "beat_limit_ms": 2_000}, "beat_limit_ms"),
        ({"url": "/dev/r", "buad": 9600}, "buad"),
        ({"url": "/dev/r", "protocol": "line"}, "line is missing"),
        ({"url": "/dev/r", "line": {"preset": "scanner"}}, 'set protocol = "line"'),
        (line(), "neither preset nor card is set; name a preset (bee-tek, scanner)"),
        (line(preset="beetek"), "preset"),
        (line(card="(?P<code>"), "is no regular expression"),
        (line(card=r"\S+"), "lacks the group code"),
        (line(preset="bee-tek", alarm="E3"), "lacks the group detail"),
        (line(preset="bee-tek", unread="["), "is no regular expression"),
        (
            line(preset="scanner", codes={"17": "1S"}),
            "code '17': expected a card such as AS, 10H or JK, got '1S'",
        ),
        (line(preset="scanner", positions=[]), "positions"),
        (line(preset="scanner", positions=[1, 2, 1]), "list each place once"),
        (line(preset="scanner", positions=[9]), "positions"),
        (
            line(preset="scanner", positions=list(range(8))),
            "need 56 cards, more than the deck's 53",
        ),
        (line(preset="scanner", packet_size=8), "packet_size"),
        (line(preset="scanner", order="clockwise"), "order"),
    ],
)
def test_mistake_is_refused_by_name(settings: dict[str, Any], says: str) -> None:
    assert says in refused(**settings)


def test_line_speed_is_what_the_device_uses_unless_it_is_set() -> None:
    assert ReaderSettings(url="/dev/r").line_speed_baud == 115_200
    assert ReaderSettings(url="/dev/r", baud=9_600).line_speed_baud == 9_600
    assert ReaderSettings.model_validate(line(preset="bee-tek")).line_speed_baud == 9_600
    faster = line(preset="bee-tek") | {"baud": 19_200}
    assert ReaderSettings.model_validate(faster).line_speed_baud == 19_200


def test_single_values_override_the_preset() -> None:
    own = LineSettings(preset="bee-tek", card=r"<(?P<code>\w+)>").format()
    preset = PRESETS["bee-tek"]
    assert own.card == r"<(?P<code>\w+)>"
    assert (own.record_end, own.unread, own.alarm) == (
        preset.record_end,
        preset.unread,
        preset.alarm,
    )


def test_device_without_a_preset_is_described_by_its_card_alone() -> None:
    assert LineSettings(card=r"C(?P<code>\w+)", record_end=";").format().record_end == ";"
