"""The commands of tables as tests call them, and the files they take and leave."""

import csv
import json

from tacita.cli import run_command

PROBLEMS = ("general", "exact", "interval")
NAMED = ["--rows", "activity", "--columns", "region", "--value", "turnover", "--primary", "sensitive"]
REGIONS = {"I": (11, 47, 58), "II": (1, 15, 33), "III": (2, 31, 20)}


def write_cells(path, values, primary, extra=None):
    """A list of inner cells, activities down and regions across."""
    head = ["activity", "region", "turnover", "sensitive", *(extra or {})]
    lines = [",".join(head)]
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            own = [str(each[i][j]) for each in (extra or {}).values()]
            lines.append(",".join([f"a{i}", f"r{j}", f"{value:g}", str(int(primary[i][j])), *own]))
    path.write_text("\n".join(lines) + "\n")
    return path


def suppress(source, *more, out="published.csv", result="result.json"):
    words = ["suppress", "--force", str(source), *NAMED, "--out", str(source.parent / out)]
    return run_command([*words, "--json", str(source.parent / result), *map(str, more)])


def outcome(source, name="result.json"):
    return json.loads((source.parent / name).read_text())


def published(source, name="published.csv"):
    with (source.parent / name).open() as file:
        return list(csv.DictReader(file))
