"""Picture what a user sees: `make docs-pictures`, or `python docs/screens.py`.

Commands are run at a terminal of 80 columns, and what it shows becomes an SVG. Pages are shown by Chromium,
where it is there, and become PNGs of few colours. Each picture is of what the pages of docs/ tell, with the
commands that they tell.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
WIDTH, COLOURS = 1280, 64
PAPER, INK, SOFT = (255, 255, 255), (24, 34, 45), (81, 96, 111)
THEME = TerminalTheme(
    PAPER,
    INK,
    [INK, (163, 32, 29), (27, 107, 63), (124, 83, 0), (20, 96, 122), (141, 28, 26), (23, 112, 142), SOFT],
)

# the survey of which the pages tell
SURVEY = "tacita datasets business --out firms.csv"
# picture -> commands that it shows
TERMINALS = {
    "terminal-demo": ["tacita demo --folder demo"],
    "terminal-compare": [
        "tacita compare firms.csv --quasi turnover,wages --identifiers name,registration,value_added "
        "--method mdav,cbfs --k 3,5,10",
    ],
    "terminal-table": [
        "tacita tabulate firms.csv --rows region --columns sector --value investment --unit group_id "
        "--rule p-percent,minimum-frequency --p 15 --threshold 3 --margin 10 --out cells.csv",
        "tacita suppress cells.csv --problem interval --out investment.html --report table.html",
    ],
}
# picture -> page that the commands above make, and how much of it is shown
PAGES = {
    "report": ("demo/report.html", 1000),
    "table-report": ("table.html", 900),
    "published-table": ("investment.html", 420),
}
# walkthrough -> the same of the pages that it makes
WALKTHROUGHS = {
    "business": {
        "comparison": ("comparison.html", 1060),
        "survey-report": ("report.html", 1000),
        "survey-note": ("note.html", 800),
    },
    "household": {"household-risk": ("risk.html", 1000), "household-report": ("report.html", 1000)},
    "patients": {"patients-report": ("report.html", 1000)},
}


def main() -> int:
    """Draw every picture; without Chromium only those of the terminal."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        typed(SURVEY, folder)
        for name, commands in TERMINALS.items():
            (IMAGES / f"{name}.svg").write_text(terminal(commands, folder), encoding="utf-8")
        browser = shutil.which("chromium")
        if browser is None:
            print("Chromium is not there: pages keep their pictures.")
            return 0
        of_pages = {folder: PAGES}
        for walkthrough, pages in WALKTHROUGHS.items():
            (place_of := folder / walkthrough).mkdir()
            follow(DOCS / "walkthroughs" / f"{walkthrough}.md", place_of)
            of_pages[place_of] = pages
        for home, pages in of_pages.items():
            for name, (page, height) in pages.items():
                (IMAGES / f"{name}.png").write_bytes(shown(browser, home / page, height))
    count = sum(len(pages) for pages in of_pages.values())
    print(f"{len(TERMINALS)} pictures of the terminal, {count} of pages in {IMAGES.name}/")
    return 0


def terminal(commands: list[str], folder: Path) -> str:
    """What a terminal shows of some commands, as SVG."""
    console = Console(
        record=True, file=io.StringIO(), width=82, color_system="truecolor", force_terminal=True
    )
    for command in commands:
        console.print("\n".join(broken(command)), style="bold", highlight=False, markup=False)
        console.print(Text.from_ansi(typed(command, folder).rstrip("\n")), soft_wrap=True)
    drawn = console.export_svg(theme=THEME, code_format=FRAME, unique_id="terminal")
    # the frame has nothing to clip
    return re.sub(r' clip-path="[^"]*"', "", drawn)


def broken(command: str) -> list[str]:
    """A command in lines of 80 letters, as one would type it."""
    lines = ["$"]
    for part in re.split(r" (?=--)", command):
        if len(lines[-1]) + len(part) + 3 > 80:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {part}"
    return lines


def typed(command: str, folder: Path) -> str:
    """What a command prints, with its colours; progress, which a terminal wipes out, goes nowhere."""
    words = shlex.split(command)
    program = str(Path(sys.executable).with_name(words[0]))
    environment = {
        **{key: value for key, value in os.environ.items() if key != "NO_COLOR"},
        "COLUMNS": "80",
        "TERM": "xterm-256color",
        "FORCE_COLOR": "1",
    }
    done = subprocess.run(
        [program, *words[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    done.check_returncode()
    return done.stdout.decode()


def follow(page: Path, folder: Path) -> None:
    """Do what a page tells: write its files, type in its commands of tacita, run its Python, all in one."""
    names: dict[str, object] = {}
    for language, file, body in re.findall(
        r"^```(\w+) ?(\S*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S
    ):
        if file:
            (folder / file).write_text(body, encoding="utf-8")
        elif language == "python":
            with chdir(folder), redirect_stdout(io.StringIO()):
                exec(body, names)
        for command in re.findall(r"^\$ (tacita (?:.*\\\n)*.*)$", body, re.M):
            words = shlex.split(command.replace("\\\n", " "))
            subprocess.run(
                [str(Path(sys.executable).with_name("tacita")), *words[1:]], cwd=folder, capture_output=True
            )


def shown(browser: str, page: Path, height: int) -> bytes:
    """The top of a page as PNG, in few colours."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "page.png"
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={place}/user",
        ]
        size = [f"--window-size={WIDTH},{height}", f"--screenshot={target}"]
        subprocess.run(
            [browser, *options, *size, page.as_uri()], check=True, capture_output=True, timeout=120
        )
        few = Image.open(target).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        made = io.BytesIO()
        few.save(made, "PNG", optimize=True)
        return made.getvalue()


# as rich's own, without fonts from elsewhere and the buttons of a window
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {terminal_width} {terminal_height}" role="img">
<style>
.{unique_id}-matrix {{
font: {char_height}px "Liberation Mono", Menlo, Consolas, monospace;
line-height: {line_height}px; font-variant-ligatures: none;
}}
{styles}
</style>
<rect width="{terminal_width}" height="{terminal_height}" fill="#ffffff"/>
<g transform="translate(12, -2)" class="{unique_id}-matrix">
{backgrounds}
{matrix}
</g>
</svg>
"""

if __name__ == "__main__":
    sys.exit(main())
