"""Hand-by-hand commands: one hand as arguments, or one a line on standard input."""

import sys

import click
import pytest
from click.testing import CliRunner

from firmware_app.cards import HandError, hand_text
from firmware_app.commands.streams import run_stream

GOOD = "AS KH JD 9C 7S 4H 2D"
OTHER = "JK QD TS 8H 7C 4D 2S"


@pytest.fixture
def run():
    @click.command()
    @click.argument("cards", nargs=-1)
    def command(cards):
        sys.exit(run_stream(cards, 7, lambda hand: f"<{hand_text(hand)}>"))

    def run(*arguments, stdin=""):
        return CliRunner().invoke(command, arguments, input=stdin)

    return run


@pytest.mark.parametrize("arguments", [GOOD.split(), [GOOD], [GOOD.lower().replace(" ", ",")]])
def test_one_hand_as_arguments_is_answered_without_reading_the_stream(run, arguments):
    result = run(*arguments, stdin=OTHER)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"<{GOOD}>\n", "")


def test_a_bad_hand_as_arguments_is_one_error(run):
    result = run("AS", "KH", "1D")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: card '1D' is unknown; write rank")


def test_every_line_is_answered_in_order(run):
    result = run(stdin=f"{GOOD}\n{OTHER}\n{GOOD}")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [f"<{GOOD}>", f"<{OTHER}>", f"<{GOOD}>"]


def test_an_empty_stream_and_blank_lines_are_no_fault(run):
    assert run(stdin="").exit_code == 0
    result = run(stdin=f"\n  \r\n{GOOD}\r\n\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"<{GOOD}>\n", "")


def test_bad_lines_are_named_by_number_and_counted_and_the_rest_is_answered(run):
    lines = [GOOD, "", "AS KH", OTHER, "AS AS JD 9C 7S 4H 2D", "AS KH JD 9C 7S 4H 2X"]
    result = run(stdin="\n".join(lines))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [f"<{GOOD}>", f"<{OTHER}>"]
    short, twice, unknown, count = result.stderr.splitlines()
    assert short == "line 3: a hand has 7 cards, not 2"
    assert twice == "line 5: card AS is in the hand twice"
    assert unknown.startswith("line 6: card '2X' is unknown")
    assert count == "3 of 5 hands could not be read"


def test_bytes_that_are_no_text_are_one_bad_line(run):
    result = run(stdin=b"\xff\xfe\x00\x80\n" + GOOD.encode())
    assert result.exit_code == 1
    assert result.stdout == f"<{GOOD}>\n"
    assert result.stderr.startswith("line 1: card ")


def test_a_hand_that_the_answer_refuses_is_a_bad_line():
    @click.command()
    def command():
        def refuse(hand):
            raise HandError("no such hand here")

        sys.exit(run_stream((), 7, refuse))

    result = CliRunner().invoke(command, input=GOOD)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == "line 1: no such hand here"
