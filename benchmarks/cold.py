"""The first commands on a fresh machine, where nothing is compiled yet, and the longest silence of each.

Only when named: it compiles everything, which takes minutes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .measuring import Result
from .terminal import Heard, commands_of_readme, listen_to, prepare


def results() -> Iterator[Result]:
    """Elapsed seconds, cold against warm; then the longest silence."""
    quickly = {("--help",): "under 0.4 s", ("protect", "--help"): ""}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for words, asked in quickly.items():
            heard = listen_to(list(words), folder)
            yield Result(f"tacita {' '.join(words)}, elapsed s", heard.elapsed, "", None, asked)
        heard_cold = _all_of_readme(folder, "compiled-by-hand")
        warming = listen_to(["warmup"], folder, NUMBA_CACHE_DIR=str(folder / "warm"))
        yield Result("tacita warmup, elapsed s", warming.elapsed, "", None)
        heard_warm = _all_of_readme(folder, "warm")
        for cold, warm in zip(heard_cold, heard_warm, strict=True):
            case, asked = f"first tacita {cold.words[0]}", "under 8 s" if cold.words[0] == "suppress" else ""
            yield Result(f"{case}, elapsed s", cold.elapsed, "after warmup", warm.elapsed, asked)
            yield Result(f"{case}, processor s", cold.processor, "after warmup", warm.processor)
        for cold in (*heard_cold, warming):
            yield Result(f"silence of tacita {cold.words[0]}, s", cold.silence, "", None, "under 1 s")


def _all_of_readme(folder: Path, cache: str) -> list[Heard]:
    """Every command of the README; where nothing is kept, each on a fresh machine."""
    heard = []
    for number, words in enumerate(commands_of_readme()):
        prepare(folder, words[0])
        kept = cache if cache == "warm" else f"{cache}-{number}"
        forced = [] if words[0] in ("methods", "assess", "check") else ["--force"]
        said = listen_to([*words, *forced], folder, NUMBA_CACHE_DIR=str(folder / kept))
        assert said.status == 0, f"tacita {' '.join(words)} failed"
        heard.append(said)
    return heard
