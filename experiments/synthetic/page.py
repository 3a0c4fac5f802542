"""The page that says what the experiments found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from experiments.document import Cell, table
from experiments.printed import thesis
from experiments.printed.thesis import SPLITS
from tacita._version import __version__

from .experiments import LISTED, OF_THESIS, Agreement, Figures, Memberships, Row
from .findings import SEEDS, Findings
from .sections import (
    calibration_section,
    calibration_summary,
    closest_rows,
    design_trends,
    designs_section,
    nearest_writing,
    objectives,
    seeds_section,
    tried_section,
    widest,
    written_section,
)
from .surface import SurfacePoint

_READINGS = """\
The thesis gives both by their parts (section 2.4), which are the same here: PIL is the mean of five, of
means, variances, covariances, correlations and quantiles; DR = 0.25 (DBRL + PRL) + 0.5 ID; SCORE = (PIL +
DR) / 2. It leaves open over which pairs of attributes the parts of PIL run, how many attributes the linkage
knows ("three, five or eight", as an example), and how wide the interval of ID is ("between 1 % and 10 % of
the values"). Its IPSO-A draws nothing, so that its four figures are exact targets for any reading. Our own
definitions make 56.19 and 40.68 of PIL, 13.81 and 18.73 of DR, where it prints 49.163 and 44.44, 10.044 and
14.493. The table has the three nearest readings of each measure, under two orders of the attributes: that
of the public file, and the alphabetical one of the thesis's Table 4; all settings are in
`experiments/synthetic/calibration.py`."""

_NOT_DECIDED = """\
No reading meets all four figures. The two measures point to different orders: PIL comes near under that of
Table 4, DR under that of the file. Under the order of Table 4 an attribute of S1 is a function of
independent ones (POTHVAL = PTOTVAL - PEARNVAL), so that IPSO-A publishes it unchanged and ID alone is 11 %
at least; the printed DR leaves no room for that beside linkage. Under the order of the file the text on v5
holds (below). The readings were chosen after the fact because they fit, so their fit is weak evidence.
Three stand beside our own definitions in the tables that follow. "DR, ranks" is the nearest to IPSO-A under
the order of the file (intervals of 1 % of the ranks). It was not chosen by the rows of FCRM, so that they
test it: on S1 with joint memberships it is nearer to print than any other reading, on S2 and of IPSO-C it
is not near. Two were chosen because they come near the rows of FCRM: "PIL, dependent" (pairs of dependent
attributes alone) and "DR, unlinked" (without probabilistic linkage). DR and SCORE take the width and kind
of intervals and what agrees in PRL as [settings](../methods/dr.md). No test is gated on a printed figure."""

_WRITTEN = """\
The tables above are of our [fcrm](../methods/fcrm.md): standardised attributes, an intercept, a
pseudo-inverse. The thesis writes another method (sections 2.6, 2.7 and 4.1): x'beta without an intercept,
on values as they stand in the file, from fuzzy c-means on the same values, and with an inverse of its own,
seven steps that pivot on the first product that is not zero. In both splits the independent attributes are
singular, so that a product that should be zero is a rounding error, and is a pivot. With a tolerance (a
billionth of the largest value of the row) the seven steps predict what a pseudo-inverse predicts. Printed /
joint / separate memberships, one seed. In place of F.O. stands the largest change of a membership in the
last round: the thesis computes both from the memberships of a round and those before (appendix A.2, class
ObjecteFcMeans), and its F.O. lie between 0 and 1, near its threshold in Table 5, and near 1 on S2, as
changes do; no sum of squared errors of Census does."""

_SEEDS = """\
FCRM draws where its start begins: the first centres of fuzzy c-means. The tables above have one seed. Mean,
and least to largest."""

_REPEATED = """\
Figures of this page that were stored on another machine differed from these by up to 2.6 points in the
share of unchanged values and by 0.24 in PIL, in rows with separate memberships alone. Neither seed nor
threads were the cause, but the order of sums, which libraries of linear algebra choose by the processor. On
attributes that are nearly functions of the others, a difference in the last bit of a sum grows some ten
times a round, until after 10 to 20 rounds it decides clusters; the iteration does not converge there (last
change near 1). `python -m experiments synthetic` therefore starts with one order of sums
(`experiments/arithmetic.py`), which any x86-64 processor since 2013 can take."""

_NOT_REPRODUCED = """\
- **Both columns of S1 at once.** Separate memberships come near the printed losses, joint ones near the
  printed risks. A release has one setting: no printed SCORE of FCRM on S1 is reproduced, and ours are all
  higher.
- **FCRM on S2.** Neither setting of our method comes near, in either column or reading: ours lose far less
  and give far more away. As the thesis writes it, the method comes near print at c = 2
  (separate memberships), and mostly loses far more than print from there on.
- **F.O.** Our objective is a sum of squared errors of standardised attributes, and no F.O. can be one: see
  above. It is most likely the last change of a membership, which has the printed size, not the printed value.
- **IPSO-A and IPSO-B of the thesis.** They differ in print in the third decimal. By the listing in R
  (appendix A.1), A is the bare prediction, and B adds the residuals of noise with variance 1, beside values
  in the thousands: ours differ as little. A is `regression` here. Our figures of A differ from print
  by several points in both columns (in the SCORE of S2 they cancel). Methods A and B as Burridge (2003)
  describes them are `ipso-a` and `ipso-b` here, with noise of the size of the residuals.
- **IPSO-C's figures.** Some points apart in PIL, less in DR. That its SCORE is the best of the thesis's
  methods is reproduced.
- **The order of the attributes.** Table 4 of the thesis lists them in alphabetical order. It needs the
  generalised inverse because of v5; in the order of the public file v5 is the sum of v8 and v10 (PTOTVAL =
  POTHVAL + PEARNVAL), in that of Table 4 it is not. S1, S2 and S3 here count in the order of the file.
- **The five clouds.** The points are not available, ours are made up: only the shape of the curves can be
  compared.
- **S3.** The thesis takes the N attributes that follow the dependent one, and prints N up to 19; Census has
  13 attributes, which leaves 12, and the thesis does not say where others come from. Ours start again at the
  first attribute after the last, and end at N = 12."""


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
        "starts from fuzzy c-means at one seed ([others](#fcrm-from-other-starts)). "
        "FCRM runs with m = 1.5, at most 30 rounds, and with its "
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
        "Clusters and their regressions as in figures 3 and 4 of the thesis, c = 2 to 7, of our points:",
        "![Clusters and regressions of the five clouds, c = 2 to 7](synthetic-panels.svg)",
        "## Document 004, Table 8",
        "S3: each of the 13 attributes dependent in turn, N independent ones, c clusters; means over the "
        "attributes, joint memberships. Printed / ours by the thesis's design, the N attributes that follow "
        "the dependent one / ours by the first N others in the order of the file. Attributes that are a "
        "function of the N others are left out.",
        designs_section(found.surface),
        "### What N does to each column",
        "The thesis claims that with c fixed PIL falls and DR rises as N grows; the printed SCORE falls. "
        "What becomes of each column by either design:",
        design_trends(found.surface),
        "PIL, DR and SCORE over c and N as in figure 7 of the thesis, by its design:",
        "![Loss, risk and SCORE as surfaces over c and N](synthetic-s3-surface.svg)",
        "## FCRM as the thesis writes it",
        _WRITTEN,
    ]
    for split in found.splits:
        parts += [f"### {split}, as written", written_section(found.written, split)]
    parts += [
        closest_rows(found.written),
        "### Readings of the text",
        "Settings that the text could mean, tried at some c: joint or separate memberships; the seven steps "
        "literally or with a tolerance; with or without an intercept; values as in the file or standardised.",
        tried_section(found.tried),
        nearest_writing(found.tried),
        "## FCRM from other starts",
        _SEEDS,
        seeds_section(found.spreads),
        widest(found.spreads),
        "## The same figures on every machine",
        _REPEATED,
        "## What PIL and DR mean here",
        _READINGS,
        calibration_section(found.calibration),
        calibration_summary(found.calibration),
        _NOT_DECIDED,
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
        "Each of the 13 attributes dependent in turn, on the N attributes that follow it, and on the first N "
        "others in the file's order, with c clusters and joint memberships; the mean SCORE over the "
        "attributes (PIL and DR are in the figure and in the JSON file). Attributes that are a function of "
        "the N others are left out: the last column says how many, so that rows with large N are means over "
        "fewer attributes.",
        "The N attributes that follow:",
        surface_section([point for point in found.surface if point.design == "following"]),
        "The first N others:",
        surface_section([point for point in found.surface if point.design == "first"]),
        "![PIL, DR and SCORE by N and c](synthetic-s3.svg)",
    ]
    return "\n\n".join(parts) + "\n"


def _of_split(found: Findings, split: str) -> list[str]:
    return [
        f"## Document 004, {thesis.LABELS[split]}",
        f"{split}: Census, {len(SPLITS[split])} dependent attributes "
        f"({', '.join(f'v{j + 1}' for j in SPLITS[split])}). FCRM: printed / joint / separate memberships; "
        "IPSO: printed / ours. F.O. is what the thesis calls its objective function; beside it the largest "
        "change of a membership in our last round, and our own objective "
        "([why](#fcrm-as-the-thesis-writes-it)).",
        printed_section(found, split),
        f"![PIL, DR and SCORE against c](synthetic-{split.lower()}.svg)",
    ]


def printed_section(found: Findings, split: str) -> str:
    """Table 6 or 7 of the thesis, ours beside it."""
    known = {(row.memberships, row.c): row for row in found.against_c if row.experiment == split}
    own = {row.method: row.ours for row in found.of(split)}
    lines: list[list[Cell]] = []
    for c, printed in thesis.FCRM[split].items():
        both = [known.get((memberships, c)) for memberships in get_args(Memberships)]
        objective, change = objectives(both)
        ours = [row and row.ours for row in both]
        lines.append([c, f"{_as_printed(printed.objective)} / {change}", objective, *_beside(printed, ours)])
    for name, printed in thesis.IPSO[split].items():
        method = next((mine for mine, theirs in OF_THESIS.items() if theirs == name), "")
        spoken = f"{name} (as listed)" if method == LISTED else f"{name} (`{method}`)"
        lines.append([spoken, "-", "-", *_beside(printed, [own.get(method)])])
    return table(["c", "F.O., printed / last change", "objective", "PIL", "DR", "SCORE"], lines)


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
        losses, risks = (ours.pil, ours.pil_dependent, pil), (ours.dr, ours.dr_unlinked, ours.dr_rank, risk)
        figures = (*losses, *risks, ours.score, score)
        lines.append([setting, *(_two(figure) for figure in figures), f"{ours.unchanged:.1f}"])
    head = ["method", "PIL", "PIL, dependent", "printed", "DR", "DR, unlinked", "DR, ranks", "printed"]
    return table([*head, "SCORE", "printed", "unchanged, %"], lines)


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
    "dr_rank": "DR, ranks",
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
    for column in ("pil_dependent", "pil", "dr_unlinked", "dr_rank", "dr"):
        here = [one for one in found if (one.experiment, one.column, one.from_c) == ("S1", column, 4)]
        nearest = min(here, key=lambda one: one.largest_gap)
        told.append(f"{_SPOKEN[column]}: {nearest.memberships}, within {nearest.largest_gap:.1f}")
    return f"Nearest setting on S1 from c = 4 on: {'; '.join(told)}."


def clouds_section(rows: Sequence[Row]) -> str:
    """One row a c."""
    known = {row.c: row for row in rows}
    lines: list[list[Cell]] = []
    for c, printed in thesis.TABLE_5.items():
        row = known.get(c)
        objective, change = objectives([row])
        cells = _beside(printed, [row and row.ours])
        lines.append([c, f"{_as_printed(printed.objective)} / {change}", objective, *cells])
    return table(["c", "F.O., printed / last change", "objective", "PIL", "DR", "SCORE"], lines)


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
