"""What meets a demand for a flow between two nodes of a table."""

# a flow from its source to its sink; one in either direction; one a direction, that make it up together
ONE_WAY, EITHER_WAY, BOTH_WAYS = 0, 1, 2
