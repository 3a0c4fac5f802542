"""Plain pairing of those who must change places, written from its definition."""


def paired_apart(order, wanted, area, group, partner, most):
    """Each that is wanted, in order, with the first free one of its group, in order, from another area."""
    partner = list(partner)
    paired = 0
    for i in order:
        if paired + 2 > most:
            break
        if not wanted[i] or partner[i] >= 0:
            continue
        for j in order:
            if partner[j] < 0 and group[j] == group[i] and area[j] != area[i]:
                partner[i], partner[j] = j, i
                paired += 2
                break
    return partner
