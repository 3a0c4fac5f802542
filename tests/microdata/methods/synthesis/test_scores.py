"""What the methods reach on Census, in the two splits of the literature."""

import numpy as np
import pytest

import tacita
from tacita.core import Comparison, RunContext

# Columns of the file, from 0: nine dependent attributes, and four.
S1 = [0, 2, 3, 5, 6, 8, 10, 11, 12]
S2 = [3, 6, 11, 12]


def mean_scores(census, dependent, name, seeds=10, **settings):
    """PIL, DR and SCORE, means over seeds."""
    y, s = census[:, dependent], np.delete(census, dependent, axis=1)
    found = []
    for seed in range(seeds):
        pair = Comparison.of(
            y, tacita.get_method(name, **settings).synthesize(y, s, RunContext(seed=seed)), context=s
        )
        found.append([tacita.get_method(measure).score(pair).value for measure in ("PIL", "DR", "SCORE")])
    return np.mean(found, axis=0)


@pytest.mark.parametrize(("dependent", "wanted"), [(S1, (5.3, 9.8)), (S2, (6.4, 10.4))])
def test_restored_marginals_beat_plain_ipso_c(census, dependent, wanted):
    restored, plain = (mean_scores(census, dependent, name)[2] for name in ("ipso-q", "ipso-c"))
    assert restored < plain
    # our own figures: a change of them should be noticed
    assert (restored, plain) == pytest.approx(wanted, abs=0.2)


@pytest.mark.parametrize("dependent", [S1, S2])
def test_clusters_lie_between(census, dependent):
    names = ("ipso-q", "ipso-cluster", "ipso-c", "ipso-b", "ipso-a")
    scores = [mean_scores(census, dependent, name, 3)[2] for name in names]
    assert scores == sorted(scores)


def test_more_clusters_trade_loss_for_risk(census):
    insist = {"max_leverage": 1, "max_unchanged": 1, "memberships": "separate", "equalities": False}
    scores = np.array([mean_scores(census, S1, "fcrm", 1, c=c, **insist) for c in (2, 4, 8)])
    assert (np.diff(scores[:, 0]) < 0).all()
    assert (np.diff(scores[:, 1]) > 0).all()


def test_separate_memberships_on_census_give_true_values_and_are_refused(census):
    y, s = census[:, S1], np.delete(census, S1, axis=1)
    with pytest.raises(tacita.DataError, match="would come out unchanged"):
        tacita.get_method("fcrm", c=4, memberships="separate", max_leverage=1).synthesize(y, s)
