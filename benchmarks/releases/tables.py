"""Releases of tables: every method of suppression and adjustment, every format of tables."""

from __future__ import annotations

from collections.abc import Iterator

from . import SEED, Case

_FORCED = "--force --insist"
_SPAN = "--rows region --columns sector --unit group_id --force"
_RULES = "p-percent:p=40,minimum-frequency:threshold=6:margin=15"
_CUBE = "--dimensions region,size,asks --hierarchy region=region.hrc --unit group_id --force"
_JOBS = "--dimensions year,region,size --hierarchy region=nuts.hrc --value jobs --primary sensitive"
_WIDE = "--rows row --columns column --value value --primary sensitive --lower 40 --upper 40"
_DEEP = (
    "--dimensions year,region,size --hierarchy region=nuts.hrc --value value --primary sensitive "
    "--lower 40 --upper 40"
)

# the methods that take each problem, in tables of rows and columns
TWO_WAY = {
    "general": "optimal lagrange genetic network hypercube gauss constructive hitas improve",
    "exact": "optimal lagrange genetic network hypercube constructive hitas improve",
    "interval": "optimal three-phase genetic network hypercube constructive hitas improve",
}
CUBES = {
    "general": "optimal gauss constructive hitas improve",
    "exact": "optimal constructive hitas improve",
    "interval": "optimal constructive hitas improve",
}


def lists() -> Iterator[Case]:
    """Lists of cells of records, confidential: the other tables are made of them."""
    turnover = f"tabulate sized.csv {_SPAN} --value turnover"
    for ending in ("csv", "jj"):
        yield Case.of(f"cells.{ending}", f"{turnover} --rule {_RULES}")
    yield Case.of("cells.tab", f"{turnover} --rule {_RULES}", "cells.rda")
    for rule in (
        "dominance:n=2:k=60",
        "pq:p=10:q=50",
        "request:share=5",
        "minimum-frequency:threshold=5:margin=10",
        "minimum-frequency,zero-cells",
    ):
        name = rule.partition(":")[0].replace(",", "-")
        asked = "--request asks --waiver waives" if "request" in rule else ""
        made = f"tabulate sized.csv {_SPAN} --value investment --rule {rule} {asked}"
        yield Case.of(f"cells-{name}.csv", made)
    yield Case.of("cube.csv", f"tabulate sized.csv {_CUBE} --value turnover --rule p-percent")
    folded = _CUBE.replace("region.hrc", "places.hrc")
    yield Case.of("cube.tab", f"tabulate sized.csv {folded} --value turnover --rule p-percent", "cube.rda")
    levels = "--dimensions region,sector --prefixes sector=1 --unit group_id --force"
    yield Case.of("levels.csv", f"tabulate sized.csv {levels} --value turnover --rule {_RULES}")
    keyed = "tabulate keyed.csv --dimensions region,employment --key key --force"
    yield Case.of("counts.csv", f"{keyed} --rule minimum-frequency:threshold=6")
    yield Case.of("incomes.csv", f"{keyed} --value total_income")
    weighted = "--value wages --weight weight --rule p-percent"
    yield Case.of("weighted.csv", f"tabulate sized.csv {_SPAN} {weighted}")
    yield Case.of(
        "parts-cells.csv", f"tabulate firms.parquet {_SPAN} --value turnover --executor serial --part 200"
    )
    argus = "tabulate firms.asc --meta firms.rda --value turnover --rule p-percent --p 20 --force"
    yield Case.of("argus-cells.csv", argus)
    yield Case.of("argus-cells.tab", argus)


def suppressed() -> Iterator[Case]:
    """Tables with cells withheld."""
    for problem, methods in TWO_WAY.items():
        for method in methods.split():
            made = f"suppress wide.csv {_WIDE} --problem {problem} --method {method} {_FORCED}"
            yield Case.of(f"{method}-{problem}.csv", made)
    for problem, methods in CUBES.items():
        for method in methods.split():
            made = f"suppress deep.csv {_DEEP} --problem {problem} --method {method} {_FORCED}"
            yield Case.of(f"{method}-{problem}-cube.csv", made)
    for problem in TWO_WAY:
        yield Case.of(f"cells-{problem}.csv", f"suppress cells.csv --problem {problem} --margins {_FORCED}")
        yield Case.of(f"cube-{problem}.csv", f"suppress cube.csv --problem {problem} --margins {_FORCED}")
    optimal = f"suppress cells.csv --problem interval --margins {_FORCED}"
    for ending in ("html", "xlsx"):
        yield Case.of(f"optimal.{ending}", f"{optimal} --title Turnover")
        yield Case.of(f"cube.{ending}", f"suppress cube.csv --problem interval --margins {_FORCED}")
    yield Case.of("levels-suppressed.html", f"suppress levels.csv --problem interval --margins {_FORCED}")
    yield Case.of("insiders.csv", f"{optimal} --insiders")
    yield Case.of("least-cells.csv", f"{optimal} --objective count")
    yield Case.of("inside-optimal.csv", f"{optimal} --method hitas --inside optimal")
    for zeros in ("publish", "withhold"):
        for problem in ("exact", "interval"):
            made = "suppress zeros.csv --rows region --columns work --value persons --primary sensitive"
            asked = f"--counts --fill-zeros --problem {problem} --zeros {zeros} {_FORCED}"
            yield Case.of(f"zeros-{zeros}-{problem}.csv", f"{made} {asked}")
    for ending in ("csv", "html", "xlsx"):
        words = f"suppress jobs.csv {_JOBS} --lower 50 --upper 50 --problem interval {_FORCED}"
        yield Case.of(f"jobs-suppressed.{ending}", words)
    yield Case.of("sliding.csv", f"suppress jobs.csv {_JOBS} --sliding 80 --problem interval {_FORCED}")
    yield Case.of("frequencies.csv", f"suppress counts.csv --problem interval --margins {_FORCED}")
    for name in ("dominance", "pq", "request", "minimum-frequency", "minimum-frequency-zero-cells"):
        made = f"suppress cells-{name}.csv --problem exact --margins {_FORCED}"
        yield Case.of(f"rule-{name}.csv", made)
    yield Case.of("from-tab.csv", f"suppress cells.tab --problem interval --margins {_FORCED}")
    yield Case.of("from-jj.csv", f"suppress cells.jj --problem interval {_FORCED}")
    yield Case.of("from-cube-tab.csv", f"suppress cube.tab --problem exact --margins {_FORCED}")
    yield Case.of("from-weighted.csv", f"suppress weighted.csv --problem interval --margins {_FORCED}")
    yield Case.of("from-argus.csv", f"suppress argus-cells.tab --problem exact --margins {_FORCED}")
    yield Case("linked-sector.csv", "run linked.toml --force", ("linked-size.html",))
    yield Case("listed.csv", "run listed.toml --force")


def adjusted() -> Iterator[Case]:
    """Tables with other values."""
    seeded = f"{_FORCED} --seed {SEED}"
    persons = "adjust zeros.csv --rows region --columns work --value persons --counts --fill-zeros"
    jobs = f"adjust jobs.csv {_JOBS} --counts"
    for ending in ("csv", "html", "xlsx"):
        yield Case.of(f"rounding.{ending}", f"{persons} --method rounding --base 5 {_FORCED}")
    yield Case.of("rounding-random.csv", f"{persons} --method rounding --random {seeded}")
    yield Case.of("rounding-cube.csv", f"{jobs} --method rounding --base 10 {_FORCED}")
    yield Case.of("rounding-magnitudes.csv", f"adjust cells.csv --method rounding --base 100000 {_FORCED}")
    yield Case.of("small-counts.csv", f"{persons} --method small-counts --base 4 {_FORCED}")
    yield Case.of("small-counts-cube.xlsx", f"{jobs} --method small-counts --base 5 {_FORCED}")
    keyed = "--method cell-key --largest 5 --variance 3 --hidden 2"
    yield Case.of("cell-key.csv", f"adjust counts.csv {keyed} {_FORCED}")
    yield Case.of("cell-key-drawn.html", f"{persons} {keyed} {seeded}")
    yield Case.of(
        "cell-key-magnitudes.csv",
        f"adjust incomes.csv --method cell-key --share 20 --share-large 5 --flex-point 20000 {_FORCED}",
    )
    for name, words in {
        "cta": "",
        "cta-squares": "--norm 2 --weights equal",
        "cta-whole": "--whole --weights cost",
    }.items():
        yield Case.of(f"{name}.csv", f"adjust wide.csv {_WIDE} --method cta {words} {_FORCED}")
    yield Case.of("cta-sums.csv", f"{jobs} --method cta --lower 30 --upper 30 --keep-sums {_FORCED}")
    yield Case.of("cta-tab.xlsx", f"adjust cells.tab --method cta --weights equal {_FORCED}")
    yield Case("adjusted-region.csv", "run linked-adjust.toml --force", ("adjusted-sex.html",))


def tables() -> Iterator[Case]:
    """All; lists of cells come before what reads them."""
    yield from lists()
    yield from suppressed()
    yield from adjusted()
