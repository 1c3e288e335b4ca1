"""Asking a table that is there, one that is not, and things that only look like one."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fake_floor import FakeFloor

from firmware_app.control.client import Unreachable, ask
from firmware_app.control.desk import Desk
from firmware_app.control.protocol import Bank, Correct, Status
from firmware_app.control.server import ControlServer
from firmware_app.table import facts

NOBODY = 65_534


@contextmanager
def impostor(path: Path, say: Callable[[socket.socket], None]) -> Iterator[None]:
    """Something that listens at ``path``, and does ``say`` to the first program that comes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                say(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield
        thread.join(10)
        assert not thread.is_alive()


@contextmanager
def an_ordinary_user() -> Iterator[None]:
    """Be somebody whom the file system may refuse, also where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_is_asked_reaches_the_table_with_who_asked(tmp_path: Path) -> None:
    floor = FakeFloor()
    server = ControlServer(tmp_path / "control.sock", Desk(floor).answer)
    server.open()
    try:
        bank = Bank(by=" Ms. Ortega ", why="counted twice", cents=50_000_00)
        assert ask(tmp_path / "control.sock", bank).outcome == "done"
        card = Correct.model_validate_json(
            b'{"by": "Ms. Ortega", "why": "x", "position": 0, "was": "10h", "now": "JK"}'
        )
        assert ask(tmp_path / "control.sock", card).outcome == "done"
    finally:
        server.close()
    declared, corrected = floor.asked
    assert declared.fact == facts.BankDeclared(cents=50_000_00, by="Ms. Ortega")
    assert (declared.record.action, declared.record.by, declared.record.why) == (
        "bank",
        "Ms. Ortega",
        "counted twice",
    )
    assert "$50,000" in declared.record.text
    assert (
        declared.record.login
        == subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    )
    assert "10" not in corrected.record.text, "a card stands in the fact, never in the words"
    assert "JK" not in corrected.record.text


@pytest.mark.parametrize("left_over", [False, True])
def test_no_table_is_told_with_what_to_look_at(tmp_path: Path, left_over: bool) -> None:
    path = tmp_path / "control.sock"
    if left_over:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
    with pytest.raises(Unreachable, match=r"no table listens at .*systemctl status fortune-table"):
        ask(path, Status())


def test_a_user_who_may_not_use_the_socket_is_told_whom_to_ask(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    server = ControlServer(path, Desk(FakeFloor()).answer)
    server.open()
    path.chmod(0)
    try:
        with an_ordinary_user(), pytest.raises(Unreachable, match=r"may not use .*group"):
            ask(path, Status())
    finally:
        server.close()


def test_a_table_that_does_not_answer_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    path, asked = tmp_path / "control.sock", threading.Event()
    with impostor(path, lambda _: asked.wait(10) and None):
        with pytest.raises(Unreachable, match=r"no answer in 0\.2 s.*may have been done"):
            ask(path, Status(), patience_s=0.2)
        asked.set()


@pytest.mark.parametrize(
    "answer", [b"\n", b"220 mail ready\r\n", b'{"outcome": "done"}\n', b"\xff\n", b"{" * 99]
)
def test_what_is_no_table_is_not_believed(tmp_path: Path, answer: bytes) -> None:
    path = tmp_path / "control.sock"

    def say(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(answer)

    with impostor(path, say), pytest.raises(Unreachable, match="no table of this software"):
        ask(path, Status())


def test_a_table_that_hangs_up_is_told(tmp_path: Path) -> None:
    path = tmp_path / "control.sock"
    with (
        impostor(path, lambda connection: connection.recv(4096) and None),
        pytest.raises(Unreachable, match="hung up"),
    ):
        ask(path, Status())
