"""`copse evaluate` against scikit-learn and SciPy, and against the formulas of snmf (15) and (16)."""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

PROGRAM = os.environ.get("COPSE_PROGRAM", "")
pytestmark = pytest.mark.skipif(not os.path.exists(PROGRAM), reason="COPSE_PROGRAM names no program")


def evaluate(folder, clusters, classes):
    names = []
    for name, labels in ("clusters", clusters), ("classes", classes):
        names.append(folder / f"{name}.txt")
        names[-1].write_text("".join(f"{label}\n" for label in labels))
    done = subprocess.run([PROGRAM, "evaluate", *names, "--json"], capture_output=True, check=True)
    return json.loads(done.stdout)


def expected(clusters, classes):
    table = contingency_matrix(classes, clusters).astype(float)  # classes x clusters
    rows, columns = linear_sum_assignment(-table)
    share = table / table.sum(axis=0)
    disorder = -(table * np.log2(share, where=table > 0, out=np.zeros_like(table))).sum()
    return {
        "accuracy": table[rows, columns].sum() / table.sum(),
        "nmi": normalized_mutual_info_score(classes, clusters),
        "ari": adjusted_rand_score(classes, clusters),
        "purity": table.max(axis=0).sum() / table.sum(),
        "entropy": disorder / (table.sum() * np.log2(len(table))) if len(table) > 1 else 0.0,
    }


def random_labels(items, clusters, classes, agreement, seed):
    random = np.random.default_rng(seed)
    truth = random.integers(classes, size=items)
    found = np.where(random.random(items) < agreement, truth % clusters, random.integers(clusters, size=items))
    return found, truth


CASES = {
    "good": random_labels(5000, 20, 20, 0.8, 1),
    "random": random_labels(5000, 20, 20, 0.0, 2),
    "more clusters": random_labels(3000, 60, 7, 0.5, 3),
    "more classes": random_labels(3000, 5, 90, 0.5, 4),
    "small": random_labels(9, 3, 4, 0.3, 5),
    "hundreds of random labels": random_labels(20000, 700, 900, 0.0, 6),
    "thousands of labels": random_labels(20000, 2000, 2000, 0.3, 7),
    "one cluster": (np.zeros(50, int), np.arange(50) % 3),
    "one class": (np.arange(50) % 3, np.zeros(50, int)),
    "one of each": (np.zeros(50, int), np.zeros(50, int)),
    "clusters of one": (np.arange(50), np.arange(50) % 4),
    "classes of one": (np.arange(50) % 4, np.arange(50)),
    "all alone": (np.arange(50), np.arange(50)[::-1]),
    "one item": (np.array([3]), np.array([8])),
    "independent": (np.arange(64) % 8, np.arange(64) // 8),
}


@pytest.mark.parametrize("name", CASES)
def test_measures_equal_the_references(tmp_path, name):
    clusters, classes = CASES[name]
    ours = evaluate(tmp_path, clusters, classes)
    for measure, value in expected(clusters, classes).items():
        assert ours[measure] == pytest.approx(value, rel=1e-9, abs=1e-12), measure
    assert ours["items"] == len(clusters)


def test_labels_may_be_words(tmp_path):
    clusters, classes = CASES["small"]
    words = np.array(["pear tree", "Äpfel", "'", "4"])
    assert evaluate(tmp_path, words[clusters], words[classes]) == evaluate(tmp_path, clusters, classes)
