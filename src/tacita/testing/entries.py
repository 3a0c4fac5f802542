"""The laws of every entry of the registry."""

from __future__ import annotations

import doctest
import io
import json
import sys
from typing import Any

from tacita.core import Method, ParameterError
from tacita.core.spec import registry
from tacita.testing import Findings

from .examples import refusal, varied


def it_is_a_method_whose_docstring_has_cost_source_and_example(method: Any) -> Findings:
    yield isinstance(method, Method), "It does not derive from tacita.core.Method."
    yield method.kind in registry.BUILT_IN, f"There is no kind {method.kind}."
    text = type(method).prose
    for part, what in {"O(": "the cost, as O(...)", "Source:": "the source", ">>>": "an example"}.items():
        yield part in text, f"The docstring lacks {what} ({part})."


def the_example_in_its_docstring_runs(method: Any) -> Findings:
    output, runner = io.StringIO(), doctest.DocTestRunner(verbose=False)
    module = sys.modules[type(method).__module__]
    for example in doctest.DocTestFinder(recurse=False).find(type(method), module=module):
        runner.run(example, out=output.write)
    yield runner.failures == 0, output.getvalue()


def every_parameter_says_what_it_means(method: Any) -> Findings:
    schema = method.parameter_schema()
    yield json.loads(json.dumps(schema)) == schema, "Its parameters cannot be written as JSON."
    for parameter, declared in schema["properties"].items():
        yield bool(declared.get("description")), f"{parameter} has no description."


def no_parameter_has_the_name_of_an_option_of_the_plan(method: Any) -> Findings:
    for parameter in type(method).model_fields:
        yield parameter not in _options(method.kind), f"{parameter} is one. Give it another name."


def it_cannot_be_changed_once_made(method: Any) -> Findings:
    for parameter in type(method).model_fields:
        yield "frozen" in refusal(Exception, setattr, method, parameter, 99), f"{parameter} can be set."


def an_unknown_parameter_is_refused_by_name(method: Any) -> Findings:
    yield "no parameter bogus" in refusal(ParameterError, varied, method, bogus=1), "bogus=1 is not refused."


def the_verifier_checks_all_that_it_promises(method: Any) -> Findings:
    from tacita.microdata.verify import CHECKS
    from tacita.tables.verify.adjusted import CHECKS as OF_ADJUSTED

    known = OF_ADJUSTED if method.kind == "adjustment" else CHECKS
    for promise in {*method.guarantees, *method.promised()}:
        yield promise in known, f"No check of the verifier is named {promise}."


def _options(kind: str) -> set[str]:
    """The names that commands and plans already use."""
    from tacita.io import InputOptions, InputSection
    from tacita.microdata.plans.sections import CompareSection, MeasureSection, OutputSection, ProtectSection
    from tacita.tables.plans.sections import (
        AdjustSection,
        RuleSection,
        SuppressSection,
        TableSection,
        TabulateSection,
    )

    reserved = {"out", "json", "measures", "dry_run", "quiet", "input"}
    for section in (InputSection, ProtectSection, MeasureSection, CompareSection, OutputSection):
        reserved |= set(section.model_fields)
    if kind == "format":
        # these are the options of reading
        reserved -= set(InputOptions.model_fields)
    if kind == "suppression":
        # the solver is chosen in the section, next to the time limit
        reserved |= (set(SuppressSection.model_fields) - {"solver"}) | set(TableSection.model_fields)
    if kind == "adjustment":
        reserved |= set(AdjustSection.model_fields) | set(TableSection.model_fields)
    if kind == "rule":
        reserved |= {*TabulateSection.model_fields, *RuleSection.model_fields, "rule"}
    return reserved
