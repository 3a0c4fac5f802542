"""Plans as people have them: between them they name every field that the page holds."""

TABULATED = """
version = 1
[input]
path = "firms.csv"
missing_values = ["", "?"]
[table]
dimensions = ["region", "sector"]
value = "turnover"
unit = "group_id"
weight = "weight"
total = { region = "All", sector = "Sum" }
title = "Turnover"
hierarchy = { region = "lists/region.csv" }
prefixes = { sector = [1] }
[[rules]]
name = "p-percent"
p = 12
[[rules]]
name = "dominance"
n = 2
k = 80
[suppress]
problem = "interval"
objective = "count"
margins = false
zeros = "publish"
method = "optimal"
solver = "highs"
time = 20
insist = true
[output]
path = "published.xlsx"
json = "r.json"
report = "r.html"
"""

MARKED = """
version = 1
[input]
path = "firms.csv"
[table]
rows = "region"
columns = "sector"
request = "asked"
waiver = "waived"
key = "key"
[[rules]]
name = "request"
[adjust]
method = "small-counts"
seed = "123456789012345678901234567890"
time = 15
signed = true
insist = true
[output]
path = "published.csv"
note = "n.html"
"""

CELLS = """
version = 1
[input]
path = "cells.csv"
kind = "cells"
[table]
dimensions = ["r", "c"]
value = "v"
primary = "p"
lower = "low"
upper = 12.5
sliding = 20
contributors = "n"
counts = false
fill_zeros = true
parents = { c = "above" }
[suppress]
problem = "interval"
objective = "cost"
margins = true
strict = true
insiders = true
accept = ["no-sensitive-cells"]
method = "constructive"
[output]
path = "published.csv"
"""

PERSONS = """
version = 1
[input]
path = "data/persons.csv"
delimiter = ";"
decimal = ","
encoding = "latin-1"
missing_values = ["", "n/a"]
[roles]
quasi = ["taxes", "wage", "education", "satisfaction"]
numeric = ["satisfaction"]
nominal = []
identifiers = ["household_id", "person_id"]
confidential = ["employment"]
strata = ["sex"]
unit = "household_id"
unit_columns = ["region"]
weight = "weight"
[roles.ordinal]
education = ["none", "primary", "secondary", "bachelor", "master"]
[protect]
method = "gower"
k = 4
missing = "drop"
round_integers = true
shuffle = true
insist = true
seed = 12345
[measure]
names = ["IL1", "DR", "PIL", "SCORE"]
without = ["DR"]
domains = ["region"]
settings = { IL1 = {} }
[require]
k_anonymity = { k = 2, keys = ["sex"] }
[output]
path = "persons.parquet"
report = "r.html"
json = "r.json"
note = "n.html"
"""

STEPS = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
identifiers = ["household_id", "person_id", "total_income"]
strata = ["region"]
nominal = ["satisfaction"]
[protect]
seed = "123456789012345678901234567890"
[[steps]]
method = "pram"
quasi = ["satisfaction"]
pd = 0.8
[[steps]]
method = "noise"
quasi = ["taxes", "wage"]
numeric = ["wage"]
alpha = 0.25
missing = "drop"
round_integers = true
[[steps]]
method = "mdav"
then = "mhm"
quasi = ["age", "transfers"]
k = 5
[[steps]]
method = "gower"
quasi = ["sex", "education"]
nominal = ["sex"]
ordinal = { education = ["none", "primary", "secondary", "bachelor", "master"] }
k = 3
[[steps]]
method = "ipso-a"
dependent = ["wealth"]
independent = ["housing_cost"]
max_leverage = 0.9
[output]
path = "out.csv"
"""

LINKED = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
quasi = ["taxes", "wage"]
identifiers = ["total_income"]
pseudonyms = ["household_id", "person_id"]
unit = "household_id"
[protect]
method = "kc"
then = "mhm"
k = 4
seed = 7
insist = true
pseudonym_key = "office.key"
pseudonym_length = 24
[output]
path = "out.csv"
"""

DRAWN = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
dependent = ["wealth", "taxes"]
independent = ["wage"]
identifiers = ["household_id", "person_id"]
[protect]
method = "ipso-a"
max_leverage = 0.9
seed = 99
insist = true
[output]
path = "out.csv"
"""

GENERALISED = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
quasi = ["education", "age", "region"]
identifiers = ["household_id", "person_id"]
[roles.hierarchy]
region = { Inland = ["North", "East", "South"], Sea = ["West", "Coast"] }
age = "lists/age.csv"
education = "lists/school.hrc"
[protect]
method = "generalise"
k = 3
suppression_limit = 0.05
importance = { education = 2.5 }
seed = 77
[output]
path = "out.csv"
"""

RECODED = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
identifiers = ["household_id", "person_id"]
[roles.hierarchy]
age = "age.csv"
education = "school.hrc"
[protect]
seed = 78
[[steps]]
method = "recode"
quasi = ["education", "age"]
level = { education = 1, age = 2, sex = 0, nobody = 1 }
[[steps]]
method = "recode"
quasi = ["wage"]
breaks = { wage = [0.5, 20000.0] }
[[steps]]
method = "top-code"
quasi = ["taxes", "wealth"]
limit = 50000
[output]
path = "out.csv"
"""

NUMERIC = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
quasi = "numeric"
identifiers = ["household_id", "person_id"]
[protect]
seed = 5
insist = true
[output]
path = "out.csv"
"""

DROPPED = """
version = 1
[input]
path = "persons.csv"
delimiter = ";"
decimal = ","
[roles]
identifiers = ["household_id", "person_id"]
[protect]
method = "drop"
columns = ["wealth"]
[output]
path = "out.csv"
"""

FIXED = """
version = 1
[input]
path = "firms.asc"
meta = "lists/firms.rda"
[table]
dimensions = ["region", "sector"]
value = "turnover"
unit = "holding"
[[rules]]
name = "p-percent"
p = 20
[suppress]
problem = "interval"
method = "optimal"
[output]
path = "published.csv"
"""
