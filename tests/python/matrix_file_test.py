"""Matrices that NumPy and SciPy write are read equal, and they read equal what `copse convert` writes."""

import bz2
import gzip
import os
import subprocess
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.sparse

PROGRAM = os.environ.get("COPSE_PROGRAM", "")
pytestmark = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason="COPSE_PROGRAM does not name the program")
DATA = os.environ.get("COPSE_DATA", "")


def convert(source, target, *options):
    return subprocess.run([PROGRAM, "convert", source, target, *options], capture_output=True, text=True)


def load(path):
    if path.suffix == ".npy":
        return np.load(path)
    with np.load(path) as archive:
        if "format" not in archive:
            return archive["matrix"]
    return scipy.sparse.load_npz(path)


def dense(x):
    return x.toarray() if scipy.sparse.issparse(x) else x


def read_by_copse(path, *options):
    target = path.with_name("converted.npz")
    run = convert(path, target, *options)
    assert run.returncode == 0, run.stderr
    return load(target)


def expect_equal(path, expected):
    """Both ways of reading: with items in columns and, turned, in rows."""
    result = read_by_copse(path)
    np.testing.assert_array_equal(dense(result), dense(expected), strict=False)
    turned = read_by_copse(path, "--transpose")
    np.testing.assert_array_equal(dense(turned), dense(expected).T)
    return result


def random_sparse(seed, rows=40, cols=60, density=0.2, dtype=float):
    random = np.random.default_rng(seed)
    x = scipy.sparse.random(rows, cols, density, random_state=random, format="csc")
    if np.issubdtype(np.dtype(dtype), np.integer) or dtype == bool:
        x.data = np.ceil(x.data * 100)
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int32, np.int64, np.uint16, np.uint64, bool])
@pytest.mark.parametrize("layout", ["csc", "csr", "coo"])
@pytest.mark.parametrize("compressed", [False, True])
def test_sparse_npz(tmp_path, dtype, layout, compressed):
    x = random_sparse(1, dtype=dtype).asformat(layout)
    scipy.sparse.save_npz(tmp_path / "x.npz", x, compressed=compressed)
    expect_equal(tmp_path / "x.npz", x.astype(float))


@pytest.mark.parametrize("layout", ["csc", "csr", "coo"])
def test_sparse_npz_with_64_bit_indices_and_no_order(tmp_path, layout):
    x = random_sparse(2).asformat(layout)
    arrays = {"format": layout.encode(), "shape": x.shape, "data": x.data}
    if layout == "coo":
        order = np.random.default_rng(3).permutation(x.nnz)
        arrays |= {"data": x.data[order], "row": x.row[order].astype(">i8"), "col": x.col[order].astype(np.int64)}
    else:
        indices, data = x.indices.astype(np.int64), x.data.copy()
        for a, b in zip(x.indptr[:-1], x.indptr[1:]):
            indices[a:b], data[a:b] = indices[a:b][::-1].copy(), data[a:b][::-1].copy()
        arrays |= {"data": data, "indices": indices, "indptr": x.indptr.astype(np.uint64)}
    np.savez(tmp_path / "x.npz", **arrays)
    expect_equal(tmp_path / "x.npz", x)


def test_coordinates_in_one_array(tmp_path):
    x = random_sparse(4).tocoo()
    np.savez(tmp_path / "x.npz", format=b"coo", shape=x.shape, data=x.data, coords=np.stack([x.row, x.col]), _is_array=True)
    expect_equal(tmp_path / "x.npz", x)


def test_duplicates_are_added_up_and_said(tmp_path):
    row, col, data = [0, 2, 0, 0], [1, 0, 1, 1], [1.0, 5.0, 2.0, 4.0]
    x = scipy.sparse.coo_matrix((data, (row, col)), shape=(3, 2))
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    expect_equal(tmp_path / "x.npz", x)
    assert "2 duplicate entries were added up" in convert(tmp_path / "x.npz", tmp_path / "y.npz").stderr


@pytest.mark.parametrize("layout", ["bsr", "dia"])
def test_other_sparse_layouts_are_refused_with_advice(tmp_path, layout):
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.eye(4).asformat(layout))
    run = convert(tmp_path / "x.npz", tmp_path / "y.npz")
    assert run.returncode == 1 and f"'{layout}'" in run.stderr and "tocsc()" in run.stderr


@pytest.mark.parametrize("type", ["f2", "f4", "f8", ">f4", ">f8", ">f2", "i1", "i2", ">i4", "i8", "u1", ">u2", "u4", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_dense_arrays(tmp_path, type, order, name):
    x = np.asarray(np.random.default_rng(5).uniform(0, 100, (70, 90)).astype(type), order=order)
    (np.save if name == "x.npy" else np.savez)(tmp_path / name, x)
    expect_equal(tmp_path / name, x.astype(float))


def test_half_precision_of_every_size(tmp_path):
    x = np.arange(0x7C00, dtype=np.uint16).view(np.float16).reshape(2, -1)
    np.save(tmp_path / "x.npy", x)
    expect_equal(tmp_path / "x.npy", x.astype(float))


@pytest.mark.parametrize("x, part", [
    (np.array(3.0), "0 axes was found, and a matrix has 2"),
    (np.ones(3), "1 axis was found"),
    (np.ones((2, 3, 4)), "3 axes was found"),
    (np.ones((1, 2, 1, 3), order="F"), "4 axes was found"),
    (np.ones((2, 2), complex), "'<c16'"),
    (np.array([["a", "b"]]), "text"),
    (np.zeros((2, 2), [("a", "f4")]), "records"),
    (np.array([[None, 1]]), "'|O'"),
    (np.ones((0, 2)), "empty"),
])
def test_arrays_that_are_no_matrix_of_numbers(tmp_path, x, part):
    np.save(tmp_path / "x.npy", x)
    run = convert(tmp_path / "x.npy", tmp_path / "y.npz")
    assert run.returncode == 1 and part in run.stderr and "x.npy" in run.stderr


@pytest.mark.parametrize("change, part", [
    ({"indptr": [0, 2, 1, 3]}, "indptr"),
    ({"indptr": [1, 2, 2, 3]}, "indptr"),
    ({"indptr": [0, 1, 2]}, "indptr"),
    ({"indptr": [0.0, 1.0, 2.0, 3.0]}, "indptr"),
    ({"indices": [0, 2, 1]}, "indices"),
    ({"indices": [0, -1, 1]}, "indices"),
    ({"indices": [0, 1]}, "indices"),
    ({"data": [1.0, -2.0, 3.0]}, "feature 2 and item 2 is negative"),
    ({"data": [1.0, 2.0, np.nan]}, "feature 1 and item 3 is not a number"),
    ({"shape": [2, -3]}, "negative"),
    ({"shape": [2]}, "shape"),
    ({"shape": [2**40, 3]}, "2147483647"),
    ({"format": b"xyz"}, "'xyz'"),
])
def test_sparse_archives_that_contradict_themselves(tmp_path, change, part):
    arrays = {"format": b"csc", "shape": [2, 3], "data": [1.0, 2.0, 3.0], "indices": [0, 1, 0], "indptr": [0, 1, 2, 3]}
    np.savez(tmp_path / "x.npz", **arrays)
    assert convert(tmp_path / "x.npz", tmp_path / "y.npz").returncode == 0
    np.savez(tmp_path / "x.npz", **(arrays | change))
    run = convert(tmp_path / "x.npz", tmp_path / "y.npz")
    assert run.returncode == 1 and part in run.stderr and "x.npz" in run.stderr


@pytest.mark.parametrize("compressed", [False, True])
def test_archives_with_64_bit_numbers(tmp_path, monkeypatch, compressed):
    """What archives of more than 4 GB have, here from the first byte on."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 0)
    x = random_sparse(11)
    scipy.sparse.save_npz(tmp_path / "x.npz", x, compressed=compressed)
    assert b"PK\x06\x06" in (tmp_path / "x.npz").read_bytes()
    expect_equal(tmp_path / "x.npz", x)


@pytest.mark.parametrize("place, size, change, part", [
    (8, 2, lambda flags: flags | 1, "encrypted"),
    (10, 2, lambda method: 12, "other than deflate"),
    (24, 4, lambda size: 2**31, "damaged or truncated"),  # no deflate shrinks so much
    (24, 4, lambda size: size + 1, "shorter than the directory says"),
    (16, 4, lambda checksum: checksum ^ 1, "checksum"),
])
def test_archives_whose_directory_is_wrong(tmp_path, place, size, change, part):
    np.savez_compressed(tmp_path / "x.npz", matrix=np.ones((50, 50)))
    content = bytearray((tmp_path / "x.npz").read_bytes())
    begin = content.rindex(b"PK\x01\x02") + place
    number = int.from_bytes(content[begin : begin + size], "little")
    content[begin : begin + size] = change(number).to_bytes(size, "little")
    (tmp_path / "x.npz").write_bytes(content)
    run = convert(tmp_path / "x.npz", tmp_path / "y.npz")
    assert run.returncode == 1 and part in run.stderr and "x.npz" in run.stderr


@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("compress", [None, gzip.compress, lambda data: gzip.compress(data[:500]) + gzip.compress(data[500:])])
def test_matrix_market(tmp_path, field, symmetry, compress):
    x = random_sparse(6, cols=40, dtype=float if field == "real" else int)
    if symmetry == "symmetric":
        x = x + x.T
    if field == "pattern":
        x.data[:] = 1
    path = tmp_path / "x.mtx"
    scipy.io.mmwrite(path, x, field=field, symmetry=symmetry)
    assert f"{field} {symmetry}" in path.read_text()
    if compress:
        path.write_bytes(compress(path.read_bytes()))
    expect_equal(path, x)


@pytest.mark.parametrize("x", [np.random.default_rng(7).uniform(size=(30, 20)), np.arange(12).reshape(4, 3), np.ones((5, 5))])
def test_dense_matrix_market(tmp_path, x):
    scipy.io.mmwrite(tmp_path / "x.mtx", x, precision=17)
    expect_equal(tmp_path / "x.mtx", x)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("name", ["y.mtx", "y.npz", "y.mtx.gz"])
def test_scipy_reads_what_copse_writes(tmp_path, precision, name):
    x = random_sparse(8).astype(np.float32 if precision == "float" else np.float64)
    scipy.sparse.save_npz(tmp_path / "x.npz", x)
    assert convert(tmp_path / "x.npz", tmp_path / name, "--precision", precision).returncode == 0
    result = scipy.sparse.load_npz(tmp_path / name) if name == "y.npz" else scipy.io.mmread(tmp_path / name)
    if name == "y.npz":
        assert result.format == "csc" and result.dtype == x.dtype and result.indptr.dtype == np.int32
    np.testing.assert_array_equal(result.toarray().astype(x.dtype), x.toarray())


def test_numpy_reads_what_copse_writes(tmp_path):
    x = np.random.default_rng(9).uniform(size=(13, 8))
    np.save(tmp_path / "x.npy", x)
    for name in ["y.npy", "y.npz", "y.csv", "y.tsv"]:
        assert convert(tmp_path / "x.npy", tmp_path / name).returncode == 0
        path = tmp_path / name
        result = load(path) if name.startswith("y.np") else np.loadtxt(path, delimiter="," if name == "y.csv" else "\t")
        np.testing.assert_array_equal(result, x)


def test_names_survive_the_way_through_npz(tmp_path):
    text = ",p,q\nä,1,2\n\"b, c\",3,4.5\n"
    (tmp_path / "x.csv").write_text(text)
    assert convert(tmp_path / "x.csv", tmp_path / "x.npz").returncode == 0
    with np.load(tmp_path / "x.npz") as archive:
        assert archive["features.txt"].decode() == "ä\nb, c\n"
        np.testing.assert_array_equal(archive["matrix"], [[1, 2], [3, 4.5]])
    assert convert(tmp_path / "x.npz", tmp_path / "y.csv").returncode == 0
    assert (tmp_path / "y.csv").read_text() == text


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_delimited_text(tmp_path, delimiter):
    x = np.random.default_rng(10).uniform(size=(50, 7))
    np.savetxt(tmp_path / "x.csv", x, delimiter=delimiter, header=delimiter.join("abcdefg"), comments="")
    expect_equal(tmp_path / "x.csv", x)


def test_an_unknown_compression_is_refused(tmp_path):
    (tmp_path / "x.mtx").write_bytes(bz2.compress(b"%%MatrixMarket matrix array real general\n1 1\n1\n"))
    run = convert(tmp_path / "x.mtx", tmp_path / "y.npz")
    assert run.returncode == 1 and "x.mtx" in run.stderr


@pytest.mark.skipif(not DATA, reason="COPSE_DATA does not name the data")
@pytest.mark.parametrize("name", ["pbmc3k", "scmix_sc_celseq2"])
def test_single_cells(tmp_path, name):
    source = os.path.join(DATA, name, "matrix.mtx.gz")
    assert convert(source, tmp_path / "x.npz").returncode == 0
    difference = scipy.sparse.load_npz(tmp_path / "x.npz") - scipy.io.mmread(source)
    assert difference.nnz == 0
