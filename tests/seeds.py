"""The seed of tests that release something by chance: long enough that nobody guesses it."""

SEED = 0x9D1F6C2B84E7350A9F2C61D07B3E8A45
