"""Known names near one that is not known, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(wanted: Iterable[str], known: Iterable[str], closeness: float = 0.6) -> str:
    """A question that names the known names nearest to each wanted one; empty where none is near.

    >>> did_you_mean(["mdaf"], ["mdav", "hm", "md"]), did_you_mean(["zzz"], ["mdav"])
    (' Did you mean mdav or md?', '')
    >>> did_you_mean(["Regio", "agee"], ["region", "age", "sex"])
    ' Did you mean region, age?'
    """
    folded = {name.casefold(): name for name in known}
    several = list(wanted)
    # of one name the best few, of several the best of each
    most = 3 if len(several) == 1 else 1
    near = [
        folded[match]
        for name in several
        for match in get_close_matches(name.casefold(), folded, most, closeness)
    ]
    if not near:
        return ""
    return f" Did you mean {(' or ' if len(several) == 1 else ', ').join(dict.fromkeys(near))}?"
