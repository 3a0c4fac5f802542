"""The measures in plain numpy."""

import numpy as np


def _standard(x, z):
    varies = x.max(axis=0) > x.min(axis=0)
    centre, scale = x[:, varies].mean(axis=0), x[:, varies].std(axis=0, ddof=1)
    return (x[:, varies] - centre) / scale, (z[:, varies] - centre) / scale


def il1(x, z):
    a, b = _standard(x, z)
    return 100 * ((a - b) ** 2).sum() / ((a - a.mean(axis=0)) ** 2).sum()


def il2(x, z):
    a, b = _standard(x, z)
    return 100 * (np.abs(a - b) / np.sqrt(2)).mean()


def dld(x, z):
    a, b = _standard(x, z)
    found = 0.0
    for i in range(len(a)):
        distance = ((a - b[i]) ** 2).sum(axis=1)
        nearest = distance <= distance.min() * (1 + 1e-9)
        found += nearest[i] / nearest.sum()
    return found / len(a)
