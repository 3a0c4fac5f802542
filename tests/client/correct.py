"""What a type checker must accept: correct uses of the same names. Never run, only checked."""

from pathlib import Path
from typing import Any, assert_type

import polars as pl

import tacita
from tacita import io, measures, methods, tables

frame = pl.DataFrame({"x": [1.0, 2.0, 3.0]})
table = tacita.Table.from_array([[4, 7], [2, 1]], frequency=True)

release = tacita.protect(frame, quasi="x", k=3, seed="new", missing="drop", shuffle=True)
assert_type(release, tacita.Release[pl.DataFrame])
assert_type(release.data, pl.DataFrame)
assert_type(tacita.protect("survey.csv", quasi="numeric"), tacita.Release[Any])
assert_type(tacita.protect_file("a.parquet", "b.parquet", quasi="x"), tacita.Release[Path])
tacita.protect(frame, quasi=["x"], method=methods.MDAV(k=3, end_rule="2k"), then="mhm")
tacita.protect(frame, quasi=["x"], method=["mdav", methods.MHM(k=3)], accept_risks=["k-of-2"])
tacita.protect(frame, quasi=["x"], method="vmdav", gamma=0.2)
made = tacita.synthesize(frame, dependent="x", method="fcrm", c=3, callback=print)
assert_type(made.data, pl.DataFrame)
tacita.compare_methods(frame, quasi="x", method=["mdav", "vmdav"], k=[3, 5], gamma=[0.1, 0.2]).save(
    report="a.html"
)
tacita.evaluate(frame, release.data, quasi="x", measures=["IL1"]).save("scores.json")
tacita.risk_profile(frame, keys=["x"], missing_as="wildcard").to_pandas()
result = tacita.suppress(table, "interval", methods.Optimal(seconds=5), accept_risks=True)
assert_type(result, tables.SuppressedTable)
result.save("table.csv", report="review.html")
result.audit.to_pandas()
tacita.adjust(table, methods.Rounding(base=5)).save("table.xlsx")
tables.suppress(table, solver="highs")
release.save("out.csv", note="note.html")
measures.DBRL()
io.sniff_csv("survey.csv")
tacita.RunContext(seed=5, should_stop=lambda: True)
