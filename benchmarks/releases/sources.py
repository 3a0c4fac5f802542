"""What releases are made of: data sets of the house, and files beside them that do not depend on it."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import SEED

# what the command line writes before any case runs
DATA = (
    "business --out firms.csv",
    "business --out firms.parquet",
    "household --out persons.csv",
    "household --out persons.parquet",
    "patients --out register.csv",
)

Row = dict[str, str]


def write_sources(folder: Path) -> None:
    """Write all files beside the data sets, which are there already."""
    for name, text in {**FILES, **PLANS}.items():
        (folder / name).write_text(text.lstrip("\n"), encoding="utf-8")
    # a list of tau-ARGUS is written with its hierarchy, under the name of the column
    (folder / "places.hrc").write_text((folder / "region.hrc").read_text("utf-8"), encoding="utf-8")
    (folder / "office.key").chmod(0o600)
    _write(folder / "wide.csv", _list_of(row=range(1, 13), column=range(1, 11)))
    _write(folder / "deep.csv", _list_of(year=range(2021, 2025), region="abcd", size=("S", "M", "L", "X")))
    patients = _read(folder / "register.csv")[:400]
    _write(folder / "patients.csv", patients)
    _write_lines(folder / "age.csv", (_of_age(age) for age in range(110)))
    _write_lines(
        folder / "postcode.csv",
        (
            (code, f"{code[:2]}**", f"{code[:1]}***", "****")
            for code in sorted({p["postcode"] for p in patients})
        ),
    )
    firms, persons = _read(folder / "firms.csv"), _read(folder / "persons.csv")
    marks = [(_size(int(f["employees"])), f"{i % 7 == 0:d}", f"{i % 11 == 0:d}") for i, f in enumerate(firms)]
    sized = [
        {**f, **dict(zip(("size", "asks", "waives"), m, strict=True))}
        for f, m in zip(firms, marks, strict=True)
    ]
    _write(folder / "sized.csv", sized)
    german = [(f["registration"], f["profit_margin"], f["net_debt"]) for f in firms[:200]]
    _write_lines(
        folder / "german.csv",
        [("plz", "umsatz", "lohn"), *((a, b.replace(".", ","), c) for a, b, c in german)],
    )
    _write(folder / "gaps.csv", [_with_gaps(i, person) for i, person in enumerate(persons)])
    # keys of records: the fractional parts of multiples of the golden ratio
    keys = (f"{i * 0.6180339887498949 % 1:.12f}" for i in itertools.count(1))
    _write(folder / "keyed.csv", [{**person, "key": next(keys)} for person in persons])


def _read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _write(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_lines(path: Path, lines: Iterable[Sequence[str]]) -> None:
    path.write_text("".join(f"{';'.join(line)}\n" for line in lines), encoding="utf-8")


def _list_of(**labels: Iterable[object]) -> list[Row]:
    """A list of cells, small and large ones mixed by arithmetic alone; the small ones are sensitive."""
    found = []
    for place, cell in enumerate(itertools.product(*labels.values())):
        value = place * place * 31 % 211 + 2
        named = {name: str(label) for name, label in zip(labels, cell, strict=True)}
        found.append({**named, "value": str(value), "sensitive": f"{value < 14:d}"})
    return found


def _size(staff: int) -> str:
    return "small" if staff < 10 else "medium" if staff < 50 else "large"


def _with_gaps(i: int, person: Row) -> Row:
    missing = {"wage": i % 19 == 0, "taxes": i % 23 == 0, "education": i % 17 == 0}
    return {name: "" if missing.get(name) else value for name, value in person.items()}


def _of_age(age: int) -> tuple[str, ...]:
    bands = [f"{age // width * width}-{age // width * width + width - 1}" for width in (5, 10, 20)]
    return (str(age), *(("80 or more",) * 3 if age >= 80 else bands), "*")


FILES = {
    "office.key": f"{'5eed0c0ffee5afe0' * 4}\n",
    "year.csv": """
2021;2021-2022;*
2022;2021-2022;*
2023;2023-2024;*
2024;2023-2024;*
""",
    "region.hrc": """
Inland
@North
@East
@West
Seaside
@Coast
@South
""",
    "nuts.hrc": """
R1
@a
@b
R2
@c
@d
""",
    # combinations that are not listed are zeros
    "zeros.csv": """
region,work,persons,sensitive
north,employed,14,0
north,seeking,3,0
north,other,27,0
south,employed,41,0
south,seeking,1,1
south,other,8,0
south,training,4,0
east,employed,12,0
east,seeking,6,0
east,training,9,0
west,employed,33,0
west,seeking,2,1
west,other,11,0
west,training,7,0
""",
    "jobs.csv": """
year,region,size,jobs,sensitive
2023,a,small,14,0
2023,a,large,30,0
2023,b,small,22,0
2023,b,large,41,0
2023,c,small,35,0
2023,c,large,19,0
2023,d,small,28,0
2023,d,large,33,0
2024,a,small,3,1
2024,a,large,38,0
2024,b,small,25,0
2024,b,large,44,0
2024,c,small,31,0
2024,c,large,27,0
2024,d,small,26,0
2024,d,large,36,0
""",
    "firms.rda": """
region 1 2
  <RECODEABLE>
sector 4 5
  <RECODEABLE>
turnover 10 5
  <NUMERIC>
holding 15 1
  <HOLDING>
""",
    "firms.asc": """
n1 food   400 a
n1 food    40 b
n1 food    35 c
n2 food    90 d
n2 food    80 e
n2 food    70 f
n1 steel   60 g
n1 steel   50 h
n1 steel   55 i
n2 steel   52 k
n2 steel   58 l
n2 steel   50 m
""",
}

PLANS = {
    "steps.toml": f"""
version = 1

[input]
path = "persons.csv"

[roles]
identifiers = ["person_id", "household_id", "weight"]
unit = "household_id"
unit_columns = ["region"]

[protect]
shuffle = true
insist = true
seed = "{SEED}"

[[steps]]
method = "recode"
quasi = ["education"]
map = {{none = "school", primary = "school", secondary = "school"}}

[[steps]]
method = "gower"
quasi = ["region", "sex", "education"]
nominal = ["region", "sex", "education"]
k = 5

[[steps]]
method = "mdav"
quasi = ["age", "wage", "self_employment", "transfers", "total_income", "taxes", "housing_cost"]
round_integers = true
k = 3

[[steps]]
method = "noise"
quasi = ["wealth"]

[measure]
names = ["IL1"]

[require]
k_anonymity = {{k = 5, keys = ["region", "sex", "education"]}}

[output]
path = "steps-public.csv"
""",
    "levels.toml": f"""
version = 1

[input]
path = "patients.csv"

[roles]
identifiers = ["patient_id"]
quasi = ["sex", "age", "postcode", "year"]
confidential = ["diagnosis"]

[roles.hierarchy]
age = "age.csv"
postcode = "postcode.csv"
year = "year.csv"

[protect]
method = "generalise"
k = 4
suppression_limit = 0.04
shuffle = true
insist = true
seed = "{SEED}"

[protect.models.l_diversity]
column = "diagnosis"
l = 2

[measure]
names = ["SUPPRESSED"]

[output]
path = "levels-public.csv"
""",
    "coded.toml": f"""
version = 1

[input]
path = "firms.parquet"

[roles]
identifiers = ["name", "registration"]

[protect]
seed = "{SEED}"
insist = true

[[steps]]
method = "drop"
columns = ["value_added"]

[[steps]]
method = "recode"
quasi = ["employees"]
breaks = [10, 50, 250]

[[steps]]
method = "local-suppression"
quasi = ["region", "sector", "employees"]
k = 3

[[steps]]
method = "top-code"
quasi = ["turnover", "wages"]
share = 0.03
by = "mean"

[[steps]]
method = "round"
quasi = ["costs"]
base = 1000

[measure]
names = ["IL1"]

[output]
path = "coded-public.parquet"
""",
    "linked.toml": """
version = 1

[input]
path = "sized.csv"

[table]
value = "turnover"
unit = "group_id"

[table.hierarchy]
region = "region.hrc"

[[tables]]
dimensions = ["region", "sector"]
output = "linked-sector.csv"

[[tables]]
dimensions = ["region", "size"]
output = "linked-size.html"
title = "Turnover by region and size of firm"

[[rules]]
name = "p-percent"
p = 15

[[rules]]
name = "minimum-frequency"
threshold = 3
margin = 10

[suppress]
problem = "interval"
margins = true
insist = true
""",
    "listed.toml": """
version = 1

[input]
path = "persons.csv"

[table]
dimensions = ["region", "employment"]
unit = "household_id"

[[rules]]
name = "listed"
cells = [["Coast", "unemployed"], ["North", "student"]]

[suppress]
problem = "exact"
insist = true

[output]
path = "listed.csv"
""",
    "linked-adjust.toml": """
version = 1

[input]
path = "persons.csv"

[[tables]]
dimensions = ["region", "employment"]
output = "adjusted-region.csv"

[[tables]]
dimensions = ["region", "sex"]
output = "adjusted-sex.html"
title = "Persons by region and sex"

[adjust]
method = "rounding"
base = 5
""",
}
