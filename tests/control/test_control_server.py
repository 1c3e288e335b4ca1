"""The control socket: whom it serves, what it withstands, and how it comes and goes."""

from __future__ import annotations

import logging
import socket
import stat
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_floor import VIEW, FakeFloor, Talker, control_threads, wait_for

from firmware_app.control.client import ask
from firmware_app.control.desk import Desk
from firmware_app.control.protocol import Status
from firmware_app.control.server import ControlError, ControlServer, Limits
from firmware_app.table.supervision import Outcome

STATUS = b'{"action": "status"}\n'
VOID = b'{"action": "void", "by": "Ms. Ortega", "why": "pit call 12"}\n'

Serve = Callable[..., ControlServer]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "control.sock"


@pytest.fixture
def serve(path: Path) -> Iterator[Serve]:
    """Return a starter of servers at ``path``, closed in the end."""
    opened: list[ControlServer] = []

    def make(floor: FakeFloor | None = None, limits: Limits | None = None) -> ControlServer:
        server = ControlServer(path, Desk(floor or FakeFloor()).answer, limits)
        opened.append(server)
        server.open()
        return server

    yield make
    for server in opened:
        server.close()


# --- what comes in ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\n", "no JSON"),
        (b"{\n", "no JSON"),
        (b"\xff\xfe{}\n", "no JSON"),
        (b'{"action": "\xc3\x28"}\n', "no JSON"),
        (b"\0\0\0\0\n", "no JSON"),
        (b"[" * 5_000 + b"\n", "no JSON"),
        (b"[]\n", "is a JSON object"),
        (b'"void"\n', "is a JSON object"),
        (b"null\n", "is a JSON object"),
        (b"{}\n", "action = None is unknown"),
        (b'{"action": "pay-me"}\n', "action = 'pay-me' is unknown"),
        (b'{"action": ["void"]}\n', "is unknown"),
        (b'{"action": {"$ne": 1}}\n', "is unknown"),
        (b'{"action": "void"}\n', "by is missing; add it; why is missing"),
        (b'{"action": "void", "by": "", "why": "x"}\n', "give a text that is not empty"),
        (b'{"action": "void", "by": "  \\t ", "why": "x"}\n', "give a text that is not empty"),
        (b'{"action": "void", "by": "a\\nb", "why": "x"}\n', "printable"),
        (b'{"action": "void", "by": "a", "why": "\\u001b[2J"}\n', "printable"),
        (b'{"action": "void", "by": "a", "why": "\\u202egnp"}\n', "printable"),
        (b'{"action": "void", "by": "Dealer", "why": "x"}\n', "no supervisor"),
        (b'{"action": "void", "by": 7, "why": "x"}\n', 'give a text in "quotes"'),
        (b'{"action": "void", "by": "a", "why": "x", "spot": 1}\n', "spot is no known key"),
        (b'{"action": "dead", "by": "a", "why": "x", "spot": "1"}\n', "give a whole number"),
        (b'{"action": "dead", "by": "a", "why": "x", "spot": true}\n', "give a whole number"),
        (b'{"action": "dead", "by": "a", "why": "x", "spot": 0}\n', "give 1 or more"),
        (b'{"action": "dead", "by": "a", "why": "x", "spot": 8}\n', "give 7 or less"),
        (b'{"action": "bank", "by": "a", "why": "x", "cents": -1}\n', "give 0 or more"),
        (b'{"action": "bank", "by": "a", "why": "x", "cents": 1e400}\n', "cents"),
        (b'{"action": "bank", "by": "a", "why": "x", "cents": NaN}\n', "cents"),
        (b'{"action": "bank", "by": "a", "why": "x", "cents": ' + b"9" * 4_000 + b"}\n", "cents"),
        (b'{"action": "link", "by": "a", "why": "x", "spots": [1]}\n', "spots"),
        (b'{"action": "correct", "by": "a", "why": "x", "position": 1, "was": "1S", '
         b'"now": {"a": 1}}\n', "now: card"),
        (b'{"action": "advance", "by": "a", "why": "x", "phase": "later", "round": 1}\n', "phase"),
        (b'{"action": "void", "by": "' + b"a" * 4_000 + b'", "why": "x"}\n', "by"),
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_logged_and_passed_over(
    serve: Serve, path: Path, caplog: pytest.LogCaptureFixture, line: bytes, words: str
) -> None:
    floor = FakeFloor()
    serve(floor)
    with caplog.at_level(logging.WARNING), Talker(path) as talker:
        talker.send(line)
        reply = talker.reply()
        assert reply["outcome"] == "error"
        assert words in reply["text"]
        assert len(reply["text"]) < 1_500
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"
    assert floor.asked == []
    (logged,) = [record.getMessage() for record in caplog.records]
    assert "sent no request" in logged
    assert logged.isprintable()


def test_a_line_of_a_mebibyte_ends_the_connection(serve: Serve, path: Path) -> None:
    serve()
    with Talker(path) as talker:
        sender = threading.Thread(target=_send_all_or_be_cut_off, args=(talker, b"a" * (1 << 20)))
        sender.start()
        reply = talker.reply()
        assert (reply["outcome"], "8192 bytes" in reply["text"]) == ("error", True)
        assert talker.ended()
        sender.join(10)
        assert not sender.is_alive()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"


def _send_all_or_be_cut_off(talker: Talker, data: bytes) -> None:
    try:
        talker.send(data)
    except OSError:
        return


def test_a_silent_or_dripping_program_is_hung_up_on(serve: Serve, path: Path) -> None:
    serve(limits=Limits(line_s=0.2))
    with Talker(path) as silent, Talker(path) as dripping:
        drip = threading.Event()

        def go_on_dripping() -> None:
            while not drip.wait(0.02):
                _send_all_or_be_cut_off(dripping, b" ")

        dripper = threading.Thread(target=go_on_dripping)
        dripper.start()
        for talker in (silent, dripping):
            assert "no whole line in time" in talker.reply()["text"]
            assert talker.ended()
        drip.set()
        dripper.join(10)


def test_a_program_that_talks_for_ever_is_hung_up_on(serve: Serve, path: Path) -> None:
    serve(limits=Limits(connection_s=0.3))
    with Talker(path) as talker:
        replies = 0
        while True:
            try:
                talker.send(STATUS)
                reply = talker.reply()
            except (OSError, ValueError):
                break
            if reply["outcome"] == "error":
                break
            replies += 1
            assert replies < 1_000_000
        assert replies > 0


def test_a_program_that_does_not_read_its_replies_holds_up_nobody(serve: Serve, path: Path) -> None:
    serve(limits=Limits(line_s=0.5))
    with Talker(path) as deaf, Talker(path) as other:
        sender = threading.Thread(target=_send_all_or_be_cut_off, args=(deaf, STATUS * 20_000))
        sender.start()
        other.send(STATUS)
        assert other.reply()["outcome"] == "done"
        sender.join(10)
        assert not sender.is_alive(), "the deaf one was cut off"


def test_only_a_few_are_served_at_once_and_the_next_when_one_leaves(
    serve: Serve, path: Path
) -> None:
    held, let_go = threading.Event(), threading.Event()

    def hold(_: object) -> Outcome:
        held.set()
        let_go.wait(10)
        return Outcome(VIEW)

    serve(FakeFloor(hold), Limits(connections=2))
    with Talker(path) as first, Talker(path) as second:
        first.send(VOID)
        assert held.wait(10)
        second.send(STATUS)
        assert second.reply()["outcome"] == "done", "one that waits holds up nobody else"
        with Talker(path) as third:
            assert "Too many" in third.reply()["text"]
            assert third.ended()
        second.hang_up()
        let_go.set()
        assert first.reply()["outcome"] == "done"
    wait_for(lambda: len(control_threads()) == 1)
    with Talker(path) as fourth:
        fourth.send(STATUS)
        assert fourth.reply()["outcome"] == "done"


def test_a_program_that_leaves_before_its_reply_costs_nothing(serve: Serve, path: Path) -> None:
    floor = FakeFloor()
    serve(floor, Limits(connections=1))
    talker = Talker(path)
    talker.send(VOID)
    talker.hang_up()
    wait_for(lambda: len(floor.asked) == 1 and len(control_threads()) == 1)
    with Talker(path) as next_one:
        next_one.send(STATUS)
        assert next_one.reply()["outcome"] == "done"


def test_a_line_without_its_end_counts_when_the_program_has_said_all(
    serve: Serve, path: Path
) -> None:
    serve()
    with Talker(path) as talker:
        talker.send(STATUS.strip())
        talker.finish_sending()
        assert talker.reply()["outcome"] == "done"
        assert talker.ended()


def test_several_requests_are_answered_in_order(serve: Serve, path: Path) -> None:
    serve()
    with Talker(path) as talker:
        talker.send(STATUS + b"{\n" + VOID + b'{"action": "meters"}\n')
        outcomes = [talker.reply() for _ in range(4)]
    assert [reply["outcome"] for reply in outcomes] == ["done", "error", "done", "done"]
    assert outcomes[3]["meters"]["lifetime"] == {"rounds.settled": 7}


def test_a_table_that_fails_is_reported_and_asked_again(
    serve: Serve, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> Outcome:
        raise RuntimeError("a secret of the controller")

    serve(FakeFloor(fail))
    with Talker(path) as talker:
        for _ in range(2):
            talker.send(VOID)
            reply = talker.reply()
            assert reply["outcome"] == "error"
            assert "its log says why" in reply["text"]
            assert "secret" not in reply["text"]
    assert "a secret of the controller" in caplog.text


@pytest.mark.parametrize(
    ("user", "login"), [(0, "root"), (65_534, "unknown"), (3_999_999_999, "user 3999999999")]
)
def test_the_user_on_record_is_the_one_that_the_kernel_knows(
    serve: Serve, path: Path, monkeypatch: pytest.MonkeyPatch, user: int, login: str
) -> None:
    """A service with users of its own is told 65534 of every other: that is nobody's name."""
    floor = FakeFloor()
    serve(floor)
    credentials = struct.pack("=iII", 1, user, user)
    monkeypatch.setattr(socket.socket, "getsockopt", lambda *_: credentials)
    with Talker(path) as talker:
        talker.send(VOID)
        talker.reply()
    assert [asked.record.login for asked in floor.asked] == [login]


# --- how it comes and goes -------------------------------------------------------------------


def test_the_socket_is_for_its_user_and_group_alone(serve: Serve, path: Path) -> None:
    serve()
    found = path.lstat().st_mode
    assert stat.S_ISSOCK(found)
    assert stat.S_IMODE(found) == 0o660


def test_a_socket_left_by_a_controller_that_crashed_is_replaced(serve: Serve, path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(path))
        left.listen()
    assert path.exists()
    serve()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"


def test_a_second_controller_is_refused_and_the_first_goes_on(serve: Serve, path: Path) -> None:
    serve()
    with pytest.raises(ControlError, match="another controller listens"):
        serve()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"


def test_a_server_that_was_refused_takes_the_place_once_it_is_free(
    serve: Serve, path: Path
) -> None:
    first = serve()
    second = ControlServer(path, Desk(FakeFloor()).answer)
    with pytest.raises(ControlError):
        second.open()
    first.close()
    second.open()
    second.open()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"
    second.close()
    assert not path.exists()
    second.open()
    assert not path.exists(), "closed is closed"


def test_a_file_that_is_no_socket_is_left_alone(serve: Serve, path: Path) -> None:
    path.write_text("the cashier's list")
    with pytest.raises(ControlError, match="is no socket"):
        serve()
    assert path.read_text() == "the cashier's list"


def test_a_missing_folder_is_named_with_the_cure(tmp_path: Path) -> None:
    server = ControlServer(tmp_path / "nowhere" / "control.sock", Desk(FakeFloor()).answer)
    with pytest.raises(ControlError, match=r"no folder .*nowhere.*RuntimeDirectory="):
        server.open()
    server.close()


def test_a_place_that_cannot_hold_a_socket_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    server = ControlServer(tmp_path / "a file" / "control.sock", Desk(FakeFloor()).answer)
    with pytest.raises(ControlError, match=r"cannot be opened .*set control\.socket"):
        server.open()


def test_a_controller_too_busy_to_answer_is_there_all_the_same(serve: Serve, path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as busy:
        busy.bind(str(path))
        busy.listen(0)
        with Talker(path), pytest.raises(ControlError, match="another controller listens"):
            serve()
        assert path.exists()


def test_a_lack_of_file_handles_passes(
    serve: Serve, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    accept, failures = socket.socket.accept, iter([OSError(24, "Too many open files")])

    def short_of_handles(listener: socket.socket) -> object:
        connection = accept(listener)
        for failure in failures:
            connection[0].close()
            raise failure
        return connection

    monkeypatch.setattr("firmware_app.control.server._BREATH_S", 0.01)
    monkeypatch.setattr(socket.socket, "accept", short_of_handles)
    serve()
    with Talker(path) as lost:
        assert lost.ended()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"
    assert "Too many open files" in caplog.text


def test_an_answer_that_fails_ends_its_own_connection_only(path: Path) -> None:
    def fail(line: bytes, _login: str) -> bytes:
        if line:
            raise RuntimeError("a fault of the desk")
        return b"{}\n"

    server = ControlServer(path, fail)
    server.open()
    try:
        with Talker(path) as unlucky:
            unlucky.send(STATUS)
            assert unlucky.ended()
        with Talker(path) as lucky:
            lucky.send(b"\n")
            assert lucky.reply() == {}
    finally:
        server.close()


def test_closing_takes_the_socket_away_ends_all_talks_and_leaves_no_thread(
    serve: Serve, path: Path
) -> None:
    server = serve()
    with Talker(path) as talker:
        talker.send(STATUS)
        talker.reply()
        server.close()
        assert talker.ended()
    assert not path.exists()
    wait_for(lambda: control_threads() == [])
    server.close()


def test_closing_just_as_programs_come_leaves_nothing_open(serve: Serve, path: Path) -> None:
    for _ in range(100):
        server = serve()
        talkers = [Talker(path) for _ in range(3)]
        server.close()
        for talker in talkers:
            assert talker.ended()
            talker.hang_up()
    wait_for(lambda: control_threads() == [])


def test_closing_leaves_the_socket_of_another_controller(serve: Serve, path: Path) -> None:
    first = serve()
    path.unlink()
    serve()
    first.close()
    with Talker(path) as talker:
        talker.send(STATUS)
        assert talker.reply()["outcome"] == "done"


def test_a_path_longer_than_the_kernel_takes_serves_as_well(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 60) / ("b" * 60)
    folder.mkdir(parents=True)
    path = folder / "control.sock"
    assert len(str(path)) > 108
    server = ControlServer(path, Desk(FakeFloor()).answer)
    server.open()
    try:
        with pytest.raises(OSError, match="too long"):
            Talker(path)
        with pytest.raises(ControlError, match="another controller"):
            ControlServer(path, Desk(FakeFloor()).answer).open()
        assert ask(path, Status()).outcome == "done"
    finally:
        server.close()
    assert not path.exists()
