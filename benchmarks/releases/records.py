"""Releases of records: every method that protects them, every format that holds them."""

from __future__ import annotations

from collections.abc import Iterator

from . import SEED, Case

PLAIN = """mdav md vmdav cbfs npn-mhm md-mhm mdav-mhm cbfs-mhm mhm tsp-mhm fdm projection clustered gsms
gsms-t2 mst-d mst-c kward kmeans1 kmeans2 hmeans1 hmeans2 hmkm dfo kc kckw imhm gower blocks best"""
# parameters that are not the usual ones, or keep a search short
VARIED = {
    "mdav-2k": "mdav --end-rule 2k --growth centroid --k 5",
    "md-growing": "md --growth centroid",
    "vmdav-clustered": "vmdav --gamma 1.1 --k 4",
    "projection-sum": "projection --by sum",
    "clusters": "clustered --clusters 5",
    "kmeans1-random": "kmeans1 --origin random --groups 60",
    "hmkm-k-means": "hmkm --first k-means",
    "dfo-published": "dfo --surrogate hmkm --polish=false --reach random",
    "kc-file": "kc --order file --centres fixed --starts 2",
    "ga": "ga --generations 10",
    "brkga": "brkga --generations 6 --population 30 --patience 3",
    "blocks-of-100": "blocks --block 100 --inside md --moves 4",
    "best-certified": "best --effort 0.2 --starts 2 --k 4 --certify --rounds 0",
    "best-walks": "best --effort 0.2 --starts 2 --recombine=false",
    "then-mhm": "kc --then mhm",
    "chain": "mdav+gsms-t2+hmeans1",
    "onedims": "onedims --k 4",
    "noise": "noise",
    "noise-bounded": "noise --alpha 0.3 --lowest 0 --round-integers",
    "correlated-noise": "correlated-noise --alpha 0.2",
    "correlated-noise-shrunk": "correlated-noise --shrink",
    "romm": "romm --strength 2",
    "rank-swap": "rank-swap --p 15",
    "shuffle": "shuffle",
    "shuffle-beside": "shuffle --beside costs",
    "top-code": "top-code --share 0.05 --by mean",
    "top-code-count": "top-code --count 12 --by median",
    "bottom-code": "bottom-code --share 0.04",
    "round": "round --base 100",
    "round-random": "round --base 1000 --random",
}
DRAWING = {
    "regression": "regression",
    "ipso-a": "ipso-a",
    "ipso-b": "ipso-b",
    "ipso-c": "ipso-c",
    "ipso-c-nonnegative": "ipso-c --nonnegative",
    "ipso-q": "ipso-q --alternations 5",
    "ipso-cluster": "ipso-cluster --c 3",
    "fcrm": "fcrm",
    "fcrm-radial": "fcrm --memberships separate --model radial --functions 4 --c 2 --max-leverage 1",
    "gadp": "gadp --similarity 0.3",
    "copula": "copula",
    "trees": "trees",
    "trees-few-first": "trees --order few-first --k 8 --systematic=false",
}

_AROUND = f"--force --insist --seed {SEED}"
_FIRMS = f"--identifiers name,registration --measures IL1 {_AROUND}"
_QUASI = "--quasi turnover,wages,investment,employees"
_DRAWN = "--dependent turnover,wages --independent investment,employees"
_PERSONS = f"--identifiers person_id,household_id,weight --measures CATEGORIES {_AROUND}"
_PATIENTS = f"--identifiers patient_id --measures SUPPRESSED {_AROUND}"
_KEYS = "--quasi sex,age,postcode,year"
_LADDERS = "--hierarchy age=age.csv,postcode=postcode.csv,year=year.csv"
_SOME_KEYS = "--quasi region,sex,education,employment"

WITHHELD = {
    "category": "",
    "wildcard": "--missing-as wildcard",
    "importance": "--importance region=3,sex=2 --k 5",
    "pairs": "--m 2",
    "heuristic": "--options 0 --k 4",
    "strata": "--strata region",
}


def records() -> Iterator[Case]:
    """Every method that protects records, every format that holds them, and what goes with a release."""
    for method in PLAIN.split():
        yield Case.of(f"{method}.csv", f"protect firms.csv --method {method} {_QUASI} {_FIRMS}")
    for name, words in VARIED.items():
        yield Case.of(f"{name}.csv", f"protect firms.csv --method {words} {_QUASI} {_FIRMS}")
    yield Case.of("hm.csv", f"protect firms.csv --method hm --k 6 --quasi turnover {_FIRMS}")
    for name, words in DRAWING.items():
        yield Case.of(f"{name}.parquet", f"synthesize firms.csv --method {words} {_DRAWN} {_FIRMS}")
    yield from _categories()
    yield from _formats()
    yield from _around_a_release()


def _categories() -> Iterator[Case]:
    """Recoding, generalisation, suppression, dropping, exchange of categories, mixed data."""
    for name, words in WITHHELD.items():
        keys = _SOME_KEYS if name != "strata" else "--quasi sex,education,employment"
        made = f"protect persons.csv --method local-suppression {keys} {words} {_PERSONS}"
        yield Case.of(f"suppressed-{name}.csv", made)
    for name, words in {
        "generalise": "generalise --k 4 --suppression-limit 0.02",
        "generalise-entropy": "generalise --quality entropy --outliers withhold --suppression-limit 0.05",
        "generalise-weighed": "generalise --importance age=3 --aggregate mean --balance 0.3",
        "recode-local": "recode-local --k 4",
        "recode-local-weighed": "recode-local --importance age=2,sex=3 --suppression-limit 0.02",
        "mondrian": "mondrian --k 4",
        "mondrian-relaxed": "mondrian --relaxed",
    }.items():
        yield Case.of(f"{name}.csv", f"protect patients.csv --method {words} {_KEYS} {_LADDERS} {_PATIENTS}")
    recoded = f"{_PATIENTS} --method recode"
    yield Case.of("recode-level.csv", f"protect patients.csv --quasi age {_LADDERS} --level 2 {recoded}")
    yield Case.of("recode-breaks.csv", f"protect patients.csv --quasi days --breaks 3,7,14,28 {recoded}")
    yield Case.of(
        "recode-map.csv",
        f"protect persons.csv --method recode --quasi education --map none=low,primary=low --others high "
        f"{_PERSONS}",
    )
    left = "--columns wealth,satisfaction --records \"age > 80 and sex = 'male'\""
    dropped = f"protect persons.csv --method drop {left} --identifiers person_id {_AROUND}"
    yield Case.of("drop-records.csv", dropped)
    exchanged = f"protect persons.csv --method pram --quasi education,sex {_PERSONS}"
    yield Case.of("pram.csv", f"{exchanged} --pd 0.5 --alpha 1")
    yield Case.of("pram-jointly.csv", f"{exchanged} --jointly --strata region")
    matrix = "sex:male:male=0.8,sex:male:female=0.2,sex:female:female=0.7,sex:female:male=0.3"
    given = f"protect persons.csv --method pram --quasi sex --matrix {matrix} {_PERSONS}"
    yield Case.of("pram-matrix.csv", given)
    yield Case.of("pram-invariant.parquet", f"{given} --invariant")
    swapped = "--quasi region --unit household_id --identifiers person_id,household_id,weight"
    yield Case.of(
        "record-swap.csv",
        f"protect persons.csv --method record-swap {swapped} --risk-columns sex,education,employment "
        f"--similar sex+employment,sex --rate 8 --measures CATEGORIES {_AROUND}",
    )
    mixed = "--quasi sex,age,region,education --nominal sex,region"
    order = "education=none<primary<secondary<bachelor<master"
    yield Case.of("gower-mixed.csv", f"protect persons.csv --method gower {mixed},education {_PERSONS}")
    weighed = f"--ordinal '{order}' --weights 1,2,1,3 --k 5"
    yield Case.of("gower-ordinal.csv", f"protect persons.csv --method gower {mixed} {weighed} {_PERSONS}")
    drawn = (
        "--dependent education,employment,wage --independent region,sex,age "
        "--nominal region,sex,education,employment"
    )
    for method in ("trees", "copula"):
        words = f"synthesize gaps.csv --method {method} {drawn} --missing level --max-unchanged 1 {_PERSONS}"
        yield Case.of(f"{method}-mixed.csv", words)
    ruled = f"{drawn} --max-unchanged 1 --rules 'age < 15: wage = 0'"
    yield Case.of("trees-rules.csv", f"synthesize persons.csv --method trees {ruled} {_PERSONS}")


def _formats() -> Iterator[Case]:
    """Each format written from Parquet, whose columns have types, and read again."""
    # transport files take names of eight letters at most
    long = "registration,employees,value_added,investment,profit_margin"
    short = f"protect firms.parquet --method drop --columns {long} --identifiers name {_AROUND}"
    yield Case.of("short.parquet", short)
    for ending in ("csv", "tsv", "parquet", "dta", "sav", "xpt", "xlsx"):
        made = f"protect short.parquet --k 4 --quasi turnover,wages --round-integers {_AROUND} --measures IL1"
        yield Case.of(f"firms-out.{ending}", made)
        again = f"protect firms-out.{ending} --method rank-swap --quasi turnover {_AROUND} --measures IL1"
        yield Case.of(f"firms-again.{ending}", again)
    mixed = f"protect persons.parquet --method gower --quasi sex,age,region --nominal sex,region {_PERSONS}"
    for ending in ("dta", "sav", "xlsx"):
        yield Case.of(f"persons-out.{ending}", mixed)
    yield Case.of(
        "decimal-comma.csv",
        f"protect german.csv --decimal , --quasi umsatz,lohn --round-integers {_AROUND} --k 4",
    )


def _around_a_release() -> Iterator[Case]:
    """Strata, units, gaps, orders, pseudonyms, parts, and plans of several steps."""
    protect = f"protect firms.csv {_QUASI} {_FIRMS}"
    yield Case.of("shuffled.csv", f"{protect} --k 4 --shuffle")
    yield Case.of(
        "strata.parquet", f"protect firms.parquet --strata region --round-integers {_QUASI} {_FIRMS}"
    )
    yield Case.of("strata-noise.csv", f"{protect} --method noise --strata region")
    for method in ("mdav", "tsp-mhm", "best", "onedims"):
        yield Case.of(f"units-{method}.csv", f"{protect} --method {method} --unit group_id")
    yield Case.of(
        "numeric.csv", f"protect firms.csv --quasi numeric --weight weight --unit group_id {_FIRMS}"
    )
    named = (
        f"--pseudonyms name --pseudonym-key office.key --identifiers registration {_AROUND} --measures IL1"
    )
    yield Case.of("pseudonyms.csv", f"protect firms.csv {_QUASI} {named}")
    yield Case.of("pseudonyms-firms.parquet", f"protect firms.csv {_QUASI} {named} --pseudonym-length 14")
    gaps = f"protect gaps.csv --quasi wage,taxes,total_income {_PERSONS}"
    for missing in ("drop", "stratum", "merge"):
        yield Case.of(f"missing-{missing}.csv", f"{gaps} --missing {missing}")
    yield Case.of("missing-noise.csv", f"{gaps} --missing stratum --method noise --alpha 0.4")
    parts = f"protect firms.parquet {_QUASI} {_FIRMS} --executor serial"
    yield Case.of("parts.parquet", f"{parts} --part 150")
    yield Case.of("parts-strata.parquet", f"{parts} --part 200 --strata region --k 4")
    yield Case("steps-public.csv", "run steps.toml --force")
    yield Case("levels-public.csv", "run levels.toml --force")
    yield Case("coded-public.parquet", "run coded.toml --force")
