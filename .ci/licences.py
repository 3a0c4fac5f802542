"""Prints every package that tacita and its extras need, with its version and licence.

Packages come from the environment that runs this, so what is not installed is named as such.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
# what these licences ask is kept by naming them; others need a look by a person
ACCEPTED = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|Python-2\.0|Python Software Foundation|MPL|Zlib|Unlicense|CC0|HPND)\b",
    re.I,
)


def licence(package: Distribution) -> str:
    """Licence as the package declares it: an expression, a short text, or classifiers."""
    declared = package.metadata
    if expression := declared.get("License-Expression"):
        return expression
    classifiers = [
        line.rpartition(" :: ")[2]
        for line in declared.get_all("Classifier") or []
        if line.startswith("License :: ") and not line.endswith("OSI Approved")
    ]
    if classifiers:
        return ", ".join(classifiers)
    text = (declared.get("License") or "").strip()
    return text.splitlines()[0] if text else "not declared"


def required(name: str, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Packages that one needs, with the extras that it wants of them."""
    found = []
    for line in distribution(name).requires or []:
        requirement, _, marker = line.partition(";")
        wanted = EXTRA.search(marker)
        if wanted and wanted[1] not in extras:
            continue
        package = re.match(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?", requirement)
        if package:
            parts = frozenset(part.strip() for part in (package[2] or "").split(",") if part.strip())
            found.append((package[1], parts))
    return found


def main() -> int:
    """The list, and 1 where a licence needs a look."""
    waiting = [("tacita", frozenset({"all"}))]
    seen: set[tuple[str, frozenset[str]]] = set()
    rows: dict[str, tuple[str, str]] = {}
    while waiting:
        entry = waiting.pop()
        if entry in seen:
            continue
        seen.add(entry)
        name = re.sub(r"[-_.]+", "-", entry[0]).lower()
        try:
            package = distribution(name)
        except PackageNotFoundError:
            # needed on another system or another Python
            rows.setdefault(name, ("-", "not installed here"))
            continue
        rows[name] = (package.version, licence(package))
        waiting += required(name, entry[1])
    questions = 0
    for name, (version, terms) in sorted(rows.items()):
        fine = version == "-" or ACCEPTED.search(terms)
        questions += not fine
        print(f"{name:28} {version:14} {terms}{'' if fine else '   <- look at it'}")
    return min(questions, 1)


if __name__ == "__main__":
    sys.exit(main())
