"""``fortune-table sign``: draw any scene of the sign into a picture, without a display."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import click
from pydantic import ValidationError

from firmware_app.signage.samples import Sample, samples
from firmware_app.signage.settings import SIZES, Language, SignSettings, Size, parse_size
from firmware_app.signage.still import save_png, still
from firmware_app.signage.text import LANGUAGES
from firmware_app.signage.theme import ThemeError
from firmware_app.signage.typefaces import FontBook


def _size(_context: click.Context, _option: click.Parameter, text: str) -> Size:
    try:
        return parse_size(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("sign")
@click.option("--list", "list_scenes", is_flag=True, help="List scenes, sizes and languages.")
@click.option("--scene", "name", metavar="NAME", help="The scene to draw; --list names them all.")
@click.option("--size", callback=_size, metavar="WxH", default="1920x1080", show_default=True)
@click.option(
    "--lang",
    "languages",
    multiple=True,
    type=click.Choice(get_args(Language)),
    default=("en",),
    show_default=True,
    help="A language; give it twice for two at once.",
)
@click.option("--two-colour", is_flag=True, help="Cards in red and black instead of four colours.")
@click.option(
    "--theme",
    "theme_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A venue's own colours and logo, a .toml file.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The PNG file to write.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")
def sign(
    list_scenes: bool,
    name: str | None,
    size: Size,
    languages: tuple[Language, ...],
    two_colour: bool,
    theme_file: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Draw a scene of the sign into a PNG file.

    The scenes are samples: rounds made up for the purpose and settled by the rules.
    """
    shown = samples()
    if list_scenes:
        click.echo(_list_as_json(shown) if as_json else _list_as_text(shown))
        return
    if name is None or out is None:
        raise click.UsageError("give --scene NAME and --out FILE.png, or --list")
    if name not in shown:
        raise click.BadParameter(
            f"{name!r} is no scene; write one of {', '.join(shown)}", param_hint="--scene"
        )
    try:
        settings = SignSettings(
            languages=languages, four_colour=not two_colour, theme_file=theme_file
        )
        picture = still(shown[name].scene(), size, settings, FontBook())
    except ValidationError as error:
        raise click.BadParameter(error.errors()[0]["msg"], param_hint="--lang") from error
    except ThemeError as error:
        raise click.BadParameter(str(error), param_hint="--theme") from error
    try:
        save_png(picture, out)
    except OSError as error:
        raise click.BadParameter(str(error), param_hint="--out") from error
    if as_json:
        told = {"scene": name, "file": str(out), "width": size[0], "height": size[1]}
        click.echo(json.dumps({**told, "languages": list(languages)}))
    else:
        click.echo(f"{out}: {name}, {_as_text(size)}, {', '.join(languages)}")


def _list_as_json(shown: Mapping[str, Sample]) -> str:
    scenes = [
        {"scene": name, "kind": sample.scene().kind.value, "rules": sample.profile.name}
        for name, sample in shown.items()
    ]
    sizes = [_as_text(size) for size in SIZES]
    return json.dumps({"scenes": scenes, "sizes": sizes, "languages": LANGUAGES})


def _list_as_text(shown: Mapping[str, Sample]) -> str:
    lines = [
        f"{name:<20} {sample.scene().kind.value:<12} {sample.profile.name}"
        for name, sample in shown.items()
    ]
    lines.append(f"sizes: {', '.join(map(_as_text, SIZES))}, or any other from 480x320 up")
    lines.append(f"languages: {', '.join(LANGUAGES)}")
    return "\n".join(lines)


def _as_text(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
