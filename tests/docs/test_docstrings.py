"""Every public name is documented in the form of numpydoc, by the validator of numpydoc itself."""

import dataclasses
import inspect
from itertools import pairwise
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, Validator, validate
from pydantic import Field

import tacita
from tacita.core import Method, Parameters
from tacita.core.spec import registry
from tacita.core.spec.docstrings import documented, numpydoc

LIST = Path(__file__).parents[1] / "client" / "public_names.txt"
# A longer summary and links to relatives help where there is something to say. A text may start with the
# name of a column or with a formula, which keep their case.
OPTIONAL = {"ES01", "SA01", "SS02", "PR08", "RT04"}
CODES = set(ERROR_MSGS) - OPTIONAL
# What a class need not show by an example of its own: the example of the class has it in use.
OF_MEMBERS = CODES - {"EX01"}


def target(name):
    """What a public name stands for."""
    found = tacita
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def names_of(kind):
    """Public names of functions and classes; a module has a text, and a version number none."""
    return [name for name in LIST.read_text().split() if kind(target(name))]


NAMES = names_of(lambda found: inspect.isclass(found) or inspect.isfunction(found))
MODULES = names_of(inspect.ismodule)
# By what they are, for some are handed out under two names. Methods of the registry run by the verbs.
CLASSES = {
    target(name): name
    for name in NAMES
    if inspect.isclass(target(name)) and not issubclass(target(name), Method)
}


def members(found):
    """Public functions and properties of a class, as tacita's own classes define them."""
    # the default of a field may be a function
    fields = {field.name for field in dataclasses.fields(found)} if dataclasses.is_dataclass(found) else set()
    for name, value in inspect.getmembers_static(found):
        ours = next(base for base in found.__mro__ if name in vars(base)).__module__.startswith("tacita")
        function = getattr(value, "__func__", value)
        documented = inspect.isfunction(function) or isinstance(value, property)
        if ours and documented and not name.startswith("_") and name not in fields:
            yield name


MEMBERS = [f"{name}.{member}" for found, name in CLASSES.items() for member in members(found)]


class WithAttributes(Validator):
    """Fields of a result, a dataclass that is handed out, are documented as attributes."""

    def __init__(self, obj_name):
        super().__init__(get_doc_object(target(obj_name) if isinstance(obj_name, str) else obj_name))

    @property
    def doc_all_parameters(self):
        documented = super().doc_all_parameters
        if dataclasses.is_dataclass(self.obj):
            fields = self.signature_parameters
            attributes = self._doc_parameters(["Attributes"])
            documented.update(
                (name, attributes[name]) for name in fields if name in attributes and name not in documented
            )
        return documented


def faults(found, codes):
    errors = validate(found, WithAttributes)["errors"]
    return [f"{code} {text}" for code, text in errors if code in codes]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_function_or_class_has_the_sections_of_numpydoc(name):
    assert faults(name, CODES) == []


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_method_of_a_result_has_the_sections_of_numpydoc(name):
    assert faults(name, OF_MEMBERS) == []


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in registry.BUILT_IN.items() for name in names]
)
def test_help_of_every_entry_of_the_registry_has_the_sections_of_numpydoc(kind, name):
    assert faults(registry.lookup(name, kind), CODES) == []


@pytest.mark.parametrize("name", MODULES)
def test_a_public_module_has_a_docstring(name):
    assert target(name).__doc__


def undocumented(a, b=1):
    """Add two numbers."""
    return a + b


def misnamed(a, b=1):
    """Add two numbers.

    Parameters
    ----------
    b : int
        The first.
    c : int
        The second.

    Returns
    -------
    int

    Examples
    --------
    >>> misnamed(1)
    2
    """
    return a + b


@dataclasses.dataclass
class HalfDocumented:
    """A result.

    Attributes
    ----------
    a : int
        One of two.

    Examples
    --------
    >>> HalfDocumented(1, 2).a
    1
    """

    a: int
    b: int


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (undocumented, {"PR01", "RT01", "EX01"}),
        (misnamed, {"PR01", "PR02", "RT03"}),
        (HalfDocumented, {"PR01"}),
    ],
)
def test_a_planted_gap_is_reported(found, expected):
    assert {fault[:4] for fault in faults(found, CODES)} == expected


def test_a_method_keeps_its_prose_and_help_shows_its_fields():
    mdav = tacita.methods.MDAV
    assert "Parameters\n----------" not in mdav.prose
    assert "\nSource: " in mdav.prose
    sections = mdav.__doc__.split("\nParameters\n----------\n")[1]
    for name, field in mdav.model_fields.items():
        assert f"\n{name} : " in f"\n{sections}"
        assert " ".join(field.description.split())[1:] in " ".join(sections.split())


def test_a_class_derived_from_a_method_documents_its_own_fields():
    class Wider(tacita.methods.MDAV):
        """Wider groups.

        >>> Wider().factor
        2
        """

        factor: int = Field(default=2, ge=1, description="how much wider")

    assert Wider.prose.startswith("Wider groups.")
    assert "factor : int, default=2\n    How much wider; at least 1." in Wider.__doc__
    assert "k : int, default=3" in Wider.__doc__


def test_sections_that_are_written_stay_and_stand_in_the_order_of_numpydoc():
    class Example(Parameters):
        k: int = Field(default=3, description="smallest group size")

    prose = "One line.\n\nMore.\n\nExamples\n--------\n>>> 1\n1\n\nNotes\n-----\nO(n)."
    found = numpydoc(prose, Example)
    titles = [line for line, below in pairwise(found.splitlines()) if below and set(below) == {"-"}]
    assert titles == ["Parameters", "Notes", "Examples"]
    assert found.startswith("One line.\n\nMore.\n\nParameters\n")
    assert numpydoc(found, Example) == found


def test_a_model_without_a_docstring_gets_none():
    class Example(Parameters):
        k: int = 3

    Example.__doc__ = None
    assert documented(Example).__doc__ is None
