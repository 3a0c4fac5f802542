"""SHA-256 of a set of releases: run it before and after a change that should leave their bytes alone.

`python -m benchmarks.release_hashes` prints a line for each release and one over all. It goes by the command
line alone, so that any version of the house can be asked.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

SEED = "0x7a1f00d5eed0c0ffee5afe00b1a5ed99"
GROUPING = """mdav md vmdav cbfs npn-mhm md-mhm mdav-mhm cbfs-mhm tsp-mhm fdm projection clustered gsms
gsms-t2 mst-d mst-c kward brkga ga kmeans1 kmeans2 hmeans1 hmeans2 hmkm dfo kc kckw imhm gower best"""
MASKING = "onedims noise correlated-noise romm rank-swap shuffle"
DRAWING = "regression ipso-a ipso-b ipso-c ipso-q ipso-cluster fcrm gadp"
WITHHOLDING = "lagrange genetic network hypercube"

AROUND = f"--identifiers name,registration --force --insist --seed {SEED} --measures IL1"
QUASI = "--quasi turnover,wages,investment,employees"
DRAWN = "--dependent turnover,wages --independent investment,employees"
CELLS = "--rows region --columns sector --value turnover --unit group_id --rule p-percent,minimum-frequency"
WITHHELD = "--margins --force --insist"


def commands() -> Iterator[tuple[str, str]]:
    """The file that counts, and the words that make it. Lists of cells come before what reads them."""
    for method in (*GROUPING.split(), *MASKING.split()):
        yield f"{method}.csv", f"protect firms.csv --method {method} {QUASI} {AROUND}"
    yield "shuffled.csv", f"protect firms.csv --k 4 --shuffle {QUASI} {AROUND}"
    yield "hm.parquet", f"protect firms.csv --method hm --quasi turnover {AROUND}"
    yield "strata.parquet", f"protect firms.parquet --strata region --round-integers {QUASI} {AROUND}"
    yield "units.csv", f"protect firms.csv --unit group_id {QUASI} {AROUND}"
    mixed = "--method gower --quasi sex,age,region --nominal sex,region --identifiers person_id --force"
    yield "mixed.csv", f"protect persons.csv {mixed} --measures IL1"
    for method in DRAWING.split():
        yield f"{method}.parquet", f"synthesize firms.csv --method {method} {DRAWN} {AROUND}"
    for ending in ("csv", "tab", "jj"):
        yield f"cells.{ending}", f"tabulate firms.csv {CELLS} --force"
    for ending in ("csv", "html", "xlsx"):
        yield f"optimal.{ending}", f"suppress cells.csv --problem interval {WITHHELD}"
    for method in WITHHOLDING.split():
        yield f"{method}.exact.csv", f"suppress cells.csv --problem exact --method {method} {WITHHELD}"
    yield "gauss.csv", f"suppress cells.csv --problem general --method gauss {WITHHELD}"
    yield "three-phase.csv", f"suppress cells.csv --problem interval --method three-phase {WITHHELD}"
    yield "from-tab.csv", f"suppress cells.tab --problem interval {WITHHELD}"
    yield "from-jj.csv", "suppress cells.jj --problem interval --insist --force"


def main() -> int:
    """Make every release in a folder of its own and print what its bytes hash to."""
    tacita = [sys.executable, "-m", "tacita"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    whole = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        for words in (
            "business --out firms.csv",
            "business --out firms.parquet",
            "household --out persons.csv",
        ):
            subprocess.run([*tacita, "datasets", *words.split()], cwd=folder, check=True, capture_output=True)
        for out, words in commands():
            asked = [*tacita, *shlex.split(words), "--out", out]
            done = subprocess.run(
                asked, cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                print(f"{out:<28} refused: {' '.join(done.stderr.split())}", flush=True)
                continue
            content = Path(folder, out).read_bytes()
            whole.update(content)
            print(f"{out:<28} {hashlib.sha256(content).hexdigest()[:32]}", flush=True)
    print(f"{'all':<28} {whole.hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
