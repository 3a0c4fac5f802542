"""Docstrings of methods in the form of numpydoc: prose as written, parameters from the fields.

The fields of a method have types, defaults and descriptions already. What `help` shows is composed from
them, so that no docstring repeats them and none can differ from them.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from textwrap import fill
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

ModelT = TypeVar("ModelT", bound=BaseModel)

_WIDTH = 100
_UNDERLINED = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n(-{3,})$", re.MULTILINE)
# the order that numpydoc wants
_ORDER = (
    *("Parameters", "Attributes", "Methods", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes"),
    *("References", "Examples"),
)
_BOUNDS = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}


def numpydoc(prose: str, model: type[BaseModel]) -> str:
    """A docstring with Parameters, References and Examples, from prose and the fields of a model.

    The first line of the prose is the summary. The paragraph that starts with `Source:` becomes the
    references, and what starts with `>>>` the examples. Sections that the prose has already are kept.

    >>> from tacita.core.spec import registry
    >>> gsms = registry.lookup("gsms")
    >>> [line for line in numpydoc(gsms.prose, gsms).splitlines() if line.startswith("k :")]
    ['k : int, default=3']
    """
    text, sections = sections_of(prose)
    text, _, example = text.partition("\n>>> ")
    text, _, source = f"{text}\n".partition("\nSource: ")
    source, _, after = source.partition("\n\n")
    if source := source.strip():
        sections.setdefault("References", _paragraph(source[0].upper() + source[1:]))
    if example:
        sections.setdefault("Examples", f">>> {example.strip()}")
    if model.model_fields:
        sections.setdefault("Parameters", "\n".join(_parameters(model)))
    body = [part.strip() for part in (text, after) if part.strip()]
    ordered = sorted(sections, key=lambda title: _ORDER.index(title) if title in _ORDER else len(_ORDER))
    body += [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in ordered]
    return "\n\n".join(body) + "\n"


def sections_of(prose: str) -> tuple[str, dict[str, str]]:
    """The text before the first underlined title, and the text under each title.

    >>> sections_of("One number.\\n\\nReturns\\n-------\\nint\\n    The number.")
    ('One number.\\n\\n', {'Returns': 'int\\n    The number.'})
    """
    titles = list(_UNDERLINED.finditer(prose))
    if not titles:
        return prose, {}
    ends = [title.start() for title in titles[1:]] + [len(prose)]
    sections = {
        title["title"]: prose[title.end() : end].strip("\n") for title, end in zip(titles, ends, strict=True)
    }
    return prose[: titles[0].start()], sections


def _paragraph(text: str) -> str:
    return fill(" ".join(text.split()), _WIDTH, break_long_words=False, break_on_hyphens=False)


def _parameters(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield f"{field.alias or name} : {type_and_default(field)}"
        yield fill(
            description(field),
            _WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def description(field: FieldInfo) -> str:
    """What a field means, as a sentence, with its bounds.

    >>> from pydantic import Field
    >>> description(Field(ge=2, description="smallest group size"))
    'Smallest group size; at least 2.'
    """
    words = (field.description or _of_section(field.annotation)).rstrip(".")
    bounds = [
        f"{spelled} {getattr(constraint, attribute):g}"
        for constraint in field.metadata
        for attribute, spelled in _BOUNDS.items()
        if getattr(constraint, attribute, None) is not None
    ]
    sentence = "; ".join([words, " and ".join(bounds)] if bounds else [words])
    # a formula or a name of one letter keeps its case
    first = re.match(r"[a-z]{2,}\b", sentence)
    return f"{sentence[0].upper() if first else sentence[:1]}{sentence[1:]}."


def _of_section(annotation: Any) -> str:
    """What the model says of itself that is the type of a field, where the field says nothing."""
    models = [annotation, *get_args(annotation)]
    sections = (model for model in models if isinstance(model, type) and issubclass(model, BaseModel))
    return next((written(model).partition("\n")[0] for model in sections), "")


def type_and_default(field: FieldInfo) -> str:
    """The type of a field and its default, as numpydoc writes them.

    >>> from pydantic import Field
    >>> from pydantic.fields import FieldInfo
    >>> type_and_default(FieldInfo.from_annotated_attribute(int | None, None))
    'int, optional'
    """
    spelled = " or ".join(dict.fromkeys(_spelled(field.annotation)))
    if field.is_required():
        return spelled
    factory = field.default_factory
    if isinstance(factory, type) and issubclass(factory, BaseModel):
        # building a section would load its method
        return f"{spelled}, optional"
    default = field.get_default(call_default_factory=True)
    if default is None or default == () or default == {} or isinstance(default, BaseModel):
        return f"{spelled}, optional"
    return f"{spelled}, default={_default(default)}"


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(map(_default, value))}]"
    return str(value)


def _spelled(annotation: Any) -> Iterator[str]:
    """The members of a union, in words; None is what `optional` says."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _spelled(parts[0])
    elif origin in (Union, types.UnionType):
        for part in parts:
            yield from _spelled(part)
    elif origin is Literal:
        yield f"{{{', '.join(map(_default, parts))}}}"
    elif origin in (tuple, list):
        yield f"list of {_one(parts[0])}"
    elif origin is dict:
        yield f"mapping of {_one(parts[0])} to {_one(parts[1])}"
    elif annotation is not type(None):
        yield "object" if annotation is Any else getattr(annotation, "__name__", str(annotation))


def _one(annotation: Any) -> str:
    return " or ".join(dict.fromkeys(_spelled(annotation)))


def documented(model: type[ModelT]) -> type[ModelT]:
    """A decorator of a model that completes its docstring from its fields.

    >>> from pydantic import Field
    >>> @documented
    ... class Example(BaseModel):
    ...     "One number."
    ...     k: int = Field(3, ge=2, description="smallest group size")
    >>> print(Example.__doc__)
    One number.
    <BLANKLINE>
    Parameters
    ----------
    k : int, default=3
        Smallest group size; at least 2.
    <BLANKLINE>
    """
    if prose := written(model):
        model.__doc__ = numpydoc(prose, model)
    return model


def written(model: type[BaseModel]) -> str:
    """The docstring of a class as it is written in the source, without the indentation."""
    return inspect.cleandoc(model.__doc__ or "")
