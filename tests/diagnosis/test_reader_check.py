"""The reader's port and the reader on it: listened to, never answered."""

from __future__ import annotations

import queue
from pathlib import Path

from firmware_app.diagnosis.finding import Finding
from firmware_app.diagnosis.reader_check import check_reader
from hw.reader.link import ReaderLink
from hw.reader.port import open_port
from hw.reader.settings import ReaderSettings
from hw.signals import HandRead, ReaderSignal
from hw.sim.reader import SimReader
from hw.sim.reader_device import ReaderFaults
from hw.sim.shoe import SimShoe

HAND = ("AS", "KS", "QS", "JS", "10S", "JK", "2D")


def found_by(settings: ReaderSettings, **limits: float) -> dict[str, Finding]:
    return {finding.check: finding for finding in check_reader(settings, **limits)}


def test_a_reader_that_speaks_is_heard(reader: SimReader) -> None:
    reader.hello()

    found = found_by(ReaderSettings(url=reader.path))

    assert found["reader-port"].status == "ok"
    assert "115200 baud" in found["reader-port"].detail
    assert found["reader"].status == "ok"
    assert "heard HELLO" in found["reader"].detail or "heard BEAT" in found["reader"].detail


def test_a_hand_that_the_check_hears_still_reaches_the_table(reader: SimReader) -> None:
    reader.hand(3, HAND)
    assert found_by(ReaderSettings(url=reader.path))["reader"].status == "ok"

    signals: queue.SimpleQueue[ReaderSignal] = queue.SimpleQueue()
    link = ReaderLink(ReaderSettings(url=reader.path), signals.put)
    link.start()
    try:
        while not isinstance(signal := signals.get(timeout=10), HandRead):
            pass
    finally:
        assert link.stop()
    assert (signal.position, signal.cards) == (3, HAND)


def test_a_silent_reader_fails_after_its_beat_limit(reader: SimReader) -> None:
    reader.set_faults(ReaderFaults(silent=True))

    heard = found_by(ReaderSettings(url=reader.path, beat_limit_ms=2_500))["reader"]

    assert heard.status == "failed"
    assert "not heard in 2.5 s" in heard.detail
    assert "has power" in heard.cure


def test_a_reader_that_may_be_silent_for_longer_than_the_check_listens_is_a_warning(
    reader: SimReader,
) -> None:
    reader.set_faults(ReaderFaults(silent=True))
    settings = ReaderSettings(url=reader.path, beat_limit_ms=60_000)

    heard = found_by(settings, listen_at_most_s=0.3)["reader"]

    assert heard.status == "warning"
    assert "it may be silent for 60 s" in heard.detail


def test_bytes_that_make_no_sentence_point_to_the_line_speed(reader: SimReader) -> None:
    reader.set_faults(ReaderFaults(wrong_speed=True))

    heard = found_by(ReaderSettings(url=reader.path), listen_at_most_s=0.9)["reader"]

    assert heard.status == "failed"
    assert "no sentence among them" in heard.detail
    assert "reader.baud" in heard.cure


def test_a_missing_port_is_told_with_what_is_connected(tmp_path: Path) -> None:
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    (by_id / "usb-FTDI_Reader-if00-port0").touch()
    settings = ReaderSettings(url=str(tmp_path / "fortune-reader"))

    assert list(check_reader(settings, by_id=by_id)) == [
        Finding(
            "reader-port",
            "failed",
            f"{tmp_path}/fortune-reader is not there",
            "plug the reader in, or correct reader.url; connected now: "
            f"{by_id}/usb-FTDI_Reader-if00-port0",
        )
    ]


def test_a_port_that_another_program_holds_is_told_so(reader: SimReader) -> None:
    settings = ReaderSettings(url=reader.path)
    holder = open_port(settings)
    try:
        found = found_by(settings)
    finally:
        holder.close()

    assert found["reader-port"].status == "failed"
    assert "in use by another program" in found["reader-port"].detail
    assert f"fuser -v {reader.path}" in found["reader-port"].cure


def test_the_port_is_given_back(reader: SimReader) -> None:
    settings = ReaderSettings(url=reader.path)
    list(check_reader(settings))
    open_port(settings).close()


def test_a_number_of_the_kernel_is_advised_against() -> None:
    found = found_by(ReaderSettings(url="/dev/ttyUSB97"))

    assert found["reader-settings"].status == "warning"
    assert "/dev/serial/by-id" in found["reader-settings"].cure


def test_a_shoe_that_only_prints_cards_cannot_be_heard_at_rest() -> None:
    with SimShoe("bee-tek") as shoe:
        settings = ReaderSettings.model_validate(
            {
                "url": shoe.path,
                "protocol": "line",
                "line": {"preset": "bee-tek", "joker_code": "JK"},
            }
        )
        found = found_by(settings)

    assert found["reader-port"].status == "ok"
    assert "9600 baud" in found["reader-port"].detail
    assert found["reader"].status == "unsupported"
    assert "hw-test" in found["reader"].cure
