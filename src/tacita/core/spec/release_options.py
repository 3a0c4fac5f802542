"""Options of a release of records, whatever its methods are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from .accepted_risks import OF_RECORDS, AcceptedOfRecords
from .params import Parameters
from .seeds import as_seed, portable


def _as_seed(value: object) -> int | None:
    return as_seed(value, "Protect")


# "new" stands for the number that is drawn when it is read, so that whatever keeps a plan can repeat the run
Seed = Annotated[
    int | Literal["new"] | None, BeforeValidator(_as_seed), PlainSerializer(portable, when_used="json")
]


# a script has the path as text
KeyFile = Annotated[
    Path | None, PlainSerializer(lambda path: None if path is None else str(path), return_type=str | None)
]


Missing = Literal["refuse", "drop", "stratum", "merge", "level"]


class ReleaseOptions(Parameters):
    """The rules around the methods of a release of records."""

    missing: Missing = Field(
        default="refuse",
        description="records with missing quasi-identifiers: refuse, drop, group only among their like "
        "(stratum), or so with values suppressed until each has k like it (merge); a synthesis of mixed data "
        "draws what is missing like any other value (level)",
    )
    round_integers: bool = Field(
        default=False, description="publish whole numbers for columns of whole numbers"
    )
    shuffle: bool = Field(default=False, description="give the released records a random order")
    insist: bool = Field(
        default=False,
        description="go on against advice (k = 2, a short seed, a masking that rounding undoes); recorded",
    )
    accept: AcceptedOfRecords = Field(
        default=(), description=f"risks that are accepted by name, and recorded: {', '.join(OF_RECORDS)}"
    )
    seed: Seed = Field(
        default=None, description="makes protective randomness repeatable; new draws one; confidential"
    )
    pseudonym_key: KeyFile = Field(
        default=None,
        description="file of the key of pseudonyms, as `tacita pseudonym-key` writes it; keep it secret",
    )
    pseudonym_length: int = Field(
        default=20, ge=12, le=51, description="letters and digits of a pseudonym, 5 bits each, after the p"
    )

    def accepts(self, name: str) -> bool:
        """Whether a risk is accepted: all of them are, or it is by its name."""
        return self.insist or name in self.accept
