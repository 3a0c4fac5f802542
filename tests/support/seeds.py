"""The seed of tests that release something by chance: long enough that nobody guesses it."""

from tacita.testing import examples

SEED = examples.SEED
