"""Every public name is documented in the form of numpydoc, by the validator of numpydoc itself."""

import dataclasses
import inspect
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, Validator, validate

import tacita
from tacita.core import Method

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


def documented(kind):
    """Public names of functions and classes; a module has a text, and a version number none."""
    return [name for name in LIST.read_text().split() if kind(target(name))]


NAMES = documented(lambda found: inspect.isclass(found) or inspect.isfunction(found))
MODULES = documented(inspect.ismodule)
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
        super().__init__(get_doc_object(target(obj_name)))

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


def faults(name, codes):
    errors = validate(name, WithAttributes)["errors"]
    return [f"{code} {text}" for code, text in errors if code in codes]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_function_or_class_has_the_sections_of_numpydoc(name):
    assert faults(name, CODES) == []


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_method_of_a_result_has_the_sections_of_numpydoc(name):
    assert faults(name, OF_MEMBERS) == []


@pytest.mark.parametrize("name", MODULES)
def test_a_public_module_has_a_docstring(name):
    assert target(name).__doc__
