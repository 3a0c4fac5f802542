"""All words of the page, by language: one file each, the same keys in all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

from tacita.core.display.number_format import SPACED, NumberStyle

LANGUAGES = {"en": "English", "pt": "Português", "ca": "Català", "zh": "中文"}

# Those that write a decimal comma.
WITH_COMMA = frozenset(("pt", "ca"))


def number_style(language: str) -> NumberStyle:
    """How a language writes figures."""
    return replace(SPACED, decimal=",") if language in WITH_COMMA else SPACED


class Texts:
    """Words by language and key."""

    def __init__(self, words: Mapping[str, Mapping[str, str]]) -> None:
        self.words = words

    @classmethod
    def load(cls) -> Texts:
        """Those of the package."""
        folder = files("tacita.app") / "texts"
        return cls({name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in LANGUAGES})

    def say(self, language: str, key: str, **values: object) -> str:
        """One text, with its values in place.

        >>> Texts({"en": {"hello": "{count} records"}}).say("en", "hello", count=3)
        '3 records'
        """
        text = self.words[language][key]
        return text.format(**values) if values else text

    def known(self, language: str, key: str, fallback: str) -> str:
        """The same, or a fallback: for what comes from elsewhere, such as the stages of methods."""
        return self.words[language].get(key, fallback)

    def preferred(self, accepted: str) -> str:
        """The first language of a browser's list that there is, or English.

        >>> Texts({}).preferred("pt-BR,pt;q=0.9,en;q=0.8"), Texts({}).preferred("de")
        ('pt', 'en')
        """
        for part in accepted.split(","):
            name = part.partition(";")[0].strip()[:2].lower()
            if name in LANGUAGES:
                return name
        return "en"
