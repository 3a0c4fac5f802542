"""Releases to report on, with values planted in the source that no page may show."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

import tacita
from seeds import SEED
from tacita.core import Release

PLANTED_TURNOVER = 987654321.125
PLANTED_STAFF = 424243
PLANTED_NAME = "Quixotic Holdings"
PLANTED_REMARK = "remark that names nobody twice"
PLANTED_DEBT = 73737373


def planted_frame(n: int = 120) -> pa.Table:
    """Firms with a giant among them; turnover of the last three is missing."""
    rng = np.random.default_rng(20)
    turnover = np.round(rng.lognormal(8, 1.2, n), 3)
    staff = rng.integers(1, 300, n)
    debt = rng.integers(100_000, 9_000_000, n)
    turnover[7], staff[7], debt[7] = PLANTED_TURNOVER, PLANTED_STAFF, PLANTED_DEBT
    return pa.table(
        {
            "firm_name": [PLANTED_NAME if i == 7 else f"Firm number {i}" for i in range(n)],
            "tax_number": [f"TX{900000 + i}" for i in range(n)],
            "region": ["north" if i % 2 else "south" for i in range(n)],
            "turnover": pa.array(turnover, mask=np.arange(n) >= n - 3),
            "staff": staff,
            "fixed": [555_444] * n,
            "debt": debt,
            "remark": [PLANTED_REMARK if i == 7 else "" for i in range(n)],
        }
    )


@pytest.fixture(scope="session")
def release() -> Release:
    """The planted firms, protected with everything that has to be told or kept: drops, strata, a seed."""
    return tacita.protect(
        planted_frame(),
        quasi=["turnover", "staff", "fixed"],
        identifiers=["firm_name", "tax_number"],
        confidential=["debt"],
        strata=["region"],
        k=4,
        missing="drop",
        shuffle=True,
        seed=SEED,
    )


class Page(HTMLParser):
    """The tags, attributes and visible words of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.styles: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in ("meta", "rect", "line", "path"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "line", "path"):
            assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        (self.styles if self._open[-1:] == ["style"] else self.words).append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="session")
def page() -> type[Page]:
    return Page


@pytest.fixture(scope="session")
def planted() -> list[str]:
    """Every spelling in which a planted value could slip through."""
    return [
        "987654321",
        "987,654,321",
        "987654321.125",
        "424243",
        "424,243",
        "73737373",
        "73,737,373",
        "555444",
        "555,444",
        PLANTED_NAME,
        "Firm number",
        "TX9000",
        PLANTED_REMARK,
    ]
