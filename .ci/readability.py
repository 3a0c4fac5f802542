"""How long the sentences of the guide and of the pages for developers are: mean and longest, page by page.

    python .ci/readability.py [PAGE ...]

Only prose counts: paragraphs and the items of lists. Code, tables and headings are left out. It exits with 1
if the mean of a page is above MEAN words or a sentence above LONGEST.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

MEAN = 18
LONGEST = 40
ROOT = Path(__file__).parents[1]
GUIDE = (
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    ROOT / "docs" / "tutorial.md",
    ROOT / "docs" / "cookbook.md",
    ROOT / "docs" / "start.md",
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "algorithms").glob("*.md")),
    *sorted((ROOT / "docs" / "extending").glob("*.md")),
    ROOT / "docs" / "architecture.md",
    ROOT / "docs" / "threat-model.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
)


def paragraphs(text: str) -> list[str]:
    """Prose of a page, one string a paragraph or item."""
    text = re.sub(r"^```.*?^```$", "\n", text, flags=re.M | re.S)
    text = re.sub(r"^(#.*|\|.*|<!--.*|!\[.*| {4}.*)$", "\n", text, flags=re.M)
    text = re.sub(r"^ *(-|\d+\.) ", "\n\n", text, flags=re.M)
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def sentences(text: str) -> list[str]:
    """Sentences of a page. Code counts as one word, a link as its text."""
    parts: list[str] = []
    for paragraph in paragraphs(text):
        plain = re.sub(r"`[^`]*`", "code", paragraph)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"\b(e\.g|i\.e|al|vs)\.", r"\1", plain)
        parts += [part for part in re.split(r"(?<=[.!?])[\"')*]*\s+", plain) if re.search(r"\w", part)]
    return parts


def words(sentence: str) -> int:
    """Words of a sentence; a number is one, a sign alone none."""
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def main(pages: list[Path]) -> int:
    """Print a line for every page and the sentences that are too long; 1 if there is one."""
    failed = False
    lengths_of_all: list[int] = []
    print(f"{'page':32} sentences  mean  longest")
    for page in pages:
        counted = [(words(sentence), sentence) for sentence in sentences(page.read_text(encoding="utf-8"))]
        lengths = [length for length, _ in counted]
        lengths_of_all += lengths
        mean = sum(lengths) / max(len(lengths), 1)
        print(f"{page.stem:32} {len(lengths):9}  {mean:4.1f}  {max(lengths, default=0):7}")
        failed |= mean > MEAN
        for length, sentence in counted:
            if length > LONGEST:
                failed = True
                print(f"    {length} words: {sentence}")
    print(f"{'all':32} {len(lengths_of_all):9}  {sum(lengths_of_all) / max(len(lengths_of_all), 1):4.1f}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main([Path(name).resolve() for name in sys.argv[1:]] or list(GUIDE)))
