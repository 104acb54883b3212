"""Several processes fit one model: each has some of the samples. They run under mpirun; a worker is this file itself."""

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import copse

MPIRUN = os.environ.get("COPSE_MPIRUN", "mpirun --allow-run-as-root --oversubscribe").split()


def planted():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 4, 700)
    counts = rng.poisson(0.1, (700, 60)) + rng.poisson(2, (700, 60)) * (np.arange(60) % 4 == labels[:, None])
    counts[7] = 0
    return counts.astype(np.float64)


CASES = {
    "sparse": (dict(n_components=4, random_state=3, n_jobs=1), scipy.sparse.csr_array),
    "dense": (dict(n_components=4, random_state=3, n_jobs=1), np.asarray),
    "affine": (dict(n_components=3, affine=True, solver="pivoting", random_state=0, n_jobs=1), scipy.sparse.csr_array),
    "runs": (dict(n_components=5, init="random", n_runs=3, max_iter=20, random_state=1, n_jobs=1), scipy.sparse.csr_array),
    "penalty": (dict(n_components=4, beta="thesis", random_state=3, n_jobs=1), scipy.sparse.csr_array),
    "drawn seed": (dict(n_components=3, init="random", max_iter=3, n_jobs=1), scipy.sparse.csr_array),
    "more than samples": (dict(n_components=58, init="random", max_iter=3, n_jobs=1), scipy.sparse.csr_array),
}


def refused(fit):
    try:
        fit()
    except ValueError as error:
        return str(error)
    return "nothing was refused"


def work(folder):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, size, X = comm.Get_rank(), comm.Get_size(), planted()
    # Parts of different sizes; the last of three has few samples.
    ends = {1: [700], 2: [256, 700], 3: [256, 660, 700]}[size]
    own = X[([0, *ends])[rank] : ends[rank]]
    found = {}
    for name, (parameters, kind) in CASES.items():
        model = copse.NMF(**parameters)
        coefficients = model.fit_transform(kind(own), comm=comm)
        assert np.array_equal(model.labels_[coefficients.any(axis=1)], coefficients.argmax(axis=1)[coefficients.any(axis=1)])
        found[name] = dict(
            H=model.components_, W=coefficients, error=model.relative_error_, absolute=model.reconstruction_err_,
            labels=model.labels_, transformed=model.transform(kind(own)), baseline=getattr(model, "baseline_", None),
        )
    broken = own.copy()
    if rank == size - 1:
        broken[0, 0] = -1
    found["refused"] = [
        refused(lambda: copse.NMF(3).fit(broken, comm=comm)),
        refused(lambda: copse.NMF(3).fit(own[:, : 60 - rank], comm=comm)),
        refused(lambda: copse.NMF(3 + rank).fit(own, comm=comm)),
        refused(lambda: copse.NMF(3).fit(own.astype(np.float32) if rank else own, comm=comm)),
        refused(lambda: copse.NMF(3, beta_loss="kullback-leibler", solver="mu").fit(own, comm=comm)),
        refused(lambda: copse.NMF(2).fit(["one text", "two texts"], comm=comm)),
        refused(lambda: copse.NMF(2).fit(own, comm=comm, vectors=own)),
    ]
    pathlib.Path(folder, f"{rank}.pickle").write_bytes(pickle.dumps(found))


@pytest.fixture(scope="module", params=[1, 2, 3])
def results(request, tmp_path_factory):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: no fit with several processes is tested")
    if shutil.which(MPIRUN[0]) is None:
        pytest.skip("there is no mpirun")
    folder = tmp_path_factory.mktemp("processes")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI"))}
    run = subprocess.run(
        [*MPIRUN, "-n", str(request.param), sys.executable, "-m", "mpi4py", __file__, str(folder)],
        capture_output=True, text=True, timeout=300, env=environment,
    )
    assert run.returncode == 0, run.stderr
    return [pickle.loads((folder / f"{rank}.pickle").read_bytes()) for rank in range(request.param)]


@pytest.mark.parametrize("name", CASES)
def test_the_model_is_that_of_one_process(results, name):
    parameters, kind = CASES[name]
    parts = [result[name] for result in results]
    for part in parts:  # the same bits for everyone
        assert np.array_equal(part["H"], parts[0]["H"])
        assert part["error"] == parts[0]["error"]
        assert (part["baseline"] is None) == (parts[0]["baseline"] is None)
        if part["baseline"] is not None:
            assert np.array_equal(part["baseline"], parts[0]["baseline"])
    X, W = planted(), np.concatenate([part["W"] for part in parts])
    assert len(W) == len(X)
    # By definition, whatever the start was.
    model = W @ parts[0]["H"] + (0 if parts[0]["baseline"] is None else parts[0]["baseline"])
    distance = np.linalg.norm(X - model)
    assert distance / np.linalg.norm(X) == pytest.approx(parts[0]["error"], abs=1e-6)
    assert distance == pytest.approx(parts[0]["absolute"], rel=1e-6)
    if "random_state" not in parameters:
        return
    alone = copse.NMF(**parameters)
    expected = alone.fit_transform(kind(X))
    assert alone.relative_error_ == pytest.approx(parts[0]["error"], abs=1e-4)
    if len(parts) == 1:
        assert np.array_equal(W, expected) and np.array_equal(parts[0]["H"], alone.components_)
    assert np.mean(np.concatenate([part["labels"] for part in parts]) == alone.labels_) > 0.99


def test_new_samples_are_placed(results):
    for result in results:
        for name in ("sparse", "dense"):
            part = result[name]
            assert part["transformed"] == pytest.approx(part["W"], abs=0.05 * part["W"].max())


def test_everyone_hears_what_is_refused(results):
    if len(results) == 1:
        assert results[0]["refused"][1:4] == ["nothing was refused"] * 3
        return
    last = len(results) - 1
    sentences = [result["refused"] for result in results]
    assert "egative values" in sentences[last][0]
    assert all(f"process {last} was refused" in own[0] and "egative values" in own[0] for own in sentences[:last])
    for place, word in enumerate(["same columns", "same parameters: n_components", "same columns and types", "kullback-leibler",
                                  "documents", "vectors"], 1):
        assert all(word in own[place] for own in sentences), [own[place] for own in sentences]


def test_other_things_are_no_communicator():
    with pytest.raises(ValueError, match="communicator of mpi4py"):
        copse.NMF(2).fit(planted(), comm=3)


if __name__ == "__main__":
    work(sys.argv[1])
