"""The hardware test on a terminal: a row per spot, the table's buttons, the reader's sentences."""

from __future__ import annotations

from typing import Final

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from firmware_app.diagnosis.record import LineRecord, Record
from hw.lines import TABLE_LINES, spot_line
from hw.reader.statistics import ReaderStatistics

LEGEND: Final = "input: level, edges seen (bounces too), time since the last one"
KEYS_HINT: Final = "1-7 lamp   l walk through the lamps   0 all dark   q end"
_NS_PER_S: Final = 1_000_000_000
_MINUTE_S: Final = 60
_INPUT_ROLES: Final = ("bet", "envy", "main")


def screen(
    record: Record, reader: ReaderStatistics, now_ns: int, notes: tuple[str, ...] = ()
) -> RenderableType:
    """Return one picture of the test. ``now_ns`` is monotonic, as all times of the record."""
    parts: list[RenderableType] = [_spots(record, now_ns), _table_lines(record, now_ns)]
    parts += [Text(note, "bold red") for note in notes]
    parts += [_reader(record, reader), Text(LEGEND, "dim"), Text(KEYS_HINT, "dim")]
    return Group(*parts)


def _spots(record: Record, now_ns: int) -> Table:
    roles = [role for role in _INPUT_ROLES if any(name.endswith(role) for name in record.lines)]
    table = Table("spot", *roles, "lamp", box=None, pad_edge=False)
    spots = {name.partition(".")[0] for name in record.lines if "." in name}
    spots |= {f"spot{spot}" for spot in record.lamps}
    for number in sorted(int(spot.removeprefix("spot")) for spot in spots):
        cells = [
            _cell(record.lines.get(spot_line(number, role)), now_ns)
            for role in _INPUT_ROLES
            if role in roles
        ]
        table.add_row(str(number), *cells, _lamp(record.lamps.get(number)))
    return table


def _table_lines(record: Record, now_ns: int) -> Table:
    wired = [name for name in TABLE_LINES if name in record.lines]
    table = Table(*wired, box=None, pad_edge=False)
    table.add_row(*(_cell(record.lines[name], now_ns) for name in wired))
    return table


def _cell(line: LineRecord | None, now_ns: int) -> Text:
    """Return level, edges and time since the last one: ``● ON   12  3.4 s``."""
    if line is None:
        return Text("-", "dim")
    if line.active is None:
        return Text("unread", "bold red")
    word, style = ("● ON ", "bold green") if line.active else ("○ off", "")
    since = "" if line.moved_ns is None else _age(now_ns - line.moved_ns)
    text = f"{word} {line.edges:>4} {since:>6}"
    if line.pulses:
        text += f" {line.pulses} pulses"
    return Text(f"{text} STUCK", "bold red") if line.stuck else Text(text, style)


def _lamp(lit: bool | None) -> Text:
    if lit is None:
        return Text("-", "dim")
    return Text("☀ LIT", "bold yellow") if lit else Text("dark")


def _age(age_ns: int) -> str:
    age_s = max(0, age_ns) / _NS_PER_S
    if age_s < 10:
        return f"{age_s:.1f} s"
    return f"{age_s:.0f} s" if age_s < 10 * _MINUTE_S else f"{age_s / _MINUTE_S:.0f} m"


def _reader(record: Record, reader: ReaderStatistics) -> Panel:
    counted = (
        f"{reader.sentences} good, {reader.repeats} repeated, {reader.bad_sentences} damaged, "
        f"{reader.refused} refused, {reader.gaps} gaps"
    )
    room = record.sentences.maxlen or 0
    rows = [*record.sentences, *[""] * (room - len(record.sentences))]
    # Texts, not markup: a shoe's record comes in square brackets. One row each, so that the
    # picture keeps its height.
    body = Text("\n".join(rows), no_wrap=True, overflow="ellipsis")
    return Panel(body, title=Text(f"reader {reader.status}: {counted}"), title_align="left")
