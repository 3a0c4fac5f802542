"""Broken microaggregations: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001, ARG005

from types import SimpleNamespace

import numpy as np

from conformance.breakers import breakers, expect_broken, planted, unbroken
from tacita.core import Cancelled, Partition, RunContext
from tacita.microdata.methods.microaggregation.kmeans_variants import KMeans1
from tacita.microdata.methods.microaggregation.mdav import MDAV
from tacita.microdata.methods.microaggregation.microaggregation_method import Microaggregation


def in_runs(self, x, by):
    """Groups of k along an order."""
    labels = np.empty(len(x), dtype=np.int64)
    labels[np.argsort(by, kind="stable")] = np.minimum(np.arange(len(x)) // self.k, len(x) // self.k - 1)
    return labels


def small_groups(self, x, units, run):
    return np.arange(len(x)) // (self.k - 1)


def from_the_last_row(self, x, run=None, **given):
    found = MDAV(k=self.k).partition(x, run, **given)
    return SimpleNamespace(labels=found.labels.max() - found.labels, sizes=found.sizes[::-1], n=found.n)


def by_chance(self, x, units, run):
    return in_runs(self, x, np.random.default_rng().random(len(x)))


def by_row(self, x, units, run):
    return np.minimum(np.arange(len(x)) // self.k, len(x) // self.k - 1)


def by_number_of_columns(self, x, units, run):
    run.report("grouping", 1, 1)
    return in_runs(self, x, x[:, int(x.shape[1] > 3)])


def by_rounded_values(self, x, units, run):
    run.report("grouping", 1, 1)
    return in_runs(self, x, np.rint(x[:, 0]) + 1e-9 * x[:, 1 % x.shape[1]])


def in_place(self, x, run=None, **given):
    x *= 2.0
    return MDAV(k=self.k).partition(x, run, **given)


def whatever_n(self, x, run=None, **given):
    if len(x) < self.k:
        return Partition(np.zeros(len(x), dtype=np.int64), len(x))
    return MDAV(k=self.k).partition(x, run, **given)


def never_asked(self, x, units, run):
    return MDAV(k=self.k).group(x, units, RunContext())


def forgetful(self, x, run=None, *, start=None, **given):
    if start is None:
        return KMeans1(k=self.k).partition(x, run, **given)
    return Partition(np.arange(len(x)) % (len(x) // self.k), self.k)


def only_distinct(self, x, units, run):
    if len(np.unique(x, axis=0)) < len(x):
        raise ValueError("equal records")
    return MDAV(k=self.k).group(x, units, run)


def claims_more(self):
    return ("groups-of-k", "group-means", "marginals-preserved")


def impatient(self, x, labels, units, run):
    if run.should_stop():
        raise Cancelled("Cancelled while improving groups. Nothing was written.")
    return labels


def small_when_stopped(self, x, run=None, **given):
    found = MDAV(k=self.k).partition(x, run, **given)
    if run is None or not run.should_stop():
        return found
    return Partition(np.arange(len(x)) // (self.k - 1), self.k - 1)


def any_when_stopped(self, x, run=None, *, start=None, **given):
    if start is None or run is None or not run.should_stop():
        return KMeans1(k=self.k).partition(x, run, start=start, **given)
    return Partition(np.arange(len(x)) % (len(x) // self.k), self.k)


GROUPS = {
    "every group has k records whatever n": [planted(Microaggregation, group=small_groups)],
    "groups are numbered by their lowest row": [planted(MDAV, partition=from_the_last_row)],
    "same records give the same groups": [planted(Microaggregation, group=by_chance)],
    "order of rows only renames them": [planted(Microaggregation, group=by_row)],
    "a constant column changes nothing": [planted(Microaggregation, group=by_number_of_columns)],
    "scale of all columns changes nothing": [planted(Microaggregation, group=by_rounded_values)],
    "what comes in is left as it was": [planted(MDAV, partition=in_place)],
    "with units every group has k of them": [
        planted(MDAV, unit_aware=True, group=lambda self, x, units, run: MDAV(k=self.k).group(x, None, run))
    ],
    "fewer than k records are refused": [planted(MDAV, partition=whatever_n)],
    "cancelling stops it": [planted(Microaggregation, group=never_asked)],
    "stopped early it keeps groups of k": [
        planted(MDAV, partition=small_when_stopped),
        planted(KMeans1, partition=any_when_stopped),
        planted(MDAV, anytime=True),
        planted(KMeans1, improve=impatient),
    ],
    "a release of it is verified": [planted(MDAV, promised=claims_more)],
    "improvement is never worse than its start": [planted(KMeans1, partition=forgetful)],
    "equal records are no obstacle": [planted(Microaggregation, group=only_distinct)],
}


@breakers(GROUPS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("microaggregation", GROUPS)
