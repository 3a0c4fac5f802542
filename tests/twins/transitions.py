"""Drawing from a matrix of probabilities, one record after the other."""


def drawn(codes, matrix, uniform):
    """The first category whose cumulated probability is above the number drawn."""
    found = []
    for code, u in zip(codes, uniform, strict=True):
        reached, last = 0.0, 0
        for j, p in enumerate(matrix[code]):
            reached += p
            if p > 0:
                last = j
            if p > 0 and u < reached:
                break
        found.append(last)
    return found
