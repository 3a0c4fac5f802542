"""The page that tells what the experiments found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from experiments.document import Cell, table
from experiments.printed import thesis
from experiments.printed.thesis import SPLITS
from tacita._version import __version__

from .experiments import OF_THESIS, Agreement, Figures, Memberships, Row, SurfacePoint
from .findings import SEEDS, Findings

_READINGS = """\
The thesis gives both by their parts (section 2.4), which are the same here: PIL is the mean of five, of
means, variances, covariances, correlations and quantiles; DR = 0.25 (DBRL + PRL) + 0.5 ID; SCORE = (PIL +
DR) / 2. It leaves open over which pairs of attributes the parts of PIL run, how many attributes the linkage
knows ("three, five or eight", as an example), and how wide the interval of ID is ("between 1 % and 10 % of
the values"). Several readings of both were tried on the same runs as those below, and the two that come
nearest to print were kept: PIL over pairs of dependent attributes alone ("PIL, dependent"), and DR without
its part of probabilistic record linkage ("DR, unlinked"). They were chosen after the fact because they fit,
so their fit is weak evidence, and no proof that the thesis computes them. Our own definitions, which the
rest of tacita uses, stand beside them: PIL over all pairs with a dependent attribute, ID of standard
deviations (ID_sd). No test is gated on a printed figure."""

_NOT_REPRODUCED = """\
- **Both columns of S1 at once.** Separate memberships come near the printed losses, joint ones near the
  printed risks. A release has one setting: no printed SCORE of FCRM on S1 is reproduced, and ours are all
  higher.
- **FCRM on S2.** Neither setting comes near, in either column or reading: ours lose far less and give far
  more away. In both splits the independent attributes are singular (v5 = v8 + v10). The thesis says how it
  inverts then: by a generalised inverse of its own, seven steps that pivot on the first product that is not
  zero (section 2.6). We use a pseudo-inverse. In exact arithmetic every generalised inverse gives the same
  predictions; without a tolerance the seven steps may take a rounding error for a pivot, and that may
  explain printed rows. The thesis fits without an intercept (section 4.1), ours has one.
- **F.O.** The thesis prints its objective function; no stored run of ours has one (not run). Its rows of S2
  are nearly 1 or nearly 0, which a sum of squared errors of Census cannot be, and the thesis does not say
  how it is scaled.
- **IPSO-A and IPSO-B of the thesis.** They differ in print in the third decimal. By the listing in R
  (appendix A.1), A is the bare prediction, and B adds the residuals of noise with variance 1, beside values
  in the thousands; A is `regression` here, and B as listed is not run. Our figures of A differ from print
  by several points in both columns (in the SCORE of S2 they cancel). Methods A and B as Burridge (2003)
  describes them are `ipso-a` and `ipso-b` here, with noise of the size of the residuals.
- **IPSO-C's figures.** Some points apart in PIL, less in DR. That its SCORE is the best of the thesis's
  methods is reproduced.
- **The order of the attributes.** Table 4 of the thesis lists them in alphabetical order. It needs the
  generalised inverse because of v5; in the order of the public file v5 is the sum of v8 and v10 (PTOTVAL =
  POTHVAL + PEARNVAL), in that of Table 4 it is not. S1 and S2 here count in the order of the file.
- **The five clouds.** The points are not available, ours are made up: only the shape of the curves can be
  compared.
- **S3.** The thesis takes the N attributes that follow the dependent one, and prints N up to 19; Census has
  13 attributes, which leaves 12, and the thesis does not say where others come from. Ours takes the first N
  of the others in the file's order: the rows are not of the same design, and there are none above 12."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the findings or from print."""
    quick = found.quick
    parts = [
        f"# Synthetic data: published figures beside ours{' (a quick part)' if quick else ''}",
        f"Written by `python -m experiments synthetic{' --quick' if quick else ''}`, version {__version__}. "
        "Printed figures are those of a thesis on fuzzy c-regression models (FCRM) for synthetic data "
        "([document 004](papers.md#document-004)). Census, 1080 records, 13 attributes in the order of its "
        "file. Less is better in every column. Methods that draw: "
        f"{'one seed' if quick else f'mean of {SEEDS[quick]} seeds'}; regression draws nothing, and FCRM "
        "starts from fuzzy c-means at one seed. FCRM runs with m = 1.5, at most 30 rounds, and with its "
        "refusals insisted on, for some of these releases hold many true values (last column: percent of "
        "values within a thousandth of the spread). The thesis's own tables come first; every cell is "
        "printed / ours.",
        *(part for split in found.splits for part in _of_split(found, split)),
        "## Document 004, Table 5",
        "The example in the plane. Five clouds of 60 points, ours (those of the thesis are not printed); "
        "joint memberships.",
        clouds_section(found.clouds),
        turning_point(found.clouds),
        "![Five clouds, and loss and risk against c](synthetic-clouds.svg)",
        "## Document 004, Table 8",
        "S3: each of the 13 attributes dependent in turn, N independent ones, c clusters; means over the "
        "attributes. Printed / ours, joint memberships; the two differ in which N attributes they take (see "
        "below).",
        means_section(found.surface),
        trend(found.surface),
        "## What PIL and DR mean here",
        _READINGS,
    ]
    for split in found.splits:
        parts += [
            f"## {split}: {len(SPLITS[split])} dependent attributes, all readings",
            f"Dependent: {', '.join(f'v{j + 1}' for j in SPLITS[split])}; all others independent.",
            splits_section(found.of(split)),
            best(found.of(split)),
        ]
    parts += [
        "## Which column is reproduced under which setting",
        "Largest distance of ours from print over the c of these tables, and from c = 4 on, in points.",
        agreement_section(found.agreements),
        summary(found.agreements),
        "## What is not reproduced, and why",
        _NOT_REPRODUCED,
        least_score(),
        "## S3: one dependent attribute in turn",
        "Each of the 13 attributes dependent in turn, on the first N of the others in the file's order, with "
        "c clusters and joint memberships; the mean SCORE over the attributes (PIL and DR are in the figure "
        "and in the JSON file). Attributes that are a function of the N others are left out: the last column "
        "says how many, so that rows with large N are means over fewer attributes.",
        surface_section(found.surface),
        "![PIL, DR and SCORE by N and c](synthetic-s3.svg)",
    ]
    return "\n\n".join(parts) + "\n"


def _of_split(found: Findings, split: str) -> list[str]:
    return [
        f"## Document 004, {thesis.LABELS[split]}",
        f"{split}: Census, {len(SPLITS[split])} dependent attributes "
        f"({', '.join(f'v{j + 1}' for j in SPLITS[split])}). FCRM: printed / joint / separate memberships; "
        "IPSO: printed / ours. F.O. is the thesis's objective function, of which we store none.",
        printed_section(found, split),
        f"![PIL, DR and SCORE against c](synthetic-{split.lower()}.svg)",
    ]


def printed_section(found: Findings, split: str) -> str:
    """Table 6 or 7 of the thesis, ours beside it."""
    ours = {(row.memberships, row.c): row.ours for row in found.against_c if row.experiment == split}
    own = {row.method: row.ours for row in found.of(split)}
    lines: list[list[Cell]] = []
    for c, printed in thesis.FCRM[split].items():
        both = [ours.get((memberships, c)) for memberships in get_args(Memberships)]
        lines.append([c, _as_printed(printed.objective), *_beside(printed, both)])
    for name, printed in thesis.IPSO[split].items():
        method = next((mine for mine, theirs in OF_THESIS.items() if theirs == name), "")
        spoken = f"{name} (`{method}`)" if method else f"{name} (as listed)"
        lines.append([spoken, "-", *_beside(printed, [own.get(method)])])
    return table(["c", "F.O., printed", "PIL", "DR", "SCORE"], lines)


def _beside(printed: thesis.Release | thesis.Mean, ours: Sequence[Figures | None]) -> list[str]:
    columns = ("pil", "dr", "score")
    return [
        " / ".join([_as_printed(getattr(printed, column)), *(_figure(each, column) for each in ours)])
        for column in columns
    ]


def _as_printed(figure: float | None) -> str:
    """All digits of a figure; eight decimals of Table 8 would not be read."""
    if figure is None:
        return "-"
    digits = f"{figure:.10g}"
    long = "e" not in digits and len(digits.partition(".")[2]) > 6 and figure > 1
    return f"{figure:.3f}" if long else digits


def _figure(ours: Figures | None, column: str) -> str:
    return "not run" if ours is None else f"{getattr(ours, column):.2f}"


def means_section(points: Sequence[SurfacePoint]) -> str:
    """Table 8 of the thesis, ours beside it."""
    ours = {(point.c, point.independents): point.ours for point in points}
    lines: list[list[Cell]] = [
        [c, n, *_beside(printed, [ours.get((c, n))])]
        for c, rows in thesis.TABLE_8.items()
        for n, printed in rows.items()
    ]
    return table(["c", "N", "PIL", "DR", "SCORE"], lines)


def trend(points: Sequence[SurfacePoint]) -> str:
    """What becomes of PIL and DR from the least N to the largest that both have, and of SCORE."""
    told = []
    for c, rows in thesis.TABLE_8.items():
        ours = {
            point.independents: point.ours for point in points if point.c == c and point.independents in rows
        }
        if len(ours) < 2:
            continue
        low, high = min(ours), max(ours)
        moves = "; ".join(
            f"{spoken} {getattr(rows[low], column):.1f} to {getattr(rows[high], column):.1f} in print, "
            f"{getattr(ours[low], column):.1f} to {getattr(ours[high], column):.1f} in ours"
            for column, spoken in (("pil", "PIL"), ("dr", "DR"), ("score", "SCORE"))
        )
        told.append(f"c = {c}, from N = {low} to {high}: {moves}.")
    return " ".join(told)


def least_score() -> str:
    """Where text and table of the thesis differ."""
    c, score = thesis.LEAST_SCORE
    least = min(thesis.TABLE_6, key=lambda each: thesis.TABLE_6[each].score)
    return (
        f"The text of the thesis gives the least SCORE of S1 as {score:.3f} at c = {c}; its Table 6 has "
        f"{thesis.TABLE_6[least].score:.3f} at c = {least}."
    )


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
    ours = {row.c: row.ours for row in rows}
    lines: list[list[Cell]] = [
        [c, _as_printed(printed.objective), *_beside(printed, [ours.get(c)])]
        for c, printed in thesis.TABLE_5.items()
    ]
    return table(["c", "F.O., printed", "PIL", "DR", "SCORE"], lines)


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
