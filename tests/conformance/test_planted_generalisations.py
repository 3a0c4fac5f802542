"""Broken generalisations: each breaks the law that was meant for it, by name."""

# a planted part keeps the whole signature of the one that it stands for
# ruff: noqa: ARG001

from dataclasses import replace

import numpy as np

from conformance.breakers import breakers, counted, expect_broken, planted, unbroken
from tacita.core import DataError
from tacita.microdata.methods.generalisation.generalisation_method import COARSER
from tacita.microdata.methods.generalisation.generalise import Generalise
from tacita.microdata.methods.generalisation.local_recoding import RecodeLocal
from tacita.microdata.methods.generalisation.mondrian import Mondrian

tick = counted()


def made(base, change):
    """A method that shows what another would, but for a change of it."""
    return planted(
        base, generalise=lambda self, keys, run=None: change(self, keys, run, original(base, self, keys, run))
    )


def original(base, method, keys, run):
    return base(**{name: getattr(method, name) for name in method.model_fields_set}).generalise(keys, run)


def finest(self, keys, run, found):
    labels = tuple(ladder.labels for ladder in keys.ladders)
    shown = np.array([ladder.levels[0][own] for ladder, own in zip(keys.ladders, keys.leaves, strict=True)])
    return replace(found, labels=labels, shown=shown)


def without(*names):
    """As if some of what is known of the records were not."""

    def change(self, keys, run, found):
        nothing = {"strata": np.zeros(keys.n, dtype=np.int64), "units": None, "weighing": None}
        less = replace(keys, **{name: nothing[name] for name in names})
        blind = {name: getattr(self, name) for name in self.model_fields_set}
        if "weighing" in names:
            blind["models"] = {}
        return Generalise(**blind).generalise(less, run)

    return change


def uncovering(self, keys, run, found):
    """What is shown belongs to the record above."""
    return replace(found, shown=np.roll(found.shown, 1, axis=1))


def leaving_out(self, keys, run, found):
    return replace(found, gone=np.ones(keys.n, dtype=bool))


def all_alike(keys, found):
    """Nothing but the tops of all hierarchies."""
    shown = np.array([ladder.levels[-1][own] for ladder, own in zip(keys.ladders, keys.leaves, strict=True)])
    return replace(found, labels=tuple(ladder.labels for ladder in keys.ladders), shown=shown)


def by_the_clock(self, keys, run, found):
    return found if tick() % 2 else all_alike(keys, found)


def by_the_first_record(self, keys, run, found):
    return found if keys.leaves[0, 0] else all_alike(keys, found)


def trusting(self, keys, run=None):
    try:
        return Generalise(**{name: getattr(self, name) for name in self.model_fields_set}).generalise(
            keys, run
        )
    except DataError:
        return RecodeLocal(k=self.k).generalise(keys, run)


def silent(self, keys, run=None):
    return Generalise(**{name: getattr(self, name) for name in self.model_fields_set}).generalise(keys)


GENERALISATIONS = {
    "every combination stands for k records": [made(Generalise, finest)],
    "stands for k units": [made(Generalise, without("units"))],
    "no combination mixes strata": [made(Generalise, without("strata"))],
    "stands for as many persons": [made(Generalise, without("weighing"))],
    "what is shown covers what was": [made(RecodeLocal, uncovering), made(Mondrian, uncovering)],
    "no more are left out than the limit": [made(Generalise, leaving_out)],
    "their order changes nothing": [made(Generalise, by_the_clock), made(Generalise, by_the_first_record)],
    "a model that cannot hold is refused": [planted(Generalise, generalise=trusting)],
    "cancelling stops it": [planted(Generalise, generalise=silent)],
    "it promises that keys are k anonymous": [
        planted(Generalise, guarantees=("generalised", "models-hold", "few-suppressed")),
        planted(Mondrian, guarantees=("k-anonymous", "generalised", "models-hold")),
    ],
    "a release of it is verified": [
        planted(RecodeLocal, guarantees=(*COARSER, "levels-as-told")),
        planted(Mondrian, guarantees=(*COARSER, "optimum-proven")),
    ],
}


@breakers(GENERALISATIONS)
def test_a_broken_method_breaks_the_law_that_says_so(law, method):
    expect_broken(law, method)


def test_every_law_has_a_method_that_breaks_it():
    assert not unbroken("generalisation", GENERALISATIONS)
