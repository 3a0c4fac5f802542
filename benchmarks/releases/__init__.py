"""The releases of `benchmarks.release_hashes`: the words of the command line that make them."""

from __future__ import annotations

from dataclasses import dataclass

SEED = "0x7a1f00d5eed0c0ffee5afe00b1a5ed99"


@dataclass(frozen=True)
class Case:
    """A command, the file it writes whose bytes count, and others of the same run."""

    out: str
    words: str
    beside: tuple[str, ...] = ()

    @classmethod
    def of(cls, out: str, words: str, *beside: str) -> Case:
        """A command that is given the name of the file."""
        return cls(out, f"{words} --out {out}", beside)

    @property
    def files(self) -> tuple[str, ...]:
        """All files whose bytes count."""
        return (self.out, *self.beside)
