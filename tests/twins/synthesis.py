"""Fuzzy clusters and their regressions in plain numpy, record by record and cluster by cluster."""

import numpy as np


def memberships(errors, m):
    """1 / sum (e_k / e_j)^(1/(m-1)); a record without error in some clusters shares itself among them."""
    shares = np.zeros_like(errors)
    for i, row in enumerate(errors):
        if (row == 0).any():
            shares[i, row == 0] = 1 / (row == 0).sum()
            continue
        for k in range(len(row)):
            shares[i, k] = 1 / sum((row[k] / row[j]) ** (1 / (m - 1)) for j in range(len(row)))
    return shares


def fuzzy_c_means(x, centres, m, tolerance, rounds):
    """From given first centres: memberships, centres and the number of rounds."""

    def distances(centres):
        return np.array([[((row - centre) ** 2).sum() for centre in centres] for row in x])

    u = memberships(distances(centres), m)
    done, change = 0, np.inf
    while done < rounds and not change < tolerance:
        centres = [np.average(x, axis=0, weights=u[:, k] ** m) for k in range(u.shape[1])]
        before, u = u, memberships(distances(centres), m)
        done, change = done + 1, np.abs(u - before).max()
    return u, np.array(centres), done


def fcrm(y, s, u, m, eps, rmax):
    """From given memberships: objectives, memberships, predictions and coefficients on [1, s]."""
    x = np.column_stack([np.ones(len(s)), s])
    objectives = []
    for _ in range(rmax):
        models = []
        for k in range(u.shape[1]):
            root = np.sqrt(u[:, k] ** m)[:, None]
            models.append(np.linalg.lstsq(root * x, root * y, rcond=1e-9)[0])
        errors = np.column_stack([((y - x @ model) ** 2).sum(axis=1) for model in models])
        before, u = u, memberships(errors, m)
        objectives.append((u**m * errors).sum())
        if np.abs(u - before).max() < eps:
            break
    own = u.argmax(axis=1)
    predictions = np.array([x[i] @ models[own[i]] for i in range(len(x))])
    return objectives, u, predictions, np.array(models)


def gram_schmidt(draws, taken):
    """Orthonormal columns out of draws, one after the other, orthogonal to orthonormal columns `taken`."""
    basis = list(taken.T)
    found = []
    for column in draws.T:
        for _ in range(2):
            for other in basis:
                column = column - other * (other @ column)
        column = column / np.sqrt(column @ column)
        basis.append(column)
        found.append(column)
    return np.column_stack(found)
