"""The page that tells what the experiments found."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.document import Cell, table
from tacita._version import __version__

from .experiments import SPLITS, Agreement, Row, SurfacePoint
from .findings import SEEDS, Findings

_READINGS = """\
Our notes of the thesis do not settle how it computes PIL and DR. Several readings of both were tried on the
same runs as those below, and the two that come nearest to print were kept: PIL over pairs of dependent
attributes alone ("PIL, dependent"), and DR without its part of probabilistic record linkage ("DR,
unlinked"). They were chosen after the fact because they fit, so their fit is weak evidence, and no proof that
the thesis computes them. Our own definitions, which the rest of tacita uses, stand beside them: PIL over all
pairs with a dependent attribute, DR = 0.25 (DBRL + PRL) + 0.5 ID_sd, SCORE = (PIL + DR) / 2. No test is
gated on a printed figure."""

_NOT_REPRODUCED = """\
- **Both columns of S1 at once.** Separate memberships come near the printed losses, joint ones near the
  printed risks. A release has one setting: no printed SCORE of FCRM on S1 is reproduced, and ours are all
  higher.
- **FCRM on S2.** Neither setting comes near, in either column or reading: ours lose far less and give far
  more away. In both splits the independent attributes are singular (v5 = v8 + v10), and how the thesis
  inverts is not known. We use a pseudo-inverse. An unstable inverse may explain the printed rows; that is a
  guess, which we cannot test.
- **IPSO-A and IPSO-B of the thesis.** They are equal in print. By our notes A is the bare prediction, and the
  noise of B has variance 1 beside values in the thousands; both stand beside `regression`. Our figures differ
  from print by several points in both columns (in the SCORE of S2 they cancel). Methods A and B as Burridge
  (2003) describes them are `ipso-a` and `ipso-b` here, with noise of the size of the residuals.
- **IPSO-C's figures.** Some points apart in PIL, less in DR. That its SCORE is the best of the thesis's
  methods is reproduced.
- **The five clouds.** The points are not available, ours are made up: only the shape of the curves can be
  compared.
- **S3 for N above 12.** The thesis prints N up to 19; Census has 13 attributes. The notes hold none of its
  figures, so that ours stand alone.
- The text of the thesis gives the least SCORE of S1 as 16.912 at c = 13, its table as 16.536 at c = 12."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the findings or from print."""
    quick = found.quick
    parts = [
        f"# Synthetic data: published figures beside ours{' (a quick part)' if quick else ''}",
        f"Written by `python -m experiments synthetic{' --quick' if quick else ''}`, version {__version__}. "
        "Printed figures are those of a thesis on fuzzy c-regression models (FCRM) for synthetic data, as "
        "our notes quote it. Census, 1080 records, 13 attributes in the order of its file. Less is better in "
        f"every column. Methods that draw: {'one seed' if quick else f'mean of {SEEDS[quick]} seeds'}; FCRM "
        "and regression draw nothing. FCRM runs with m = 1.5, at most 30 rounds, and with its refusals "
        "insisted on, for some of these releases hold many true values (last column: percent of values "
        "within a thousandth of the spread).",
        "## What PIL and DR mean here",
        _READINGS,
    ]
    for split in found.splits:
        parts += [
            f"## {split}: {len(SPLITS[split])} dependent attributes",
            f"Dependent: {', '.join(f'v{j + 1}' for j in SPLITS[split])}; all others independent.",
            splits_section(found.of(split)),
            best(found.of(split)),
            f"![PIL, DR and SCORE against c](synthetic-{split.lower()}.svg)",
        ]
    parts += [
        "## Which column is reproduced under which setting",
        "Largest distance of ours from print over the printed c, and from c = 4 on, in points.",
        agreement_section(found.agreements),
        summary(found.agreements),
        "## What is not reproduced, and why",
        _NOT_REPRODUCED,
        "## The two-dimensional example",
        "Five clouds of 60 points, ours; joint memberships.",
        clouds_section(found.clouds),
        turning_point(found.clouds),
        "![Five clouds, and loss and risk against c](synthetic-clouds.svg)",
        "## S3: one dependent attribute in turn",
        "Each of the 13 attributes dependent in turn, on the first N of the others in the file's order, with "
        "c clusters and joint memberships; the mean SCORE over the attributes (PIL and DR are in the figure "
        "and in the JSON file). Attributes that are a function of the N others are left out: the last column "
        "says how many, so that rows with large N are means over fewer attributes.",
        surface_section(found.surface),
        "![PIL, DR and SCORE by N and c](synthetic-s3.svg)",
    ]
    return "\n\n".join(parts) + "\n"


def splits_section(rows: Sequence[Row]) -> str:
    """One row a method and setting: ours, both readings, and print."""
    lines: list[list[Cell]] = []
    for row in rows:
        pil, risk, score = row.published or (None, None, None)
        setting = row.method if row.c is None else f"{row.method} c = {row.c}, {row.memberships}"
        ours = row.ours
        figures = (ours.pil, ours.pil_dependent, pil, ours.dr, ours.dr_unlinked, risk, ours.score, score)
        lines.append([setting, *(_two(figure) for figure in figures), f"{ours.unchanged:.1f}"])
    head = ["method", "PIL", "PIL, dependent", "printed", "DR", "DR, unlinked", "printed", "SCORE", "printed"]
    return table([*head, "unchanged, %"], lines)


def best(rows: Sequence[Row]) -> str:
    """The least SCORE of ours and of print."""
    ours = min(rows, key=lambda row: row.ours.score)
    theirs = [row for row in rows if row.published]
    printed = min(theirs, key=lambda row: (row.published or (0, 0, 0))[2])
    among = min(theirs, key=lambda row: row.ours.score)
    return (
        f"Least SCORE of the thesis's methods: {printed.method} in print, {among.method} by ours "
        f"({among.ours.score:.2f}). Least of all here: {ours.method} ({ours.ours.score:.2f})."
    )


_SPOKEN = {
    "pil": "PIL",
    "pil_dependent": "PIL, dependent",
    "dr": "DR",
    "dr_unlinked": "DR, unlinked",
    "score": "SCORE",
}


def agreement_section(found: Sequence[Agreement]) -> str:
    """One row a column, one cell for each split and setting."""
    settings = list(dict.fromkeys((one.experiment, one.memberships) for one in found))
    gaps = {(one.experiment, one.memberships, one.column, one.from_c): one.largest_gap for one in found}
    lines: list[list[Cell]] = []
    for column, spoken in _SPOKEN.items():
        both = [f"{gaps[(*each, column, 2)]:.1f} / {gaps[(*each, column, 4)]:.1f}" for each in settings]
        own = "ours" if column in ("pil", "dr", "score") else "a reading"
        lines.append([spoken, own, *both])
    head = ["column", "definition", *(f"{split}, {kind}" for split, kind in settings)]
    return table(head, lines)


def summary(found: Sequence[Agreement]) -> str:
    """The nearest setting of each column on S1, from c = 4 on, in our definition and in the reading."""
    told = []
    for column in ("pil_dependent", "pil", "dr_unlinked", "dr"):
        here = [one for one in found if (one.experiment, one.column, one.from_c) == ("S1", column, 4)]
        nearest = min(here, key=lambda one: one.largest_gap)
        told.append(f"{_SPOKEN[column]}: {nearest.memberships}, within {nearest.largest_gap:.1f}")
    return f"Nearest setting on S1 from c = 4 on: {'; '.join(told)}."


def clouds_section(rows: Sequence[Row]) -> str:
    """One row a c."""
    lines: list[list[Cell]] = []
    for row in rows:
        pil, risk, _ = row.published or (None, None, None)
        lines.append(
            [row.c, _two(row.ours.pil), _one(pil), _two(row.ours.dr), _one(risk), _two(row.ours.score)]
        )
    return table(["c", "PIL", "printed, other points", "DR", "printed, other points", "SCORE"], lines)


def turning_point(rows: Sequence[Row]) -> str:
    """Up to where more clusters lose less, in ours and in print."""
    least = min(rows, key=lambda row: row.ours.pil)
    printed = min(rows, key=lambda row: (row.published or (0.0,))[0])
    return (
        f"In both, loss falls and risk rises with c at first. The least PIL is at c = {least.c} in ours, at "
        f"c = {printed.c} in print."
    )


def surface_section(points: Sequence[SurfacePoint]) -> str:
    """SCORE: one row an N, one column a c."""
    clusters = sorted({point.c for point in points})
    lines: list[list[Cell]] = []
    for n in sorted({point.independents for point in points}):
        here = {point.c: point for point in points if point.independents == n}
        scores = [_two(here[c].ours.score) if c in here else None for c in clusters]
        lines.append([n, *scores, max(point.left_out for point in here.values())])
    return table(["N", *(f"c = {c}" for c in clusters), "left out"], lines)


def _two(figure: float | None) -> str | None:
    return None if figure is None else f"{figure:.2f}"


def _one(figure: float | None) -> str | None:
    return None if figure is None else f"{figure:.1f}"
