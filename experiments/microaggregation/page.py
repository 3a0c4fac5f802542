"""The page that tells what the experiments found."""

from __future__ import annotations

from experiments.files import SPOKEN
from experiments.printed import dfo, kmedoids
from experiments.version import VERSION

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
  losses to 0.001: two groups per round while 2k or more records are left; then k or more records form a
  group, and fewer join the nearest centroid one by one. The document does not say that the centroid moves
  with every record, nor that they join in the order of rows; both are chosen because they fit (fixed
  centroids give 39.090 for Census at k = 100, where 39.063 is printed). Our default, 3k, is the rule of
  Domingo-Ferrer and Torra. At large k there are few groups and the last 2k to 3k records decide: the default
  differs from the printed losses at Tarragona k = 50 and 100 and at Census k = 100.
- mdav, md, cbfs and kward with `growth` centroid: in document 003 a group grows around its centroid, which
  moves with each record that joins. The printed losses of mdav are those of growth around the seed; we know
  of no printed loss of growth around the centroid.
- cbfs and npn-mhm: implemented as described, they do not give the printed losses; some are above, some
  below. The descriptions leave open where a path starts and where remaining records go; no reading that we
  tried gives all of them. The end rule of document 003 changes the losses of cbfs by 0.0001 at most; md
  always uses it.
- md-mhm, mdav-mhm, cbfs-mhm: the path through the groups is not fully described, and one printed loss is
  above that of the method whose groups it chains, which is impossible for the best cut of a path through
  whole groups.
- gsms is known to two digits (document 001 prints a zero after them); one differs from ours in the second.
- gsms-t2: ours also cuts groups that reach 2k, which only lowers the loss.
- brkga: document 001 does not say how groups below k are repaired, and its fitness function is illegible; at
  large k its losses are below those of any known groups of k, and its search without repair does not give
  them either (see above). With `polish`, our default, relocations follow, which the document does not have;
  most of the gain is due to them.
- imhm is our reconstruction from an outline. It adds single relocations and dissolved groups.
- dfo: document 000 does not say how a partition into another number of groups is reached; ours tries several
  ways and takes the best, repeats the search from its result, and ends lower. Algorithm 2 alone, without our
  additions, is reported above in both readings.
- kc and kckw: document 003 prints ranks; its losses are in charts, of which our copy has only the captions.
  It does not say from how many centres they start, and that number decides their rank: see [the number of
  centres](#the-number-of-centres-and-figures-1-and-2-as-they-are-drawn)."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the findings or from print."""
    quick = found.quick
    parts = [
        f"# Microaggregation: published figures beside ours{' (a quick part)' if quick else ''}",
        f"Written by `python -m experiments microaggregation{' --quick' if quick else ''}`, version "
        f"{VERSION}. IL1 = 100 SSE / SST in percent, on standardised attributes; less is better. Times "
        "are CPU seconds on one core without compilation, all measured on one machine; compare them with "
        "each other only. Searches run with their default seed. The tables of documents 000, 001 and 003 "
        "come first, under their own numbers ([what these documents are](papers.md)); every cell is "
        "printed / ours.",
        "## k-medoids by BRKGA (document 001)",
        *_medoids(found),
        "## DFO from two starts (document 000)",
        *_searches(found),
        "## KC and KCKW among eleven methods (document 003)",
        "### Document 003, Table 1",
        "Ranks of the loss at k = 3, printed / ours, with our loss in brackets. Both are dense ranks "
        "(methods that tie share a rank, and the next rank follows) among the methods that the document "
        "ranks on that file; the sum is given for methods with a rank on all three. KC and KCKW are the "
        "mean of five starts, as in the document, which does not say how many centres c they start from; "
        "ours start from n/3 and n.",
        ranks.section(found.ranked),
        ranks.summary(found.ranked),
        "The document's claims about the table:",
        ranks.claims(found.ranked),
        "### The number of centres, and figures 1 and 2 as they are drawn",
        "Mean of five starts (minimum to maximum), then the number of other methods with a lower loss, out "
        "of those that the document ranks on that file, which gives its place in Table 1 however the "
        "others tie. The plain reading takes records in file order, and short groups in the order of their "
        "centres, which stay fixed until all groups are repaired (`order` file, `centres` fixed). Where "
        "the figures leave it open, our reading takes records in random order, repairs outlying groups "
        "first, and updates the centres.",
        counts.section(found.counts, found.ranked),
        counts.summary(found.counts, found.ranked),
        "### A second phase after any method",
        "The document calls MHM a second phase that can follow any method. Here it follows the methods "
        "that do not include it already (`--then mhm`): loss at k = 3 before / after, with default "
        "settings.",
        phases.section(found.phases),
        phases.summary(found.phases),
        "### Document 003, Figures 3 to 5",
        "The figures show the losses at k = 3 as bars, on EIA as a line. Our copy of the document has only "
        "their captions, and the text states none of the losses. The document quotes the other methods from "
        "the literature; where we know those losses, they are drawn as outlines. The printed rank follows "
        "the name.",
        "![Losses at k = 3 as bars, file by file](microaggregation-kckw.svg)",
        "## Every method",
        "Our loss, its rank among our methods at that k in brackets, and the printed loss: **<** ours is "
        "lower, > ours is higher, = equal to the printed digits. Cells without a sign have no printed "
        "loss. Methods that improve a partition (kmeans1 to hmkm, dfo, imhm, gsms-t2) start here from "
        "their own default.",
        losses.section(found.losses),
        f"All methods together took {sum(one.seconds for one in found.plotted):.0f} s on "
        f"{SPOKEN[found.shown]} at k = 3.",
        "![Loss of every method against its time](microaggregation.svg)",
        "Sources of the printed figures:",
        losses.sources(),
        "### Where ours differ, and why",
        _DIFFERENCES,
        *(f"{name}: {losses.standing(found.losses, name)}." for name in ("mdav", "gsms", "imhm")),
        *(f"{losses.beside_default(found.losses, name)}." for name in losses.AS_DESCRIBED),
        "## Choosing k from one tour",
        f"FDM finds one tour of {SPOKEN[found.shown]} and cuts it for every k; every cut is evaluated. SCORE "
        "is the mean of PIL and DR.",
        choice.section(found.choices),
    ]
    return "\n\n".join(parts) + "\n"


def _medoids(found: Findings) -> list[str]:
    files = [file for file in kmedoids.TABLE_2 if any(one.file == file for one in found.losses)]
    return [
        "### Document 001, Table 1",
        "IL1. The last row is the document's own method; ours runs without the relocations that `brkga` adds "
        "by default. The document quotes the other rows from the literature; - marks a figure that is not "
        "printed.",
        *(
            part
            for file in files
            for part in (f"{SPOKEN[file]}:", medoids.losses_section(found.losses, file))
        ),
        "### Document 001, Table 2",
        "IL2 in percent, DLD as a share of the records; k = n is one group of all records, whose IL2 the "
        "text gives (section 6). Our figures are those of `brkga` without relocations, with groups of at "
        "least k.",
        medoids.releases_section(found.releases),
        medoids.claims(found.releases),
        "With one group of all records there is nothing to optimise: a different IL2 means a different "
        "definition. Equation 7 of the document, which defines it, is illegible in our copy; ours is "
        "[IL2](../methods/il2.md).",
        *_readings(found),
        "### Printed losses below what the constraint allows",
        "There are at most n/k groups of at least k records. The table gives the loss of as many means "
        f"without any constraint on size (the best of {FREE_STARTS[found.quick]} starts of k-means). The "
        "constraint can only raise the loss, so a printed loss below that of the free means was almost "
        "certainly not computed on groups of k. (The free means are the best found; their optimality is "
        "not proven.) The proven lower bound is the instant bound: the loss of a record is at least that "
        "to its k-1 nearest neighbours.",
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
        "becomes of groups below k. Here its search (100 chromosomes, 100 generations, none of our "
        f"additions) runs without any repair for {unrepaired.COUNTS} numbers of groups, evenly spaced over "
        "the interval, with the mean distance averaged over groups or over records. The columns give the "
        "minimum and maximum loss over these numbers, around the means and around the medoids of the "
        "groups, and the share of groups below k. No method of tacita releases such groups. For "
        "comparison, `brkga` without relocations, which keeps groups of at least k: by golden section, and "
        "over every number of groups "
        '(`search = "all"`; empty where not run).',
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
        "The document does not print the losses of its starts; they follow from IL and imp up to rounding. "
        "Some of them cannot belong to the method named: GSMS-T2 only lowers the loss of GSMS, which "
        f"document 001 prints in its Table 1 (Tarragona {_gsms('tarragona')}).",
        steps.starts(found.searches),
        "### Strategies I and II, and which heuristic first",
        "Strategy I never leaves a group with fewer than k; strategy II runs freely and repairs afterwards "
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
        "The document's search as printed, without our additions (`dfo` with `surrogate` hmkm and `polish` "
        "off), for the cells of its three tables: the improvement over the start with first steps "
        "10 · 20 · 30. The document does not say what HM+KM starts from when it evaluates another number of "
        "groups: ours starts from the current partition, or from random centres (`reach`), as the document "
        "does in its first experiments.",
        plain.section(found.alone),
        plain.summary(found.alone),
    ]


def _gsms(file: str) -> str:
    return ", ".join(f"{loss:.2f} at k = {k}" for k, loss in kmedoids.TABLE_1["gsms"][file].items())


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(one) for one in numbers)
