"""Document 004: I. Cano Franco, a thesis on synthetic data by fuzzy c-regression (in Catalan)."""

from __future__ import annotations

from typing import NamedTuple

from .document import Source


class Release(NamedTuple):
    """One row: objective function (F.O.; none for IPSO), PIL, DR and SCORE."""

    objective: float | None
    pil: float
    dr: float
    score: float


class Mean(NamedTuple):
    """One row of Table 8: means over the thirteen attributes, each dependent in turn."""

    pil: float
    dr: float
    score: float


# The example of section 4.3, five clouds in the plane, by c. Its points are not printed.
TABLE_5: dict[int, Release] = {
    2: Release(1.09e-04, 40.41, 5.88, 23.15),
    3: Release(1.62e-04, 30.3, 6.09, 18.2),
    4: Release(4.63e-03, 23.97, 8.03, 16.0),
    5: Release(1.46e-04, 20.11, 9.27, 14.69),
    6: Release(1.67e-04, 18.89, 9.98, 14.43),
    7: Release(1.07e-04, 15.96, 15.12, 15.54),
    8: Release(3.66e-03, 15.24, 16.17, 15.7),
    9: Release(1.12e-03, 14.22, 21.92, 18.07),
    10: Release(1.09e-01, 12.79, 22.48, 17.64),
}

# S1 of section 5: Census, 9 dependent attributes, by c.
TABLE_6: dict[int, Release] = {
    2: Release(0.184, 44.677, 9.583, 27.13),
    3: Release(0.005, 32.614, 12.294, 22.454),
    4: Release(0.078, 26.668, 14.791, 20.73),
    5: Release(0.195, 21.797, 16.9516, 19.374),
    6: Release(0.104, 18.357, 17.137, 17.747),
    7: Release(0.191, 16.249, 18.791, 17.52),
    8: Release(0.031, 13.495, 20.492, 16.994),
    9: Release(0.683, 12.941, 22.999, 17.97),
    10: Release(0.362, 11.424, 24.256, 17.84),
    11: Release(0.295, 10.249, 24.255, 17.252),
    12: Release(0.993, 9.104, 23.969, 16.536),
    13: Release(0.405, 8.449, 25.374, 16.912),
    14: Release(0.208, 8.551, 25.408, 16.98),
    15: Release(0.753, 7.164, 26.970, 17.067),
}

# S2 of section 5: Census, 4 dependent attributes, by c.
TABLE_7: dict[int, Release] = {
    2: Release(0.999945, 94.053, 6.210, 50.132),
    4: Release(0.999999966, 81.792, 6.428, 44.110),
    5: Release(0.999999715, 61.834, 7.782, 34.808),
    6: Release(0.999999995, 72.550, 7.424, 39.987),
    8: Release(0.999995425, 59.113, 10.152, 34.633),
    9: Release(0.9999968, 38.990, 11.042, 25.016),
    10: Release(9.917e-06, 49.157, 9.261, 29.209),
    14: Release(0.999895297, 42.246, 11.710, 26.978),
    18: Release(0.999992791, 43.083, 15.407, 29.245),
    20: Release(0.999993721, 31.422, 11.454, 21.438),
    22: Release(0.999995385, 35.233, 13.895, 24.564),
    24: Release(0.999910478, 29.362, 16.184, 22.773),
    26: Release(0.999999944, 24.750, 15.186, 19.968),
    28: Release(0.999999785, 23.098, 17.857, 20.478),
    30: Release(0.999713871, 25.222, 17.376, 21.299),
    34: Release(0.967993197, 21.397, 16.296, 18.847),
    45: Release(4.70034e-25, 17.606, 19.612, 18.609),
    56: Release(0.999999909, 13.541, 22.085, 17.813),
    77: Release(0.999832048, 12.751, 25.257, 19.004),
    81: Release(0.999997699, 11.895, 24.662, 18.279),
}
# The last rows of Tables 6 and 7, under the thesis's own names: its IPSO-A is our `regression`.
IPSO: dict[str, dict[str, Release]] = {
    "S1": {
        "IPSO-A": Release(None, 49.163, 10.044, 29.603),
        "IPSO-B": Release(None, 49.164, 10.04, 29.602),
        "IPSO-C": Release(None, 9.522, 6.392, 7.957),
    },
    "S2": {
        "IPSO-A": Release(None, 44.44, 14.493, 29.467),
        "IPSO-B": Release(None, 44.441, 14.493, 29.467),
        "IPSO-C": Release(None, 17.037, 11.022, 14.029),
    },
}

# S3 of section 5: c -> number of independent attributes -> means. The thesis prints c = 2 and 4 alone.
TABLE_8: dict[int, dict[int, Mean]] = {
    2: {
        1: Mean(63.96063083, 4.273251671, 34.11694125),
        2: Mean(60.63304442, 5.141774576, 32.8874095),
        3: Mean(56.2637375, 5.278536899, 30.7711372),
        4: Mean(54.39703789, 5.860955186, 30.12899654),
        5: Mean(52.56616912, 6.726047306, 29.64610821),
        6: Mean(49.92355693, 6.670284562, 28.29692074),
        7: Mean(46.4322841, 7.271157573, 26.85172084),
        8: Mean(46.18347629, 7.421209861, 26.80234308),
        9: Mean(45.13569801, 7.931527846, 26.53361293),
        10: Mean(39.94796621, 9.594126784, 24.7710465),
        11: Mean(36.94578884, 10.74188761, 23.84383822),
        12: Mean(35.48314376, 10.60215459, 23.04264918),
        13: Mean(34.02018227, 11.11389769, 22.56703998),
        14: Mean(33.10528376, 11.54676863, 22.32602619),
        15: Mean(31.90011836, 11.54262144, 21.7213699),
        16: Mean(30.28635472, 11.65917584, 20.97276528),
        17: Mean(29.72438823, 12.4056938, 21.06504101),
        18: Mean(29.21648118, 12.24106227, 20.72877173),
        19: Mean(28.97730173, 12.66517107, 20.8212364),
    },
    4: {
        1: Mean(49.03334158, 8.844761165, 28.93905137),
        2: Mean(45.23332296, 9.482227075, 27.35777502),
        3: Mean(39.30468361, 10.3359029, 24.82029325),
        4: Mean(36.24124824, 11.57408418, 23.90766621),
        5: Mean(32.95952474, 12.42167251, 22.69059862),
        6: Mean(31.70845549, 13.38087219, 22.54466384),
        7: Mean(30.31749243, 14.28737466, 22.30243354),
        8: Mean(28.96340469, 14.4206434, 21.69202405),
        9: Mean(28.23074474, 13.79608811, 21.01341642),
        10: Mean(23.76855495, 16.00384986, 19.88620241),
        11: Mean(22.38342589, 18.20894721, 20.29618655),
        12: Mean(20.78628072, 18.59577233, 19.69102652),
        13: Mean(20.28540616, 18.89287801, 19.58914209),
        14: Mean(19.88971323, 18.93580575, 19.41275949),
        15: Mean(19.52214067, 18.97848615, 19.25031341),
        16: Mean(18.45040876, 19.44524073, 18.94782474),
        17: Mean(18.29724024, 19.80165785, 19.04944904),
        18: Mean(18.15666619, 20.42717176, 19.29191897),
        19: Mean(17.4605634, 20.3484739, 18.90451865),
    },
}

# Dependent attributes of S1 and S2, counted from 0 in the order of the public file, where v5 = v8 + v10.
# Table 4 lists the attributes in alphabetical order; there v5 is no such sum.
SPLITS: dict[str, tuple[int, ...]] = {"S1": (0, 2, 3, 5, 6, 8, 10, 11, 12), "S2": (3, 6, 11, 12)}
FCRM = {"S1": TABLE_6, "S2": TABLE_7}
LABELS = {"S1": "Table 6", "S2": "Table 7"}

# The text of section 5 on S1: the least SCORE of FCRM, and its c. Table 6 has a lower one at c = 12.
LEAST_SCORE = (13, 16.912)


def _count(rows: dict[int, Release]) -> int:
    return sum(figure is not None for row in rows.values() for figure in row)


def _count_with_ipso(split: str) -> int:
    return _count(FCRM[split]) + _count(dict(enumerate(IPSO[split].values())))


SOURCE = Source(
    "004",
    "Estudi de mètodes de generació de dades sintètiques",
    "I. Cano Franco, final-year project, Universitat Autònoma de Barcelona, 22 June 2009",
    "Catalan",
    {
        "Table 1": "example of microdata",
        "Table 2": "example of a table of counts",
        "Table 3": "example of a table of magnitudes",
        "Table 4": "attributes of Census",
        "Table 5": "objective, PIL, DR and SCORE of the example, c = 2 to 10",
        "Table 6": "objective, PIL, DR and SCORE on S1, and of IPSO",
        "Table 7": "objective, PIL, DR and SCORE on S2, and of IPSO",
        "Table 8": "PIL, DR and SCORE of S3, c = 2 and 4",
    },
    {
        "Figure 1": "protection of microdata",
        "Figure 2": "scenario of disclosure",
        "Figure 3": "models of the example, c = 2",
        "Figure 4": "models of the example, c = 5",
        "Figure 5": "PIL and DR against c, example",
        "Figure 6": "PIL and DR against c, S1",
        "Figure 7": "PIL, DR and SCORE of S3 over c and N",
        "Figure 8": "PIL and DR against c, S2",
        "Figure 9": "window of the thesis's program",
        "Figure 10": "classes of the thesis's program",
    },
    {
        "Table 5": _count(TABLE_5),
        "Table 6": _count_with_ipso("S1"),
        "Table 7": _count_with_ipso("S2"),
        "Table 8": sum(len(row) for rows in TABLE_8.values() for row in rows.values()),
    },
)
