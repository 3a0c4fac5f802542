"""Wrong words on the command line and in plans are refused: clearly, without a leak, without a trace."""

import pytest

from bad_inputs.shared import PROTECT, Refusal, check_refusal, plan, refuse, survey, text

ONE = "protect survey.csv --out out.csv --quasi"
ASSESS = "assess survey.csv after.csv --quasi turnover"

INPUT = '[input]\npath = "survey.csv"\n'


def refuse_plan(name: str, *says: str, **sections: str) -> Refusal:
    """A plan that is wrong in some section."""
    return refuse(name, "run plan.toml", 2, *says, files=plan(**sections))


def released(**cells: str) -> dict[str, str]:
    """A file to assess beside the survey."""
    return {"after.csv": survey(**cells)["survey.csv"]}


GROUP_SIZE = [
    refuse("k-of-zero", PROTECT + " --k 0", 2, "k must be at least 2, got 0"),
    refuse("k-of-one", PROTECT + " --k 1", 2, "k must be at least 2, got 1"),
    refuse("k-negative", PROTECT + " --k -3", 2, "k must be at least 2, got -3"),
    refuse("k-of-two-not-accepted", PROTECT + " --k 2", 2, "at least 3, got 2", "--accept k-of-2"),
    refuse("k-not-whole", PROTECT + " --k 3.5", 2, "k must be a whole number, got '3.5'"),
    refuse("k-not-a-number", PROTECT + " --k three", 2, "k must be a whole number, got 'three'"),
    refuse("k-empty", PROTECT + " --k ''", 2, "k must be a whole number"),
    refuse("k-without-value", PROTECT + " --k", 2, "--k", "requires an argument"),
    refuse("k-given-twice", PROTECT + " --k 3 --k 4", 2, "--k", "multiple times"),
    refuse("k-huge", PROTECT + f" --k {10**30}", 1, "records, got 12"),
    refuse("k-with-five-thousand-digits", PROTECT + f" --k {'9' * 5000}", 2, "k must be"),
]
METHODS = [
    refuse("an-unknown-method", PROTECT + " --method bestest", 2, "'bestest'", "Did you mean best"),
    refuse("a-method-without-value", PROTECT + " --method", 2, "--method"),
    refuse("a-measure-as-method", PROTECT + " --method IL1", 2, "'IL1'", "mdav"),
    refuse("hm-with-two-columns", PROTECT + " --method hm", 1, "HM: wanted one column, got 2"),
    refuse("an-unknown-measure", PROTECT + " --measures IL1,Magic", 2, "'Magic'", "IL1, IL2"),
    refuse("a-measure-named-twice", PROTECT + " --measures IL1,IL1", 2, "IL1 is named twice"),
    refuse("a-method-as-measure", PROTECT + " --measures mdav", 2, "'mdav'"),
    refuse("an-unknown-way-with-missing-values", PROTECT + " --missing guess", 2, "guess", "stratum"),
    refuse("a-negative-seed", PROTECT + " --seed -1", 2, "seed must be at least 0"),
    refuse("a-seed-of-text", PROTECT + " --seed luck", 2, "seed must be a whole number"),
    refuse("a-delimiter-of-two-signs", PROTECT + " --delimiter ab", 2, "delimiter must be at most 1"),
    refuse("a-quote-as-delimiter", PROTECT + " --delimiter '\"'", 2, "delimiter must be a sign"),
    refuse("a-letter-as-delimiter", PROTECT + " --delimiter é", 2, "delimiter must be a sign"),
    refuse("a-line-break-as-delimiter", PROTECT + " --delimiter '\n'", 2, "delimiter must be a sign"),
    refuse("an-odd-decimal-sign", PROTECT + " --decimal x", 2, '"."', '","'),
    refuse("an-unknown-option", PROTECT + " --bogus 3", 2, "--bogus"),
    refuse("a-stray-word", PROTECT + " extra.csv", 2, "extra.csv"),
    refuse("an-unknown-command", "protekt survey.csv", 2, "protekt", "protect"),
    refuse("no-output", "protect survey.csv --quasi turnover", 2, "--out"),
    refuse("no-quasi-identifiers", "protect survey.csv --out out.csv", 2, "--quasi"),
    refuse("no-input", "protect", 2, "INPUT"),
    refuse(
        "an-unknown-method-to-describe",
        "methods bestest",
        2,
        "'bestest'",
        "Did you mean best",
        "list of methods",
    ),
    refuse("an-unknown-data-set", "datasets iris", 2, "iris", "business"),
    refuse("a-data-set-of-unknown-kind", "datasets business --out b.ods", 2, ".ods"),
    refuse("a-demo-in-a-file", "demo --folder survey.csv", 2, "survey.csv", "folder"),
]
NOISE = PROTECT + " --method noise"
MASKINGS = [
    refuse("noise-of-no-strength", NOISE + " --alpha 0", 2, "alpha must be more than 0"),
    refuse("noise-of-negative-strength", NOISE + " --alpha -0.1", 2, "alpha must be more than 0"),
    refuse("noise-of-infinite-strength", NOISE + " --alpha inf", 2, "alpha must be"),
    refuse("noise-of-no-number", NOISE + " --alpha nan", 2, "alpha must be"),
    refuse("noise-of-much-strength", NOISE + " --alpha much", 2, "alpha"),
    refuse("bounds-the-wrong-way", NOISE + " --lowest 5 --highest 1", 2, "lowest must be less than highest"),
    refuse("bounds-that-values-break", NOISE + " --highest 0.5", 1, "outside the bounds"),
    refuse("a-k-for-noise", NOISE + " --k 3", 2, "--k"),
    refuse("a-swap-of-nothing", PROTECT + " --method rank-swap --p 0", 2, "p must be more than 0"),
    refuse("a-swap-beyond-all", PROTECT + " --method rank-swap --p 101", 2, "p must be at most 100"),
    refuse("a-swap-of-less-than-a-rank", PROTECT + " --method rank-swap --p 1", 1, "less than one rank"),
    refuse("a-rotation-of-no-strength", PROTECT + " --method romm --strength 0", 2, "strength must be more"),
    refuse("an-unknown-column-beside", PROTECT + " --method shuffle --beside ghost", 2, "no column ghost"),
    refuse("a-masked-column-beside", PROTECT + " --method shuffle --beside wages", 2, "a context column"),
    refuse(
        "ranking-of-pairs", PROTECT + " --method onedims --k 2", 2, "at least 3, got 2", "--accept k-of-2"
    ),
    refuse("a-masking-in-a-chain", PROTECT + " --method mdav+noise", 2, "noise cannot be part of a chain"),
]
ROLES = [
    refuse("an-unknown-quasi-identifier", ONE + " turnovr", 2, "no column turnovr", "turnover"),
    *(
        refuse(f"an-unknown-column-as-{role}", f"{PROTECT} --{role} ghost", 2, "no column ghost", "region")
        for role in ("identifiers", "confidential", "strata", "unit", "weight")
    ),
    *(
        refuse(f"a-quasi-identifier-also-as-{role}", f"{PROTECT} --{role} wages", 2, "wages", "twice", role)
        for role in ("identifiers", "confidential", "strata", "unit", "weight")
    ),
    refuse("strata-also-as-unit", PROTECT + " --strata region --unit region", 2, "region", "twice"),
    refuse("a-quasi-identifier-named-twice", ONE + " wages,wages", 2, "wages", "twice"),
    refuse("no-name-at-all", ONE + " ''", 2, "quasi must name at least one column"),
    refuse("an-empty-name", ONE + " turnover,", 2, "no column"),
    refuse("names-on-two-lines", ONE + " 'turnover\nwages'", 2, "double quotes"),
    refuse("a-name-with-an-open-quote", ONE + " '\"turnover,wages'", 2, "double quotes"),
    refuse("names-split-by-semicolons", ONE + " 'turnover;wages'", 2, "no column turnover;wages"),
    refuse("names-as-weight", PROTECT + " --weight name", 1, "column name", "12 cells"),
    refuse("a-negative-weight", ONE + " wages --weight turnover", 1, "turnover", files=survey(turnover="-1")),
    refuse("dates-as-quasi-identifier", ONE + " born", 1, "column born", "12 cells"),
    refuse("booleans-as-quasi-identifier", ONE + " active", 1, "column active", "12 cells"),
    refuse("codes-as-quasi-identifier", ONE + " postcode", 1, "column postcode", "codes"),
    refuse(
        "numeric-where-every-number-has-a-role",
        ONE + " numeric --confidential turnover --weight wages",
        2,
        "no numeric column",
    ),
    refuse(
        "numeric-where-nothing-is-a-number",
        ONE + " numeric",
        2,
        "no numeric column",
        files=survey(turnover="Quixote", wages="NA"),
    ),
    refuse(
        "the-first-record-as-one-name",
        PROTECT + " --delimiter |",
        2,
        "has none of the names",
        files={"survey.csv": "".join(text().splitlines(keepends=True)[5:])},
    ),
]
GROUPS = [
    refuse("a-small-stratum", PROTECT + " --k 7 --strata region", 1, "2 of 2 strata", "k=7", "smallest: 6"),
    refuse(
        "a-stratum-of-a-missing-name",
        PROTECT + " --strata region",
        1,
        "1 of 3 strata",
        "smallest: 1",
        files=survey(region={4: "NA"}),
    ),
    refuse("strata-as-fine-as-records", PROTECT + " --strata name", 1, "12 of 12 strata"),
    refuse("fewer-units-than-k", PROTECT + " --k 7 --unit firm", 1, "7 distinct units, got 6"),
    refuse(
        "a-stratum-with-too-few-units",
        PROTECT + " --k 4 --strata region --unit firm",
        1,
        "2 of 2 strata",
        "distinct units",
    ),
    refuse(
        "records-missing-alike-are-too-few",
        PROTECT + " --missing stratum",
        1,
        "1 of 2 strata",
        "smallest: 2",
        files=survey(wages={3: "", 4: ""}),
    ),
    refuse(
        "too-few-records-left",
        PROTECT + " --missing drop",
        1,
        "at least 3 records, got 2",
        files=survey(wages=dict.fromkeys(range(10), "")),
    ),
    refuse("no-record-left", PROTECT + " --missing drop", 1, "every record", files=survey(wages="")),
    refuse(
        "nothing-known-of-anyone",
        ONE + " wages --missing stratum",
        1,
        "constant or missing",
        files=survey(wages=""),
    ),
]
ASSESSING = [
    refuse(
        "assess-other-row-counts", ASSESS, 1, "12 records", files={"after.csv": text().rpartition("\n0")[0]}
    ),
    refuse("assess-a-release-without-the-column", ASSESS, 2, "turnover", files={"after.csv": "x\n" * 13}),
    refuse("assess-a-column-nobody-has", ASSESS + ",ghost", 2, "no column ghost", files=released()),
    refuse(
        "assess-all-missing",
        ASSESS,
        1,
        "every record",
        files=released(turnover=""),
    ),
    refuse(
        "assess-text",
        ASSESS,
        1,
        "column turnover",
        files=released(turnover="Quixote"),
    ),
    refuse("assess-without-a-release", "assess survey.csv --quasi turnover", 2, "RELEASED"),
    refuse("assess-a-release-that-is-not-there", ASSESS, 2, "after.csv", "no such file"),
]
PLANS = [
    refuse("a-plan-that-is-not-there", "run plan.toml", 2, "plan.toml", "no such file"),
    refuse("a-folder-as-plan", "run plan.toml", 2, "plan.toml", files={"plan.toml/x": ""}),
    refuse("a-plan-that-is-not-toml", "run survey.csv", 2, "not valid TOML"),
    refuse("a-plan-not-in-utf-8", "run plan.toml", 2, "UTF-8", files={"plan.toml": "é".encode("latin-1")}),
    refuse("an-empty-plan", "run plan.toml", 2, "version", files={"plan.toml": ""}),
    refuse_plan("a-plan-without-version", "version = 1", version=""),
    refuse_plan("a-plan-of-version-two", "version must be one of 1, got 2", version="version = 2"),
    refuse_plan("a-plan-with-an-unknown-section", "no parameter publish", "output", more="[publish]"),
    refuse_plan("a-plan-without-output", "output is required", output=""),
    refuse_plan(
        "a-plan-with-a-number-for-a-section", "measure must be a section", version="version = 1\nmeasure = 5"
    ),
    refuse_plan("a-plan-without-quasi", "quasi is required", roles="[roles]"),
    refuse_plan("a-plan-with-no-quasi-named", "at least one column", roles="[roles]\nquasi = []"),
    refuse_plan("a-plan-with-quasi-of-numbers", "quasi.0 must be text", roles="[roles]\nquasi = [1, 2]"),
    refuse_plan("a-plan-with-a-misspelt-role", "no parameter quasy", "unit", roles="[roles]\nquasy = 'x'"),
    refuse_plan("a-plan-with-a-misspelt-output", "no parameter josn", "json", output="[output]\njosn = 'x'"),
    refuse_plan("a-plan-with-an-option-of-no-method", "MDAV", "depth", protect="[protect]\ndepth = 3"),
    refuse_plan("a-plan-with-k-of-text", "k must be a whole number", protect="[protect]\nk = 'many'"),
    refuse_plan("a-plan-with-k-not-whole", "k must be a whole number", protect="[protect]\nk = 3.5"),
    refuse_plan("a-plan-with-a-list-of-k", "k must be a whole number", protect="[protect]\nk = [3, 5]"),
    refuse_plan("a-plan-with-a-number-for-a-path", "path must be a path", input="[input]\npath = 5"),
    refuse_plan("a-plan-with-a-nul-in-the-input", "null", input='[input]\npath = "x\\u0000.csv"'),
    refuse_plan("a-plan-with-a-nul-in-the-output", "null", output='[output]\npath = "x\\u0000.csv"'),
    refuse_plan("a-plan-with-a-nul-in-the-encoding", "encoding", input=INPUT + 'encoding = "x\\u0000"'),
    refuse_plan("a-plan-over-its-input", "same file", output='[output]\npath = "survey.csv"'),
    refuse_plan("a-plan-over-its-input-by-a-detour", "same file", output='[output]\npath = "./survey.csv"'),
    refuse("a-plan-of-refused-data", "run plan.toml", 1, "missing", files=plan() | survey(wages={3: ""})),
]
CASES = [*GROUP_SIZE, *METHODS, *MASKINGS, *ROLES, *GROUPS, *ASSESSING, *PLANS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_wrong_request_is_refused_without_a_leak_or_a_trace(case: Refusal, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    check_refusal(case, tmp_path, capsys)
