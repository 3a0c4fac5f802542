"""A plan as a document: TOML of version 1, paths relative to its file, and the script that does the same."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import tomli_w
from pydantic import Field, model_validator

from tacita.core.errors import ParameterError

from .accepted_risks import ACCEPTABLE, LESS_PROTECTION
from .deprecated import renamed_attribute
from .params import Parameters
from .size_limits import check_depth, check_size, check_toml_depth


class Document(Parameters):
    """What every plan shares; subclasses are the sections. `paths` names the keys of each that are paths.

    Sections that stand in `spoken` although they are empty say something by being there. `renamed` has the
    sections of version 0.1 that are called otherwise now.
    """

    paths: ClassVar[Mapping[str, Sequence[str]]] = {}
    spoken: ClassVar[tuple[str, ...]] = ()
    renamed: ClassVar[Mapping[str, str]] = {}

    version: Literal[1] = Field(default=1, description="version of the form of plans")

    @model_validator(mode="before")
    @classmethod
    def _sections_renamed(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not (old := [name for name in cls.renamed if name in values]):
            return values
        for name in old:
            if values.get(cls.renamed[name]):
                raise ParameterError(f"Plan: {name} and {cls.renamed[name]} are one. Keep the latter.")
            warn_renamed(f"[{name}]", f"[{cls.renamed[name]}]")
        return {cls.renamed.get(name, name): value for name, value in values.items()}

    @classmethod
    def from_toml(cls, text: str, folder: Path | None = None) -> Self:
        """Read a plan from TOML.

        Parameters
        ----------
        text : str
            The text of the plan.
        folder : Path, optional
            Where relative paths start; the current folder by default.

        Returns
        -------
        Plan
            The plan.
        """
        return cls.from_values(parsed(text), folder or Path())

    @classmethod
    def from_values(cls, values: Mapping[str, Any], folder: Path) -> Self:
        """Make a plan of the values of its TOML.

        Parameters
        ----------
        values : mapping
            The sections by name.
        folder : Path
            Where relative paths start.

        Returns
        -------
        Plan
            The plan.
        """
        if "version" not in values:
            raise ParameterError("Plan: version is required. Write version = 1 as the first line.")
        placed = dict(values)
        for section, keys in cls.paths.items():
            if section in values:
                placed[section] = _moved(values[section], keys, lambda path: folder / path)
        return cls(**placed)

    def to_dict(self) -> dict[str, Any]:
        """List the values that TOML keeps: those that are not the defaults.

        Returns
        -------
        dict
            Values by section.
        """
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)

    told: ClassVar[property] = renamed_attribute("told", "to_dict")

    def to_toml(self, folder: Path | None = None) -> str:
        """Write the plan as TOML, defaults left out.

        Parameters
        ----------
        folder : Path, optional
            Paths below it become relative to it.

        Returns
        -------
        str
            The text of the plan.
        """
        values = {key: part for key, part in self.to_dict().items() if part or key in self.spoken}
        for section, keys in self.paths.items():
            if section in values:
                values[section] = _moved(values[section], keys, lambda path: _relative(Path(path), folder))
        return tomli_w.dumps({"version": self.version, **values})

    def as_file(self, path: str | Path | None) -> dict[Path, bytes]:
        """Make the file of the plan, with paths relative to its folder.

        Parameters
        ----------
        path : path or None
            The file to write later.

        Returns
        -------
        dict of Path to bytes
            The content by path; nothing where there is no path.
        """
        if path is None:
            return {}
        target = Path(path)
        return {target: self.to_toml(target.absolute().parent).encode()}

    @classmethod
    def display_name(cls) -> str:
        """As users call every plan."""
        return "Plan"


def warn_renamed(old: str, new: str) -> None:
    """Warn that a word of version 0.1 has another name now."""
    # a FutureWarning, which is shown to users who write plans and commands
    warnings.warn(f"{old} is {new} now. The old word will go.", FutureWarning, stacklevel=2)


def _moved(part: Any, keys: Sequence[str], change: Callable[[str], Any]) -> Any:
    """A section, or each of several, with some keys as paths that are changed."""
    if isinstance(part, list):
        return [_moved(section, keys, change) for section in part]
    if not isinstance(part, dict):
        return part
    return {key: _each(value, change) if key in keys else value for key, value in part.items()}


def _each(value: Any, change: Callable[[str], Any]) -> Any:
    """A path, or each of several by name, changed; anything else is left for the section to refuse."""
    if isinstance(value, dict):
        return {name: _each(path, change) for name, path in value.items()}
    return change(value) if isinstance(value, str) else value


def _relative(path: Path, folder: Path | None) -> str:
    if folder is not None and path.absolute().is_relative_to(folder.absolute()):
        return path.absolute().relative_to(folder.absolute()).as_posix()
    return path.as_posix()


def text_of(content: bytes, name: str) -> str:
    """The text of a plan file."""
    check_size(len(content), name)
    try:
        # editors on Windows put a byte order mark first
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(f"{name}: a plan is a UTF-8 text file, this is not.") from None


def parsed(text: str) -> dict[str, Any]:
    """The values of a TOML text; one that is too large or too deep for a plan is refused unparsed."""
    check_toml_depth(text, "Plan")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ParameterError(f"Plan: this is not valid TOML ({_short(str(problem))}).") from None
    except ValueError:
        # Python reads no whole number of more than some thousand digits
        raise ParameterError("Plan: a number has too many digits for any plan. Check the numbers.") from None
    except RecursionError:
        raise ParameterError("Plan: values are nested too deep for any plan. Check the brackets.") from None
    check_depth(values, "Plan")
    return values


def _short(words: str, most: int = 200) -> str:
    return words if len(words) <= most else f"{words[: most - 3]}..."


def arguments_of(values: Mapping[str, Any]) -> str:
    """Arguments by name as a script has them, after a first one.

    >>> arguments_of({"k": 3, "quasi": ("x", "y")})
    ", k=3, quasi=['x', 'y']"
    >>> arguments_of({"insist": True}), arguments_of({"insist": True, "accept": ("no-sensitive-cells",)})
    (', accept_risks=True', ", accept_risks=['less-protection', 'no-sensitive-cells']")
    """
    return "".join(f", {name}={literal_of(value)}" for name, value in _accepting(values).items())


def _accepting(values: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with the risks that a plan accepts as Python names them, in the place of the first."""
    if not (accepting := [name for name in ("insist", "accept") if name in values]):
        return dict(values)
    accepts_all, names = values.get("insist", False), tuple(values.get("accept", ()))
    accepted = names or accepts_all
    if accepts_all and names:
        # of records all risks are accepted at once
        accepted = (LESS_PROTECTION, *names) if set(names) <= set(ACCEPTABLE) else True
    named = {"accept_risks" if name == accepting[0] else name: value for name, value in values.items()}
    named["accept_risks"] = accepted
    return {name: value for name, value in named.items() if name not in accepting}


def literal_of(value: Any) -> str:
    """As a script has it."""
    return repr(list(value)) if isinstance(value, tuple) else repr(value)
