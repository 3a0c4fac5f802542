"""The measures in plain numpy, pair by pair and statistic by statistic."""

from math import erf, exp, pi, sqrt

import numpy as np


def _scaled(x, z):
    varies = x.max(axis=0) > x.min(axis=0)
    scale = x[:, varies].std(axis=0, ddof=1)
    return x[:, varies] / scale, z[:, varies] / scale


def il1(x, z):
    a, b = _scaled(x, z)
    return 100 * ((a - b) ** 2).sum() / ((a - a.mean(axis=0)) ** 2).sum()


def il2(x, z):
    a, b = _scaled(x, z)
    return 100 * (np.abs(a - b) / np.sqrt(2)).mean()


def _linked(queries, candidates):
    found = 0.0
    for i in range(len(queries)):
        distance = ((candidates - queries[i]) ** 2).sum(axis=1)
        nearest = distance <= distance.min() * (1 + 1e-9)
        found += nearest[i] / nearest.sum()
    return found / len(queries)


def dld(x, z):
    a, b = _scaled(x, z)
    return _linked(b, a)


def dbrl(x, z):
    a, b = _scaled(x, z)
    return 100 * _linked(a, b)


def dbrl_mahalanobis(x, z):
    root = np.linalg.cholesky(np.linalg.inv(np.cov(x, rowvar=False)))
    return 100 * _linked(x @ root, z @ root)


def id_sd(x, z, percents=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)):
    a, b = _scaled(x, z)
    return 100 * np.mean([(np.abs(a - b) <= p / 100 + 1e-12) for p in percents])


def id_rank(x, z, percents=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)):
    n, d = x.shape
    inside = 0
    for j in range(d):
        ordered = sorted(z[:, j])
        for i in range(n):
            ranks = [r for r in range(n) if ordered[r] == z[i, j]]
            middle = sum(ranks) / len(ranks)
            for p in percents:
                low = ordered[max(0, int(np.ceil(middle - p * n / 100)))]
                high = ordered[min(n - 1, int(np.floor(middle + p * n / 100)))]
                inside += low <= x[i, j] <= high
    return 100 * inside / (n * d * len(percents))


def prl(x, z, tolerance=0.1):
    """Returns the share linked, m and u; every pair on its own."""
    a, b = _scaled(x, z)
    n, d = a.shape
    agree = np.abs(a[:, None, :] - b[None, :, :]) <= tolerance * (1 + 1e-9)
    flat = agree.reshape(-1, d)
    p = 1 / n
    u = np.clip(flat.mean(axis=0), 1e-9, 1 - 1e-9)
    m = np.maximum(0.9, u)
    for _ in range(500):
        chance_m = np.where(flat, m, 1 - m).prod(axis=1)
        chance_u = np.where(flat, u, 1 - u).prod(axis=1)
        g = p * chance_m / (p * chance_m + (1 - p) * chance_u)
        new = np.clip((g[:, None] * flat).sum(axis=0) / g.sum(), 1e-9, 1 - 1e-9)
        u = np.clip(((1 - g)[:, None] * flat).sum(axis=0) / (1 - g).sum(), 1e-9, 1 - 1e-9)
        change = np.abs(new - m).max()
        m = new
        if change < 1e-9:
            break
    weight = np.where(agree, np.log(m / u), np.log((1 - m) / (1 - u))).sum(axis=2)
    found = 0.0
    for i in range(n):
        best = weight[i] >= weight[i].max() - 1e-9
        found += best[i] / best.sum()
    return 100 * found / n, m, u


def _moved(before, after, variance):
    if variance <= 1e-18:
        return 0.0 if abs(after - before) < 1e-12 else 100.0
    return 100 * erf(abs(after - before) / sqrt(2 * variance))


def pil(x, z, context=None):
    """The five parts in the order means, variances, covariances, correlations, quantiles."""
    n, d = x.shape
    beside = np.empty((n, 0)) if context is None else context
    whole = np.hstack([x, beside])
    scale = np.where(whole.std(axis=0) > 0, whole.std(axis=0), 1.0)
    before = (whole - whole.mean(axis=0)) / scale
    after = (np.hstack([z, beside]) - whole.mean(axis=0)) / scale
    means, variances, covariances, correlations, quantiles = [], [], [], [], []

    def moment(data, i, j, p, q):
        a, b = data[:, i] - data[:, i].mean(), data[:, j] - data[:, j].mean()
        return float((a**p * b**q).mean())

    def correlation(data, i, j):
        spread = sqrt(moment(data, i, i, 2, 0) * moment(data, j, j, 2, 0))
        return moment(data, i, j, 1, 1) / spread if spread > 1e-12 else 0.0

    for i in range(d):
        mu2, mu4 = moment(before, i, i, 2, 0), moment(before, i, i, 4, 0)
        means.append(_moved(before[:, i].mean(), after[:, i].mean(), mu2 / n))
        variances.append(_moved(mu2, moment(after, i, i, 2, 0), (mu4 - mu2**2) / n))
        width = before[:, i].std(ddof=1) * (0.75 * n) ** -0.2
        for q in np.arange(5, 100, 5) / 100:
            old, new = np.quantile(before[:, i], q), np.quantile(after[:, i], q)
            f = sum(exp(-0.5 * ((old - v) / width) ** 2) for v in before[:, i]) / (n * width * sqrt(2 * pi))
            quantiles.append(_moved(old, new, q * (1 - q) / (n * f**2)))
        for j in range(i + 1, whole.shape[1]):
            mu11, mu22 = moment(before, i, j, 1, 1), moment(before, i, j, 2, 2)
            covariances.append(_moved(mu11, moment(after, i, j, 1, 1), (mu22 - mu11**2) / n))
            mu20, mu02 = moment(before, i, i, 2, 0), moment(before, j, j, 2, 0)
            r = correlation(before, i, j)
            variance = (
                mu22 / (mu20 * mu02)
                + r**2
                / 4
                * (
                    moment(before, i, i, 4, 0) / mu20**2
                    + moment(before, j, j, 4, 0) / mu02**2
                    + 2 * mu22 / (mu20 * mu02)
                )
                - r
                * (
                    moment(before, i, j, 3, 1) / (mu20**1.5 * mu02**0.5)
                    + moment(before, i, j, 1, 3) / (mu20**0.5 * mu02**1.5)
                )
            ) / n
            correlations.append(_moved(r, correlation(after, i, j), variance))
    return [float(np.mean(part)) for part in (means, variances, covariances, correlations, quantiles)]


def energy(x, z):
    a, b = _scaled(x, z)

    def mean_distance(p, q):
        return np.mean([np.sqrt(((p - row) ** 2).sum(axis=1)).mean() for row in q])

    between = mean_distance(a, b)
    return sqrt(max(0.0, (2 * between - mean_distance(a, a) - mean_distance(b, b)) / (2 * between)))


def overlap(x, z):
    """Confidence intervals of every regression by ordinary least squares, one at a time."""

    def intervals(data, response):
        others = [j for j in range(data.shape[1]) if j != response]
        design = np.column_stack([np.ones(len(data)), data[:, others]])
        beta, *_ = np.linalg.lstsq(design, data[:, response], rcond=None)
        residual = data[:, response] - design @ beta
        sigma2 = residual @ residual / (len(data) - design.shape[1])
        error = np.sqrt(sigma2 * np.diag(np.linalg.inv(design.T @ design)))[1:]
        return beta[1:] - 1.96 * error, beta[1:] + 1.96 * error

    figures = []
    for response in range(x.shape[1]):
        (l1, h1), (l2, h2) = intervals(x, response), intervals(z, response)
        common = np.maximum(0, np.minimum(h1, h2) - np.maximum(l1, l2))
        figures.append(np.mean(50 * (common / (h1 - l1) + common / (h2 - l2))))
    return float(np.mean(figures))


def gower_linked(queries, candidates, kinds, spans):
    """Share of queries whose nearest candidate by Gower's distance is their own, ties shared."""
    n = len(queries)
    total = 0.0
    for i in range(n):
        distance = []
        for j in range(n):
            gaps = [
                float(a != b) if kind == "nominal" else abs(a - b) / span
                for a, b, kind, span in zip(queries[i], candidates[j], kinds, spans, strict=True)
                if span > 0
            ]
            distance.append(sum(gaps))
        least = min(distance)
        nearest = [j for j in range(n) if distance[j] <= least + 1e-9 * max(least, 1e-300)]
        total += (i in nearest) / len(nearest)
    return total / n
