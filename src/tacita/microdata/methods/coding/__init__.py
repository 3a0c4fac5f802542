"""Numbers in place of numbers, each column by itself: coded at the ends, or rounded."""
