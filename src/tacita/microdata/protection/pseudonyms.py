"""Keyed pseudonyms for identifiers: the same key gives the same pseudonym in every file."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b32encode

import narwhals as nw
import numpy as np

from tacita.core import DataError, Floats, Microdata
from tacita.core.data.microdata import column_codes
from tacita.core.data.spelling import plain_spelling
from tacita.core.spec.release_options import ReleaseOptions
from tacita.io.secret import read_key

# Separates pseudonyms from other uses of the same key.
_PURPOSE = b"tacita pseudonym 1\0"
_BITS = 5
# Largest acceptable probability that two identifiers of a file share a pseudonym.
_MOST_CHANCE = 1e-9
# Beyond this a double cannot represent every whole number.
_LARGEST_EXACT = 2.0**53


def pseudonym(key: bytes, identifier: object, length: int) -> str:
    """Pseudonym of one identifier: p, and the first letters of HMAC-SHA256 of its plain spelling.

    Letters and digits are those of base 32 (RFC 4648), 5 bits each. Spellings that a reader takes for the
    same name (`ACME` and `acme `, 7 and `007`) share a pseudonym, whatever the type. Sources: Krawczyk,
    Bellare & Canetti (1997), RFC 2104; ENISA (2019), Pseudonymisation techniques and best practices, 5.1.4.

    >>> key = bytes(range(32))
    >>> pseudonym(key, "ACME ", 12) == pseudonym(key, "acme", 12) != pseudonym(key, "acne", 12)
    True
    """
    message = _PURPOSE + plain_spelling(identifier).encode("utf-8", "surrogatepass")
    return "p" + b32encode(hmac.digest(key, message, hashlib.sha256)).decode().lower()[:length]


def collision_bound(identifiers: int, length: int) -> float:
    """Upper bound n (n - 1) / 2 / 32^length of the probability that two identifiers share a pseudonym.

    >>> collision_bound(1_000_000, 20) < 1e-18
    True
    """
    return identifiers * (identifiers - 1) / 2 / 2.0 ** (_BITS * length)


def with_pseudonyms(data: Microdata, options: ReleaseOptions) -> tuple[Microdata, Microdata | None]:
    """The records with pseudonyms in the columns of that role, and the original columns. O(n).

    Missing values stay missing. Raises if two identifiers may share a pseudonym by chance.
    """
    from tacita.io.frames import replace_text
    from tacita.microdata.protection.fingerprint import fingerprint_of_frame

    names = data.roles.pseudonyms if data.roles else ()
    if not names or options.pseudonym_key is None:
        return data, None
    key = read_key(options.pseudonym_key)
    replacements: dict[str, tuple[Floats, tuple[str, ...]]] = {}
    for name in names:
        codes, cells = _identifiers(data, name)
        if (bound := collision_bound(len(cells), options.pseudonym_length)) > _MOST_CHANCE:
            raise DataError(
                f"{data.source}: two of the {len(cells)} identifiers in column {name} may share a pseudonym "
                f"(chance up to {bound:.1g}, wanted {_MOST_CHANCE:.0e} at most). Raise pseudonym_length.",
                field="pseudonym_length",
            )
        words = tuple(pseudonym(key, cell, options.pseudonym_length) for cell in cells)
        replacements[name] = codes, words
    notes = data.notes
    if notes is not None:
        # labels of identifiers are identifiers
        other_columns = {name: entry for name, entry in notes.columns.items() if name not in names}
        notes = type(notes)(notes.system, other_columns)
    replaced = Microdata(
        frame=replace_text(data.frame, replacements, data.dialect, alike=True),
        roles=data.roles,
        dialect=data.dialect,
        source=data.source,
        fingerprint=data.fingerprint or fingerprint_of_frame(data),
        path=data.path,
        notes=notes,
        whole=data.whole,
        skipped=data.skipped,
    )
    before = Microdata(frame=data.frame.select(list(names)), dialect=data.dialect, source=data.source)
    return replaced, before


def _identifiers(data: Microdata, name: str) -> tuple[Floats, list[object]]:
    """A code for each record (NaN without an identifier), and the identifiers in the order of the codes."""
    series, missing = data.column(name), data.missing(name)
    if missing.all():
        raise DataError(
            f"{data.source}: column {name} has no identifier in any record, so there is nothing to replace. "
            "Remove it (identifiers)."
        )
    if series.dtype.is_float():
        values = np.array(series.to_numpy(), dtype=np.float64)[~missing]
        if not ((values == np.rint(values)) & (np.abs(values) < _LARGEST_EXACT)).all():
            raise _no_identifiers(data, name, "numbers with decimals, or beyond 2^53")
        cells, inverse = np.unique(values.astype(np.int64), return_inverse=True)
        known: list[object] = cells.tolist()
    elif series.dtype.is_integer() or series.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        numbers = column_codes(series)[~missing]
        _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        known = series[np.flatnonzero(~missing)[first].tolist()].to_list()
        if not all(isinstance(cell, str | int) and not isinstance(cell, bool) for cell in known):
            raise _no_identifiers(data, name, "objects of other types")
    else:
        raise _no_identifiers(data, name, type(series.dtype).__name__)
    codes = np.full(data.n, np.nan)
    codes[~missing] = inverse.reshape(-1)
    return codes, known


def _no_identifiers(data: Microdata, name: str, got: str) -> DataError:
    return DataError(
        f"{data.source}: pseudonyms need text or whole numbers, but column {name} has {got}. Convert it to "
        "text, always in the same way, or remove it (identifiers)."
    )
