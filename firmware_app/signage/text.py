"""The sign's texts in the languages of a table, read from ``messages/<language>.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from firmware_app.signage.settings import Language
from firmware_app.signage.words import Say

LANGUAGES: tuple[Language, ...] = ("en", "es", "zh")


@cache
def messages(language: Language) -> Mapping[str, str]:
    """Return every message of ``language`` by its key."""
    folder = resources.files("firmware_app.signage") / "messages"
    table = tomllib.loads((folder / f"{language}.toml").read_text("utf-8"))
    return {key: str(text) for key, text in table.items()}


class Texts:
    """Messages in one or two languages at once, in the order in which a venue names them."""

    def __init__(self, languages: tuple[Language, ...]) -> None:
        self.languages = languages
        self._tables = tuple(messages(language) for language in languages)

    def all(self, words: Say) -> tuple[str, ...]:
        """Return ``words`` once in each language; equal texts are said once."""
        return tuple(dict.fromkeys(_fill(table, words) for table in self._tables))

    def first(self, words: Say) -> str:
        """Return ``words`` in the first language."""
        return _fill(self._tables[0], words)

    def second(self, words: Say) -> str | None:
        """Return ``words`` in the second language, None where it says the same."""
        said = self.all(words)
        return said[1] if len(said) > 1 else None


def _fill(table: Mapping[str, str], words: Say) -> str:
    values = {
        name: table[value[1:]] if value.startswith("@") else value for name, value in words.values
    }
    return table[words.key].format_map(values)
