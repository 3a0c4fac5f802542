"""Deletes the folder of a server when the server is gone, however it went.

A program of its own, `python -I -S cleanup.py FOLDER`, which loads nothing but the standard library: it waits
until its standard input closes, as it does when the server ends or is killed.
"""

import shutil
import sys
import time

# Children of the server end by themselves, and may still write for a moment.
_TRIES = 40
_EVERY = 0.1


def main() -> None:
    """Wait for the end of the server, then delete until nothing is left."""
    folder = sys.argv[1]
    sys.stdin.buffer.read()
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(_EVERY)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            return
        except OSError:
            continue


if __name__ == "__main__":
    main()
