"""What was published of cell suppression with a proof beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from experiments.document import Document
from tacita.core import RunContext

from .beside import sections
from .earlier import answers_of, kept, numbers
from .experiments import Answers, by_row, gather
from .page import page
from .plot import times_and_proofs
from .setting import Setting


def document(
    run: RunContext,
    quick: bool,
    *,
    earlier: Mapping[str, Any] | None = None,
    save: Callable[[Document], None] | None = None,
    **settings: Any,
) -> Document:
    """All experiments, as a page, a figure and numbers.

    Of the settings, `tables` stand behind each row (`source`: as many in all as the slides report), `cap`
    seconds of processor time end a search, tables with a side above `largest` are left out, and `problem`
    names the only one to run. `method` is what suppresses, `zeros` the share of zeros in percent, and
    `margins` says that sums may be suppressed too; without these three, parts by other methods and on other
    tables are run beside. `earlier` are the numbers of a run to go on with, and `save` is handed what there
    is from time to time.
    """
    setting = replace(Setting.usual(quick), **settings)
    before = kept(setting, earlier)
    told = None if save is None else lambda answers: save(_document(setting, answers))
    return _document(setting, gather(setting, run, before, told))


def rendered(numbers: Mapping[str, Any]) -> Document:
    """The page and figure of an earlier run from its numbers."""
    return _document(Setting(**numbers["setting"]), answers_of(numbers))


def _document(setting: Setting, answers: Answers) -> Document:
    found = by_row(setting, answers)
    text = page(setting, found, sections(setting, answers))
    return Document("tables", text, numbers(setting, answers), {"tables.svg": times_and_proofs(found)})
