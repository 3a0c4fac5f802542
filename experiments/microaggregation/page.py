"""The page that tells what the experiments found."""

from __future__ import annotations

from experiments.files import SPOKEN
from tacita._version import __version__

from . import ceiling, choice, losses, ranks, steps, strategies
from .findings import FREE_STARTS, Findings

_DIFFERENCES = """\
- mdav with `end_rule` 2k, the end rule that Lin & Yin describe, meets all printed losses to 0.001: two groups a
  round while 2k or more records are left, then k or more are a group, and fewer join the nearest centroid one
  by one. That the centroid moves with each of them, and that they join in the order of rows, is not described;
  it is chosen because it fits (fixed centroids give 39.090 for Census at k = 100, printed is 39.063). Our
  default, 3k, is the rule of Domingo-Ferrer & Torra. At large k there are few groups and the last 2k to 3k
  records decide: the default differs from print at Tarragona k = 50 and 100 and at Census k = 100.
- mdav, md, cbfs and kward with `growth` centroid: in Lin & Yin's description a group grows around its centroid,
  which moves with each record that joins. The printed losses of mdav are those of growth around the seed, and
  none of growth around the centroid is known to us.
- cbfs and npn-mhm: built as described they do not give the printed figures, some above, some below. The
  descriptions leave open where a path starts and where leftovers go; no reading we tried gives all of them.
- md-mhm, mdav-mhm, cbfs-mhm: the way through the groups is not fully described, and one printed figure is
  above that of the method whose groups are chained, which the best cut of a path through whole groups cannot
  be.
- gsms is printed to two digits; one of them differs from ours in the second.
- gsms-t2: ours also cuts groups that reach 2k, which only lowers the loss.
- brkga: the source does not say how groups short of k are mended, and its fitness is printed damaged; at
  large k its losses lie where groups of k cannot (see below). With `polish`, our default, relocations
  follow, which the source does not have: most of the gain is theirs.
- imhm is our reconstruction from an outline. It adds single relocations and dissolved groups.
- dfo: the source is silent on how a partition into another number of groups is reached; ours tries several
  ways and takes the best, repeats the search from its outcome, and ends lower.
- kc and kckw: only ranks and a chart were printed."""


def page(found: Findings) -> str:
    """Markdown; every figure in it comes from the findings or from print."""
    quick = found.quick
    parts = [
        f"# Microaggregation: published figures beside ours{' (a quick part)' if quick else ''}",
        f"Written by `python -m experiments microaggregation{' --quick' if quick else ''}`, version "
        f"{__version__}. IL1 = 100 SSE / SST in percent, on standardised attributes; less is better. Times "
        "are processor seconds on one core, compilation aside; they are of one machine, so compare them with "
        "each other. "
        "Searches run with their default seed.",
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
        "## DFO from two starts",
        "Loss with each first step, ours / printed, and how much of the start's loss the best of the three "
        "takes away. The printed GSMS-T2 starts on Tarragona at k = 5 and 10 (27.69 and 39.03) cannot be: "
        "GSMS alone is printed at 21.95 and 33.23, and its second phase only lowers that.",
        steps.section(found.searches),
        steps.summary(found.searches),
        "## KC and KCKW among eleven methods, k = 3",
        "Our loss and rank, and the rank that the source prints. It prints no losses of its own methods, "
        "only a chart.",
        ranks.section(found.ranked),
        ranks.summary(found.ranked),
        "## Printed losses below what the constraint allows",
        "With groups of at least k there are at most n/k of them. Without any constraint of size, so many "
        f"means (the best of {FREE_STARTS[quick]} starts of k-means) lose this much; a printed "
        "figure below that was almost surely not computed on groups of k: the constraint can only add to "
        "the loss. (The free means are the best found, not proven the best.) Proven is the instant bound: "
        "every "
        "record pays at least for its k-1 nearest neighbours, so no groups of k lose less.",
        ceiling.section(found.ceilings, found.losses),
        "## Strategies I and II, and which heuristic first",
        "Strategy I never leaves a group with fewer than k; strategy II runs freely and mends afterwards. "
        f"{len(strategies.sets(quick))} synthetic sets of our own (the source's are not available): "
        f"n in {_listed(strategies.RECORDS)}, d in {_listed(strategies.DIMENSIONS)}, clusters in "
        f"{_listed(strategies.CLUSTERS)}; k = 3, 5, 10; {strategies.COUNTS} numbers of groups each, from "
        "random centres, the same start for all variants.",
        strategies.section(found.from_starts),
        strategies.summary(found.from_starts),
        "## Choosing k from one tour",
        f"FDM finds one tour of {SPOKEN[found.shown]} and cuts it for every k; each cut is measured. SCORE "
        "is the mean of PIL and DR.",
        choice.section(found.choices),
    ]
    return "\n\n".join(parts) + "\n"


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(str(one) for one in numbers)
