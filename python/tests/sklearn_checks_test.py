"""scikit-learn's own checks of estimators."""

import pytest
from sklearn.decomposition import NMF as TheirNMF
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from copse import DCNMF, NMF

# scikit-learn checks its own NMF with these settings.
OURS = NMF(max_iter=500)


@parametrize_with_checks([OURS, DCNMF(n_components=2, max_iter=500), DCNMF()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def name(check):
    while hasattr(check, "func"):
        check = check.func
    return check.__name__


def test_no_check_is_left_out_that_scikit_learns_nmf_passes():
    theirs = {name(check) for _, check in estimator_checks_generator(TheirNMF(max_iter=500))}
    ours = {name(check) for _, check in estimator_checks_generator(OURS)}
    assert theirs <= ours


@pytest.mark.parametrize("tag", ["positive_only", "sparse"])
def test_tags_agree(tag):
    assert getattr(OURS.__sklearn_tags__().input_tags, tag) == getattr(TheirNMF().__sklearn_tags__().input_tags, tag)
