"""python -m dagdecor."""

from dagdecor.cli import main

main()
