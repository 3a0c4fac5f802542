"""Eleven methods ranked at k = 3, as document 003 ranks them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from experiments.document import Cell, table
from experiments.files import FILES, SPOKEN, Matrix
from experiments.printed.kckw import NAMES, STARTS, SUMS
from experiments.printed.kckw import TABLE_1 as RANKS
from tacita.core import RunContext

from .losses import Loss, one_loss

BY_CHANCE = ("kc", "kckw")
# Losses that agree to this share a rank.
_AGREE = 1e-3

Ranks = dict[str, dict[str, int]]


def compared(data: Mapping[str, Matrix], known: Sequence[Loss], run: RunContext) -> Iterator[Loss]:
    """Losses at k = 3; those of KC and KCKW are the mean of five random starts."""
    for file, z in data.items():
        by_default = [one for one in known if (one.file, one.k) == (file, 3) and not one.settings]
        yield from (one for one in by_default if one.method in RANKS)
        for name in BY_CHANCE:
            runs = []
            for seed in range(STARTS):
                run.report("KC and KCKW, five starts", seed, STARTS)
                steered = RunContext(seed=seed, should_cancel=run.should_cancel)
                runs.append(one_loss(z, name, file, 3, {}, None, steered))
            mean = sum(one.ours for one in runs) / STARTS
            took = sum(one.seconds for one in runs) / STARTS
            yield Loss(name, file, 3, mean, None, took, round(sum(one.groups for one in runs) / STARTS))


def dense_ranks(losses: Mapping[str, float]) -> dict[str, int]:
    """Ranks from 1 for the least; losses that agree to 0.001 share one, and none is left out after it.

    >>> dense_ranks({"x": 2.0, "y": 1.0, "z": 2.0004, "w": 3.0})
    {'y': 1, 'x': 2, 'z': 2, 'w': 3}
    """
    ranks: dict[str, int] = {}
    rank, since = 0, float("-inf")
    for name, one in sorted(losses.items(), key=lambda each: each[1]):
        if one > since + _AGREE:
            rank, since = rank + 1, one
        ranks[name] = rank
    return ranks


def loss_of(found: Sequence[Loss]) -> dict[tuple[str, str], float]:
    """By method and file; of the methods by chance the mean, which comes last."""
    return {(one.method, one.file): one.ours for one in found}


def ranks_of(found: Sequence[Loss]) -> Ranks:
    """Our ranks on every file, among the methods that the document ranks there."""
    losses = loss_of(found)
    files = dict.fromkeys(file for _, file in losses)
    return {
        file: dense_ranks({name: losses[name, file] for name in RANKS if file in RANKS[name]})
        for file in files
    }


def sums_of(ranks: Ranks) -> dict[str, int]:
    """The sum of ranks of each method that is ranked on all three files; none where a file was not run."""
    if set(ranks) != set(FILES):
        return {}
    return {
        name: sum(by[name] for by in ranks.values())
        for name in RANKS
        if all(name in by for by in ranks.values())
    }


def section(found: Sequence[Loss]) -> str:
    """As the document has it, printed / ours, and our loss; - is what the document did not rank."""
    losses, ranks = loss_of(found), ranks_of(found)
    sums = sums_of(ranks)
    rows: list[list[Cell]] = []
    for method, printed in RANKS.items():
        row: list[Cell] = [NAMES.get(method, method.upper())]
        for file, by in ranks.items():
            own = f"{losses[method, file]:.3f}"
            row.append(f"{printed[file]} / {by[method]} ({own})" if file in printed else f"- ({own})")
        row.append(f"{SUMS.get(method, '-')} / {sums[method]}" if method in SUMS and sums else "-")
        rows.append(row)
    return table(["method", *(SPOKEN[file] for file in ranks), "sum"], rows)


def claims(found: Sequence[Loss]) -> str:
    """A row for each claim that the document makes of the table: whether ours bear it out."""
    losses, ranks = loss_of(found), ranks_of(found)
    rows: list[list[Cell]] = []

    def judge(claim: str, holds: bool | None, ours: str) -> None:
        rows.append([claim, {True: "yes", False: "no", None: "in part"}[holds], ours])

    for file in ("tarragona", "census"):
        if file in ranks:
            first = min(ranks[file], key=lambda name: losses[name, file])
            ahead = [name.upper() for name in ranks[file] if ranks[file][name] < ranks[file]["kckw"]]
            judge(
                f"KCKW loses least on {SPOKEN[file]}",
                first == "kckw",
                f"{losses['kckw', file]:.3f}, rank {ranks[file]['kckw']}"
                + (f"; {', '.join(ahead)} are ahead" if ahead else ""),
            )
    if "eia" in ranks:
        beaten = {name for name in ranks["eia"] if ranks["eia"][name] > ranks["eia"]["kckw"]}
        judge(
            "On EIA KCKW beats NPN-MHM alone (and KC)",
            beaten == {"npn-mhm", "kc"},
            f"rank {ranks['eia']['kckw']}, ahead of {len(beaten)} of {len(ranks['eia']) - 1}",
        )
    poor = {file: ranks[file]["kc"] for file in ("tarragona", "census") if file in ranks}
    last = [rank > len(ranks[file]) / 2 for file, rank in poor.items()]
    judge(
        f"KC does poorly on {' and '.join(SPOKEN[file] for file in poor)}",
        True if all(last) else None if any(last) else False,
        "; ".join(
            f"{SPOKEN[file]} rank {rank} of {max(ranks[file].values())}" for file, rank in poor.items()
        ),
    )
    if "tarragona" in ranks:
        three = {name: losses[name, "tarragona"] for name in ("kckw", "kc", "kward")}
        judge(
            "On Tarragona KCKW beats both KC and Uk-W(MD), which it joins",
            three["kckw"] < min(three["kc"], three["kward"]),
            ", ".join(f"{NAMES.get(name, name.upper())} {loss:.3f}" for name, loss in three.items()),
        )
    against = {file: losses["kckw", file] < losses["mdav-mhm", file] for file in ranks}
    for files, sign in ((("tarragona", "census"), True), (("eia",), False)):
        here = [file for file in files if file in against]
        if here:
            borne = [against[file] == sign for file in here]
            first, second = ("KCKW", "MDAV-MHM") if sign else ("MDAV-MHM", "KCKW")
            judge(
                f"{first} beats {second} on {' and '.join(SPOKEN[file] for file in here)}",
                True if all(borne) else None if any(borne) else False,
                "; ".join(
                    f"{SPOKEN[file]} {losses['kckw', file]:.3f} (KCKW), {losses['mdav-mhm', file]:.3f}"
                    for file in here
                ),
            )
    sums = sums_of(ranks)
    if sums:
        two = {"kckw", "mdav-mhm"}
        least = {name for name in sums if sums[name] == min(sums.values())}
        judge(
            "KCKW and MDAV-MHM have the least sum of ranks, both 7",
            True if least == two else None if least & two else False,
            ", ".join(f"{name.upper()} {sums[name]}" for name in sorted(sums, key=lambda name: sums[name])),
        )
    return table(["claim", "holds in ours", "ours"], rows)


def summary(found: Sequence[Loss]) -> str:
    """How many of the printed ranks ours has, file by file."""
    ranks = ranks_of(found)
    same = {file: sum(RANKS[name][file] == by[name] for name in by) for file, by in ranks.items()}
    said = ", ".join(f"{SPOKEN[file]} {same[file]} of {len(ranks[file])}" for file in ranks)
    return f"Ranks that are the same as printed: {said}."
