"""The page that tells what the experiments found."""

from __future__ import annotations

from experiments.files import SPOKEN
from experiments.printed import dfo, kmedoids
from tacita._version import __version__

from . import (
    ceiling,
    choice,
    counts,
    losses,
    medoids,
    phases,
    plain,
    ranks,
    readings,
    steps,
    strategies,
    unrepaired,
)
from .findings import FREE_STARTS, Findings

_DIFFERENCES = """\
- mdav with `end_rule` 2k, the end rule of document 003 (section 2, distance-based methods), meets all printed
  losses to 0.001: two groups a round while 2k or more records are left, then k or more are a group, and fewer
  join the nearest centroid one by one. The document does not say that the centroid moves with each of them,
  nor that they join in the order of rows; both are chosen because they fit (fixed centroids give 39.090 for
  Census at k = 100, printed is 39.063). Our default, 3k, is the rule of Domingo-Ferrer and Torra. At large k
  there are few groups and the last 2k to 3k records decide: the default differs from print at Tarragona
  k = 50 and 100 and at Census k = 100.
- mdav, md, cbfs and kward with `growth` centroid: in document 003 a group grows around its centroid, which
  moves with each record that joins. The printed losses of mdav are those of growth around the seed, and none
  of growth around the centroid is known to us.
- cbfs and npn-mhm: built as described they do not give the printed figures, some above, some below. The
  descriptions leave open where a path starts and where leftovers go; no reading we tried gives all of them.
- md-mhm, mdav-mhm, cbfs-mhm: the way through the groups is not fully described, and one printed figure is
  above that of the method whose groups are chained, which the best cut of a path through whole groups cannot
  be.
- gsms is known to two digits (document 001 prints a zero after them); one differs from ours in the second.
- gsms-t2: ours also cuts groups that reach 2k, which only lowers the loss.
- brkga: document 001 does not say how groups short of k are mended, and its fitness is printed damaged; at
  large k its losses lie where no groups of k are known, and its search without repair does not give them
  either (see above). With `polish`, our default, relocations follow, which the document does not have: most
  of the gain is theirs.
- imhm is our reconstruction from an outline. It adds single relocations and dissolved groups.
- dfo: document 000 does not say how a partition into another number of groups is reached; ours tries several
  ways and takes the best, repeats the search from its outcome, and ends lower. Algorithm 2 alone, with
  nothing of ours, stands above in both readings.
- kc and kckw: document 003 prints ranks; its losses are in charts, of which the copy at hand has the
  captions. It does not say from how many centres they start, and that decides their place: see [the number of
  centres](#the-number-of-centres-and-figures-1-and-2-as-they-are-drawn)."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the findings or from print."""
    quick = found.quick
    parts = [
        f"# Microaggregation: published figures beside ours{' (a quick part)' if quick else ''}",
        f"Written by `python -m experiments microaggregation{' --quick' if quick else ''}`, version "
        f"{__version__}. IL1 = 100 SSE / SST in percent, on standardised attributes; less is better. Times "
        "are processor seconds on one core, compilation aside; they are of one machine, so compare them with "
        "each other. "
        "Searches run with their default seed. The tables of documents 000, 001 and 003 come first, under "
        "their own numbers ([what these documents are](papers.md)); every cell is printed / ours.",
        "## k-medoids by BRKGA (document 001)",
        *_medoids(found),
        "## DFO from two starts (document 000)",
        *_searches(found),
        "## KC and KCKW among eleven methods (document 003)",
        "### Document 003, Table 1",
        "Ranks of the loss at k = 3, printed / ours, with our loss behind. Both are ranks among the methods "
        "that the document ranks on that file, and two methods with one rank leave none out; the sum is of "
        "those that have all three. KC and KCKW are the mean of five starts, as there; the document does "
        "not say how many centres c they start from, ours are n/3 and n.",
        ranks.section(found.ranked),
        ranks.summary(found.ranked),
        "What the document says of the table:",
        ranks.claims(found.ranked),
        "### The number of centres, and figures 1 and 2 as they are drawn",
        "Mean of five starts (least to most), then how many of the other methods that the document ranks on "
        "that file lose less: its place in Table 1, whichever of the others share a rank. The plain reading "
        "takes records as they stand in the file, and short groups in the order of their centres, which "
        "stay until all groups are mended: `order` file, `centres` fixed. Where the figures are silent ours "
        "takes records in random order, mends outlying groups first, and lets centres follow.",
        counts.section(found.counts, found.ranked),
        counts.summary(found.counts, found.ranked),
        "### A second phase after any method",
        "The document calls MHM a second phase that can follow any method. Here it follows those that do "
        "not end with it already (`--then mhm`): loss at k = 3 before / after, by default settings.",
        phases.section(found.phases),
        phases.summary(found.phases),
        "### Document 003, Figures 3 to 5",
        "The figures show the losses at k = 3 as bars, on EIA as a line; the copy at hand has their "
        "captions, and the text states none of the losses. Those of the other methods are quoted there from "
        "the literature, whose figures stand here as outlines where they are known to us; the printed rank "
        "stands beside the name.",
        "![Losses at k = 3 as bars, file by file](microaggregation-kckw.svg)",
        "## Every method",
        "Ours, its rank among our methods at that k in brackets, then how it stands to the printed figure: "
        "**<** below it, > above it, = the same to the digits printed. Where nothing follows, nothing was "
        "printed. Methods that improve a partition (kmeans1 to hmkm, dfo, imhm, gsms-t2) start here from "
        "their own default.",
        losses.section(found.losses),
        f"All of them together took {sum(one.seconds for one in found.plotted):.0f} s on "
        f"{SPOKEN[found.shown]} at k = 3.",
        "![Loss of every method against its time](microaggregation.svg)",
        "Sources of the printed figures:",
        losses.sources(),
        "### Where ours differ, and why",
        _DIFFERENCES,
        *(f"{name}: {losses.standing(found.losses, name)}." for name in ("mdav", "gsms", "imhm")),
        *(f"{losses.beside_default(found.losses, name)}." for name in losses.AS_DESCRIBED),
        "## Choosing k from one tour",
        f"FDM finds one tour of {SPOKEN[found.shown]} and cuts it for every k; each cut is measured. SCORE "
        "is the mean of PIL and DR.",
        choice.section(found.choices),
    ]
    return "\n\n".join(parts) + "\n"


def _medoids(found: Findings) -> list[str]:
    files = [file for file in kmedoids.TABLE_2 if any(one.file == file for one in found.losses)]
    return [
        "### Document 001, Table 1",
        "IL1. The last row is the document's own method, ours without the relocations that follow by "
        "default. It quotes the other rows from the literature; - is not printed.",
        *(
            part
            for file in files
            for part in (f"{SPOKEN[file]}:", medoids.losses_section(found.losses, file))
        ),
        "### Document 001, Table 2",
        "IL2 in percent, DLD as a share of the records; k = n is one group of all records, whose IL2 the "
        "text gives (section 6). Ours are of `brkga` without relocations, with groups of at least k.",
        medoids.releases_section(found.releases),
        medoids.claims(found.releases),
        "One group of all records leaves a method nothing to choose: where its IL2 differs, the two are "
        "not of one definition. Equation 7 of the document, which gives it, is illegible in the copy; "
        "ours is that of [IL2](../methods/il2.md).",
        *_readings(found),
        "### Printed losses below what the constraint allows",
        "With groups of at least k there are at most n/k of them. Without any constraint of size, so many "
        f"means (the best of {FREE_STARTS[found.quick]} starts of k-means) lose this much; a printed "
        "figure below that was almost surely not computed on groups of k: the constraint can only add to "
        "the loss. (The free means are the best found, not proven the best.) Proven is the instant bound: "
        "every record pays at least for its k-1 nearest neighbours, so no groups of k lose less.",
        ceiling.section(found.ceilings, found.losses),
        *_unrepaired(found),
    ]


def _readings(found: Findings) -> list[str]:
    if not found.readings:
        return []
    return ["### What IL2 of one group may be", readings.section(found.readings, found.readings_tried)]


def _unrepaired(found: Findings) -> list[str]:
    if not found.unrepaired:
        return []
    return [
        "### Medoids without repair, and every number of groups",
        "The document runs its search for every number of groups of the interval and does not say what "
        "becomes of groups below k. Here its search (100 chromosomes, 100 generations, nothing of ours) runs "
        f"without any repair for {unrepaired.COUNTS} numbers of groups, evenly over the interval, with the "
        "mean distance averaged over groups or over records: the least and the largest loss over these "
        "numbers, around the means of the groups and around their medoids, and the share of groups below k. "
        "Such groups are no release, and no method makes them. Beside them `brkga` without relocations, "
        'which holds k: by golden section, and with every number of groups tried (`search = "all"`; where '
        "empty, not run).",
        unrepaired.section(found.unrepaired, found.every_number, found.losses),
        unrepaired.summary(found.unrepaired),
    ]


def _searches(found: Findings) -> list[str]:
    sizes = dict.fromkeys(one.k for one in found.searches)
    return [
        "Each table is that of the document: IL, improvement over the start and seconds, printed / ours.",
        *(
            part
            for k in sizes
            for part in (f"### Document 000, {dfo.LABELS[k]}", f"g = {k}:", steps.section(found.searches, k))
        ),
        steps.summary(found.searches),
        *_alone(found),
        "### Where the search starts",
        "The document prints no loss of a start; IL and imp give it, up to their rounding. Some printed "
        "starts cannot be what they are called: GSMS-T2 only lowers GSMS, whose losses document 001 prints "
        f"in its Table 1 (Tarragona {_gsms('tarragona')}).",
        steps.starts(found.searches),
        "### Strategies I and II, and which heuristic first",
        "Strategy I never leaves a group with fewer than k; strategy II runs freely and mends afterwards "
        "(section 4 of the document). "
        f"{len(strategies.sets(found.quick))} synthetic sets of our own (the document's are not available): "
        f"n in {_listed(strategies.RECORDS)}, d in {_listed(strategies.DIMENSIONS)}, clusters in "
        f"{_listed(strategies.CLUSTERS)}; k = 3, 5, 10; {strategies.COUNTS} numbers of groups each, from "
        "random centres, the same start for all variants.",
        strategies.section(found.from_starts),
        strategies.summary(found.from_starts),
        "#### Which of the two is h-means?",
        strategies.namings(found.from_starts),
    ]


def _alone(found: Findings) -> list[str]:
    if not found.alone:
        return []
    return [
        "### Algorithm 2 alone",
        "The document's search as it prints it, with nothing of ours (`dfo` with `surrogate` "
        "hmkm and `polish` off), in the cells of its three tables: the improvement over the "
        "start with first steps 10 · 20 · 30. What HM+KM starts from when another number of "
        "groups is judged, it does not say: ours takes the partition at hand, or random "
        "centres (`reach`), as the document does in its first experiments.",
        plain.section(found.alone),
        plain.summary(found.alone),
    ]


def _gsms(file: str) -> str:
    return ", ".join(f"{loss:.2f} at k = {k}" for k, loss in kmedoids.TABLE_1["gsms"][file].items())


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(one) for one in numbers)
