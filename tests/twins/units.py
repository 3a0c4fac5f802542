"""Plain twins of figures that count units: one dictionary of classes, and a look at every unit in each."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np


def classes_of(frame, keys, unit, column=None):
    """For each class of equal keys: the values that the records of each unit have there."""
    found = defaultdict(lambda: defaultdict(list))
    for row in frame.to_dict("records"):
        value = None if column is None else row[column]
        found[tuple(row[key] for key in keys)][row[unit]].append(value)
    return found


def units_sharing(frame, keys, unit):
    """Of each record how many units share its keys."""
    classes = classes_of(frame, keys, unit)
    return [len(classes[tuple(row[key] for key in keys)]) for row in frame.to_dict("records")]


def by_record(frame, keys, of_class):
    return [of_class[tuple(row[key] for key in keys)] for row in frame.to_dict("records")]


def having(members):
    """How many units have each value."""
    return Counter(value for values in members.values() for value in set(values))


def votes(members):
    """Every unit counted for one value, the most frequent first."""
    left, found = len(members), []
    for count in sorted(having(members).values(), reverse=True):
        found.append(min(count, left))
        left -= found[-1]
    return [count for count in found if count]


def fewest_values(members):
    """The fewest different values among all choices of one record of each unit."""
    return min(len(set(chosen)) for chosen in product(*map(set, members.values())))


def lowest_entropy(members):
    """The lowest entropy among all choices of one record of each unit."""
    found = []
    for chosen in product(*map(set, members.values())):
        shares = np.array(list(Counter(chosen).values())) / len(chosen)
        found.append(-(shares * np.log(shares)).sum())
    return min(found)


def spread(members):
    """Shares of values where each unit counts once, spread over its records; several where one is alone."""
    if len(members) == 1:
        (values,) = members.values()
        return [{value: Fraction(1)} for value in set(values)]
    found = Counter()
    for values in members.values():
        for value in values:
            found[value] += Fraction(1, len(values) * len(members))
    return [found]


def overall(frame, unit, column):
    """The same of the whole file."""
    members = defaultdict(list)
    for row in frame.to_dict("records"):
        members[row[unit]].append(row[column])
    if len(members) > 1:
        return spread(members)[0]
    (values,) = members.values()
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def distance(members, whole):
    """Half of the sum of differences."""
    return max(float(sum(abs(q.get(v, 0) - p) for v, p in whole.items()) / 2) for q in spread(members))


def gain(members, whole):
    """The largest relative gain."""
    return max(float((q[v] - whole[v]) / whole[v]) for q in spread(members) for v in q)


def minimal_uniques(codes, units, most):
    """The smallest sets of columns on which no other unit has the values of a record."""
    n, d = codes.shape
    found = [[] for _ in range(n)]
    for size in range(1, most + 1):
        for columns in combinations(range(d), size):
            part = codes[:, columns]
            owners = defaultdict(set)
            for row in np.flatnonzero((part >= 0).all(axis=1)):
                owners[tuple(part[row].tolist())].add(units[row])
            for row in np.flatnonzero((part >= 0).all(axis=1)):
                alone = len(owners[tuple(part[row].tolist())]) == 1
                if alone and not any(set(known) <= set(columns) for known in found[row]):
                    found[row].append(columns)
    return found
