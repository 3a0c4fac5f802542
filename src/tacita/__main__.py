"""`python -m tacita` is the command `tacita`."""

from .cli import main

main()
