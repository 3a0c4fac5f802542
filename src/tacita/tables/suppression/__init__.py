"""Secondary suppression: choose the cells to suppress with the primaries, for three protection problems."""
