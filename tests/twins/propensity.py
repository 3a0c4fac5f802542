"""How well a logistic regression tells drawn records from observed ones, as synthpop's utility.gen does it.

Written from Raab, Nowok & Dibben (2016), J. Privacy and Confidentiality 7(3), 67-97; no penalty, main effects
and, for order 1, products of two different columns.
"""

import numpy as np


def design(columns, order):
    """Standardised numbers and dummies of categories, with products across columns for order 1."""
    blocks = []
    for column in columns:
        if isinstance(column[0], str):
            levels = sorted(set(column))
            blocks.append(np.array([[cell == level for level in levels[1:]] for cell in column], dtype=float))
        else:
            numbers = np.array(column, dtype=float)
            blocks.append(((numbers - numbers.mean()) / numbers.std())[:, None])
    terms = [np.ones((len(columns[0]), 1)), *blocks]
    if order:
        for j, right in enumerate(blocks):
            terms += [(left[:, :, None] * right[:, None, :]).reshape(len(right), -1) for left in blocks[:j]]
    return np.hstack(terms)


def pmse(observed, synthetic, order=0):
    """(pMSE, its ratio to what chance alone gives) of records as columns of equal length."""
    x = design([list(a) + list(b) for a, b in zip(observed, synthetic, strict=True)], order)
    y = np.repeat([0.0, 1.0], [len(observed[0]), len(synthetic[0])])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-x @ beta))
        step = np.linalg.solve(x.T @ (x * (chance * (1 - chance))[:, None]), x.T @ (y - chance))
        beta += step
        if np.abs(step).max() < 1e-12:
            break
    share = y.mean()
    found = float(((1 / (1 + np.exp(-x @ beta)) - share) ** 2).mean())
    return found, found / ((x.shape[1] - 1) * (1 - share) ** 2 * share / len(y))
