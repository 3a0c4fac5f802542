"""Mistakes that a type checker must report: one on each line that says so. Never run, only checked."""

import polars as pl

import tacita
from tacita import io, measures, methods, tables
from tacita.core import Roles

frame = pl.DataFrame({"x": [1.0, 2.0, 3.0]})
table = tacita.Table.from_array([[4, 7], [2, 1]], frequency=True)

# names that are not there
tacita.protct(frame, quasi="x")  # mistake
print(tacita.nothing)  # mistake
tables.supress(table)  # mistake
methods.MDAW(k=3)  # mistake
measures.DBLR()  # mistake
io.raed("survey.csv")  # mistake
tacita.RunContxt()  # mistake
tacita.risk(frame, keys="x")  # mistake

# arguments that are not there
tacita.protect(frame, quasi="x", kk=3)  # mistake
tacita.protect(frame, quazi="x", k=3)  # mistake
tacita.protect(frame, quasi="x", sed=5)  # mistake
tacita.protect(frame, quasi="x", insists=True)  # mistake
tacita.synthesize(frame, dependent="x", indepedent="y")  # mistake
tacita.synthesize(frame, independent="x")  # mistake
tacita.compare_methods(frame, quasi="x", ks=[3, 5])  # mistake
tacita.protect_file("in.parquet", "out.parquet", quasi="x", exekutor="serial")  # mistake
tacita.evaluate(frame, frame, quasi="x", weight="w")  # mistake
tacita.risk_profile(frame, key="x")  # mistake
tacita.check_requirements(frame)  # mistake
tacita.suppress(table, second=5)  # mistake
tacita.adjust(table, "rounding", bas=5)  # mistake
tacita.RunContext(sead=5)  # mistake
methods.MDAV(kk=3)  # mistake
methods.Rounding(bases=5)  # mistake

# types that do not fit
tacita.protect(frame, quasi="x", k="three")  # mistake
tacita.protect(frame, quasi="x", shuffle="yes")  # mistake
tacita.protect(frame, quasi=5)  # mistake
tacita.protect(frame, quasi="x", method=3)  # mistake
tacita.protect(frame, quasi="x", gamma="wide")  # mistake
tacita.risk_profile(frame, keys="x", fraction="a tenth")  # mistake
tacita.suppress(frame)  # mistake
tacita.RunContext(seed=[1])  # mistake
methods.MDAV(k="three")  # mistake
tacita.compare_methods(frame, quasi="x", k=["three"])  # mistake

# words that are not in a closed set
tacita.protect(frame, quasi="x", missing="dorp")  # mistake
tacita.synthesize(frame, dependent="x", missing="stratum")  # mistake
tacita.protect(frame, quasi="x", growth="centre")  # mistake
tacita.risk_profile(frame, keys="x", missing_as="wildcards")  # mistake
tacita.suppress(table, problem="intervall")  # mistake
tacita.suppress(table, solver="highs2")  # mistake
tacita.suppress(table, zeros="hide")  # mistake
methods.MDAV(end_rule="4k")  # mistake
tacita.RunContext(device="gpu")  # mistake

# results
release = tacita.protect(frame, quasi="x", k=3)
release.data.to_parket("out.parquet")  # mistake
release.sav("out.csv")  # mistake
release.save("out.csv", reprot="review.html")  # mistake
tacita.suppress(table).saev("table.csv")  # mistake
Roles(quasy="x")  # mistake
