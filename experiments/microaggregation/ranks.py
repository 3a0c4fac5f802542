"""Eleven methods ranked at k = 3, as document 003 ranks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from experiments.document import Cell, table
from experiments.files import SPOKEN, Matrix
from experiments.printed.kckw import STARTS, SUMS
from experiments.printed.kckw import TABLE_1 as RANKS
from tacita.core import Run

from .losses import Loss, one_loss, ranking

_BY_CHANCE = ("kc", "kckw")


def compared(data: Mapping[str, Matrix], known: Sequence[Loss], run: Run) -> Iterator[Loss]:
    """Losses at k = 3; those of KC and KCKW are the mean of five random starts."""
    for file, z in data.items():
        by_default = [one for one in known if (one.file, one.k) == (file, 3) and not one.settings]
        yield from (one for one in by_default if one.method in RANKS)
        for name in _BY_CHANCE:
            runs = []
            for seed in range(STARTS):
                run.report("KC and KCKW, five starts", seed, STARTS)
                steered = Run(seed=seed, cancelled=run.cancelled)
                runs.append(one_loss(z, name, file, 3, {}, None, steered))
            mean = sum(one.ours for one in runs) / STARTS
            took = sum(one.seconds for one in runs) / STARTS
            yield Loss(name, file, 3, mean, None, took, round(sum(one.groups for one in runs) / STARTS))


def section(found: Sequence[Loss]) -> str:
    """Our loss, our rank and the printed rank for each file; the sums of ranks."""
    files = list(dict.fromkeys(one.file for one in found))
    latest = {(one.method, one.file): one for one in found}
    ranks = {file: ranking([one for (_, at), one in latest.items() if at == file]) for file in files}
    rows: list[list[Cell]] = []
    for method, printed in RANKS.items():
        row: list[Cell] = [f"{method}, mean of {STARTS}" if method in _BY_CHANCE else method]
        for file in files:
            shown = f", printed {printed[file]}" if file in printed else ""
            row.append(f"{latest[method, file].ours:.3f}: rank {ranks[file][method]}{shown}")
        row.append(sum(ranks[file][method] for file in files))
        row.append(SUMS.get(method))
        rows.append(row)
    head = ["method", *(SPOKEN[file] for file in files), "sum of our ranks", "printed sum"]
    return table(head, rows)


def summary(found: Sequence[Loss]) -> str:
    """KCKW against MDAV, file by file."""
    latest = {(one.method, one.file): one.ours for one in found}
    told = []
    for file in dict.fromkeys(one.file for one in found):
        ours, theirs = latest["kckw", file], latest["mdav", file]
        told.append(f"{SPOKEN[file]} {ours:.3f} against {theirs:.3f}")
    return f"KCKW (mean of {STARTS} starts) against MDAV: {'; '.join(told)}."
