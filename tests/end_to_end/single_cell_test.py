"""AnnData and 10x files as every command reads them, against what anndata and h5py wrote."""

import gzip
import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")
pandas = pytest.importorskip("pandas")

CELLS, GENES = 50, 30
CELL_NAMES = [f"cell{i}" for i in range(CELLS)]
GENE_NAMES = [f"gene{i}" for i in range(GENES)]


def counts():
    x = scipy.sparse.random(CELLS, GENES, 0.3, random_state=1, format="csr")
    x.data = np.ceil(x.data * 9)
    return x


def cells(x=None, **layers):
    kinds = pandas.Categorical(np.random.default_rng(1).choice(["a", "b", "ä"], CELLS))
    obs = pandas.DataFrame({"kind": kinds, "plain": [f"t{i % 4}" for i in range(CELLS)], "n": range(CELLS),
                            "share": np.linspace(0, 1, CELLS)}, index=CELL_NAMES)
    return anndata.AnnData(X=x, obs=obs, var=pandas.DataFrame(index=GENE_NAMES), layers=layers or None)


def good(run):
    assert run.returncode == 0, run.stderr


def converted(copse, file, tmp_path, *options):
    """The matrix of features x items that the program reads, with names and labels."""
    good(copse("convert", file, tmp_path / "out.npz", *options))
    archive = np.load(tmp_path / "out.npz")
    x = archive["matrix"] if "matrix" in archive else scipy.sparse.load_npz(tmp_path / "out.npz").toarray()
    names = [archive[f"{kind}.txt"].decode().splitlines() if f"{kind}.txt" in archive.files else []
             for kind in ("features", "items")]
    return x, *names


@pytest.mark.parametrize("kind", ["csr", "csc", "dense"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_reads_what_anndata_writes(copse, tmp_path, kind, dtype):
    x = counts().astype(dtype)
    cells({"csr": x, "csc": x.tocsc(), "dense": x.toarray()}[kind]).write_h5ad(tmp_path / "x.h5ad", compression="gzip")
    found, features, items = converted(copse, tmp_path / "x.h5ad", tmp_path)
    np.testing.assert_array_equal(found, x.toarray().T)
    assert features == GENE_NAMES and items == CELL_NAMES
    found, features, items = converted(copse, tmp_path / "x.h5ad", tmp_path, "--transpose")
    np.testing.assert_array_equal(found, x.toarray())
    assert items == GENE_NAMES


@pytest.mark.parametrize("kind", ["csr", "dense"])
def test_becomes_a_copse_file_in_parts(copse, tmp_path, kind):
    x = counts()
    cells(x if kind == "csr" else x.toarray()).write_h5ad(tmp_path / "x.h5ad")
    good(copse("convert", tmp_path / "x.h5ad", tmp_path / "x.copse", "--cell-labels", "kind"))
    found, features, items = converted(copse, tmp_path / "x.copse", tmp_path)
    np.testing.assert_array_equal(found, x.toarray().T)
    assert features == GENE_NAMES and items == CELL_NAMES
    # The labels inside count as the truth.
    good(copse("factor", tmp_path / "x.copse", "-k", 3, "-o", tmp_path / "out"))
    assert json.loads((tmp_path / "out" / "result.json").read_text())["measures"]["classes"] == 3


def test_layers(copse, tmp_path):
    cells(None, counts=counts()).write_h5ad(tmp_path / "x.h5ad")
    found, *_ = converted(copse, tmp_path / "x.h5ad", tmp_path, "--layer", "counts")
    np.testing.assert_array_equal(found, counts().toarray().T)
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / "y.npz")
    assert "has no X; its layers are 'counts'" in wrong.stderr
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / "y.npz", "--layer", "raw")
    assert "there is no layer 'raw'" in wrong.stderr


@pytest.mark.parametrize("column,classes", [("kind", 3), ("plain", 4), ("n", CELLS)])
def test_labels_of_cells(copse, tmp_path, column, classes):
    cells(counts()).write_h5ad(tmp_path / "x.h5ad")
    good(copse("factor", tmp_path / "x.h5ad", "-k", 3, "--cell-labels", column, "-o", tmp_path / "out"))
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (result["cols"], result["rows"]) == (CELLS, GENES)
    assert result["measures"]["classes"] == classes
    # New cells need no such column.
    new = cells(counts())
    del new.obs[column]
    new.write_h5ad(tmp_path / "new.h5ad")
    good(copse("assign", tmp_path / "out", tmp_path / "new.h5ad", "-o", tmp_path / "new.tsv"))


def test_wrong_labels(copse, tmp_path):
    cells(counts()).write_h5ad(tmp_path / "x.h5ad")
    for column, sentence in [("nothing", "obs has no column 'nothing'; its columns are"),
                             ("share", "holds neither text nor categories nor whole numbers")]:
        wrong = copse("factor", tmp_path / "x.h5ad", "-k", 2, "--cell-labels", column)
        assert wrong.returncode == 1 and sentence in wrong.stderr


@pytest.mark.parametrize("version", [2, 3])
def test_10x_files(copse, tmp_path, version):
    x = counts().T.tocsc()
    with h5py.File(tmp_path / "x.h5", "w") as file:
        group = file.create_group("matrix" if version == 3 else "hg19")
        group["data"], group["indices"] = x.data.astype(np.int32), x.indices.astype(np.int64)
        group["indptr"], group["shape"] = x.indptr.astype(np.int64), np.array(x.shape, np.int32)
        group["barcodes"] = np.array(CELL_NAMES, "S18")
        group["features/name" if version == 3 else "gene_names"] = np.array(GENE_NAMES, "S20")
    found, features, items = converted(copse, tmp_path / "x.h5", tmp_path)
    np.testing.assert_array_equal(found, x.toarray())
    assert features == GENE_NAMES and items == CELL_NAMES


def test_10x_folders(copse, tmp_path):
    folder = tmp_path / "filtered"
    folder.mkdir()
    with gzip.open(folder / "matrix.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, counts().T.astype(int).tocoo())
    rows = "".join(f"ENSG{i}\t{name}\tGene Expression\n" for i, name in enumerate(GENE_NAMES))
    (folder / "features.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    (folder / "barcodes.tsv.gz").write_bytes(gzip.compress("\n".join(CELL_NAMES).encode()))
    found, features, items = converted(copse, folder, tmp_path)
    np.testing.assert_array_equal(found, counts().toarray().T)
    assert features == GENE_NAMES and items == CELL_NAMES
    good(copse("tree", folder, "--leaves", 3, "-o", tmp_path / "out"))  # a matrix, and not a folder of documents
    (folder / "barcodes.tsv.gz").write_bytes(gzip.compress(b"one\n"))
    wrong = copse("convert", folder, tmp_path / "y.npz")
    assert "has 1 lines, and the matrix beside it asks for 50" in wrong.stderr


def sparse(file, data, indices, indptr, shape, encoding="csr_matrix"):
    group = file.create_group("X")
    group.attrs["encoding-type"], group.attrs["shape"] = encoding, shape
    group["data"], group["indices"], group["indptr"] = data, indices, indptr
    file.create_group("obs")


WRONG = {
    "nothing": (lambda f: None, "neither AnnData (.h5ad) nor 10x"),
    "other": (lambda f: f.create_dataset("stuff", data=[1, 2]), "it holds 'stuff'"),
    "text": (lambda f: (f.create_dataset("X", data=np.array([[b"a", b"b"]])), f.create_group("obs")), "must be numbers"),
    "one axis": (lambda f: f.create_dataset("X", data=[1.0, 2]), "it has one axis"),
    "huge": (lambda f: f.create_dataset("X", (10**6, 10**6), "f4", chunks=(100, 100)), "more elements than the file"),
    "negative": (lambda f: f.create_dataset("X", data=-np.ones((3, 3))), "is negative"),
    "nan": (lambda f: f.create_dataset("X", data=np.full((3, 3), np.nan)), "not a number"),
    "outside": (lambda f: sparse(f, [1.0, 2], [0, 9], [0, 1, 2], (2, 3)), "an index is outside of 0 to 2"),
    "below": (lambda f: sparse(f, [1.0, 2], [0, -1], [0, 1, 2], (2, 3)), "an index is outside of 0 to 2"),
    "far": (lambda f: sparse(f, [1.0, 2], [0, 2**40], [0, 1, 2], (2, 3)), "an index is outside of 0 to 2"),
    "offsets": (lambda f: sparse(f, [1.0, 2], [0, 1], [0, 5, 2], (2, 3)), "must ascend from 0"),
    "few offsets": (lambda f: sparse(f, [1.0, 2], [0, 1], [0, 2], (2, 3)), "2 offsets for 2 cells"),
    "few indices": (lambda f: sparse(f, [1.0, 2], [0], [0, 1, 2], (2, 3)), "another number of indices"),
    "kind": (lambda f: sparse(f, [1.0, 2], [0, 1], [0, 1, 2], (2, 3), "coo"), "of the kind 'coo'"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("end", ["npz", "copse"])
def test_a_sentence_for_what_is_wrong(copse, tmp_path, case, end):
    make, sentence = WRONG[case]
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        make(file)
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / f"y.{end}")
    assert wrong.returncode == 1 and "x.h5ad" in wrong.stderr
    if end == "npz" or "outside" not in sentence:  # in parts, the cell is named
        assert sentence in wrong.stderr
    assert not (tmp_path / f"y.{end}").exists()


def test_unsorted_and_repeated(copse, tmp_path):
    x = scipy.sparse.csr_matrix((np.array([1.0, 2, 3, 4]), np.array([5, 2, 2, 0]), np.array([0, 3, 3, 4])), (3, 6))
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        sparse(file, x.data, x.indices, x.indptr, x.shape)
    found, *_ = converted(copse, tmp_path / "x.h5ad", tmp_path)
    np.testing.assert_array_equal(found, x.toarray().T)
    good(copse("convert", tmp_path / "x.h5ad", tmp_path / "x.copse"))
    found, *_ = converted(copse, tmp_path / "x.copse", tmp_path)
    np.testing.assert_array_equal(found, x.toarray().T)


def test_damaged(copse, tmp_path):
    cells(counts()).write_h5ad(tmp_path / "x.h5ad")
    whole = (tmp_path / "x.h5ad").read_bytes()
    (tmp_path / "cut.h5ad").write_bytes(whole[: len(whole) // 2])
    wrong = copse("convert", tmp_path / "cut.h5ad", tmp_path / "y.npz")
    assert "it is damaged or was cut short" in wrong.stderr
    (tmp_path / "no.h5ad").write_text("hello")
    wrong = copse("convert", tmp_path / "no.h5ad", tmp_path / "y.npz")
    assert "this is not an HDF5 file" in wrong.stderr
    cells(counts()).write_h5ad(tmp_path / "lzf.h5ad", compression="lzf")
    wrong = copse("convert", tmp_path / "lzf.h5ad", tmp_path / "y.npz")
    assert "compressed by 'lzf'" in wrong.stderr
    good(copse("generate", "uniform", "--features", 5, "--items", 6, "-o", tmp_path / "u.npz"))
    wrong = copse("factor", tmp_path / "u.npz", "-k", 2, "--layer", "counts")
    assert "only .h5ad files have layers" in wrong.stderr


def heaps(file):
    """Where the heaps of text begin, and the objects of each: (number, place, size)."""
    place = file.find(b"GCOL")
    while place >= 0:
        end, at, objects = place + int.from_bytes(file[place + 8 : place + 16], "little"), place + 16, []
        while end - at >= 16:
            number, size = (int.from_bytes(file[at + i : at + j], "little") for i, j in ((0, 2), (8, 16)))
            objects.append((number, at, size))
            at += size if number == 0 else 16 + -(-size // 8) * 8
        yield place, objects
        place = file.find(b"GCOL", end)


def never_ending(file):
    for _, objects in heaps(file):
        for number, place, _ in objects:
            if number == 0:
                file[place + 8 : place + 16] = bytes(8)


def too_long(file):
    for _, objects in heaps(file):
        for number, place, _ in objects:
            if number == 2:
                file[place + 8 : place + 16] = (1 << 40).to_bytes(8, "little")


def another_number(file):
    place = file.find(b"gene0")
    start, number = next((start, number) for start, objects in heaps(file) for number, at, _ in objects if at + 16 == place)
    reference = (5).to_bytes(4, "little") + start.to_bytes(8, "little") + number.to_bytes(4, "little")
    place = file.find(reference)
    assert place >= 0
    file[place + 12 : place + 16] = (1 << 30).to_bytes(4, "little")


@pytest.mark.parametrize("damage", [never_ending, too_long, another_number])
@pytest.mark.parametrize("end", ["npz", "copse"])
def test_damaged_text_gets_a_sentence(copse, tmp_path, damage, end):
    """HDF5's own library does not end, or writes past its memory, on each of these."""
    cells(counts()).write_h5ad(tmp_path / "x.h5ad")
    file = bytearray((tmp_path / "x.h5ad").read_bytes())
    damage(file)
    (tmp_path / "x.h5ad").write_bytes(file)
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / f"y.{end}")
    assert wrong.returncode == 1 and "x.h5ad: its text cannot be read: the file is damaged." in wrong.stderr
    assert not (tmp_path / f"y.{end}").exists()


@pytest.mark.parametrize("array", ["X/data", "X/indptr", "obs/_index"])
@pytest.mark.parametrize("size,end", [(0, "npz"), (4, "npz"), (4, "copse"), (1 << 40, "npz")])
def test_an_array_stored_in_part_gets_a_sentence(copse, tmp_path, array, size, end):
    """HDF5's own library reads past what is stored, and may crash."""
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        sparse(file, [1.0, 2, 3], [0, 1, 2], [0, 1, 3], (2, 3))
        file.create_dataset("obs/_index", data=["a", "b"], dtype=h5py.string_dtype())
    good(copse("convert", tmp_path / "x.h5ad", tmp_path / "whole.npz"))
    with h5py.File(tmp_path / "x.h5ad") as file:
        found = file[array].id
        place = b"".join(n.to_bytes(8, "little") for n in (found.get_offset(), found.get_storage_size()))
    whole = (tmp_path / "x.h5ad").read_bytes()
    assert whole.count(place) == 1
    (tmp_path / "x.h5ad").write_bytes(whole.replace(place, place[:8] + size.to_bytes(8, "little")))
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / f"y.{end}")
    assert wrong.returncode == 1 and f"'{array}' takes another number of bytes than its shape" in wrong.stderr


def elsewhere_by_link(file, other):
    file["X"] = h5py.ExternalLink(other.name, "X")


def elsewhere_by_group(file, other):
    file["layers"] = h5py.ExternalLink(other.name, "layers")


def elsewhere_by_storage(file, other):
    with h5py.File(other) as found:
        offset = found["X"].id.get_offset()
    file.create_dataset("X", shape=(3, 3), dtype="f4", external=[(str(other), offset, 36)])


def elsewhere_by_view(file, other):
    layout = h5py.VirtualLayout(shape=(3, 3), dtype="f4")
    layout[...] = h5py.VirtualSource(other, "X", shape=(3, 3))
    file.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("refer", [elsewhere_by_link, elsewhere_by_group, elsewhere_by_storage, elsewhere_by_view])
def test_other_files_are_not_read(copse, tmp_path, refer):
    """A file of a stranger must not carry what lies elsewhere on the machine into a result."""
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = other["layers/X"] = np.ones((3, 3), np.float32)
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        refer(file, tmp_path / "other.h5")
    with h5py.File(tmp_path / "x.h5ad") as file:
        np.testing.assert_array_equal(file["layers/X" if "layers" in file else "X"], 1)  # HDF5 itself does
    options = ["--layer", "X"] if refer is elsewhere_by_group else []
    wrong = copse("convert", tmp_path / "x.h5ad", tmp_path / "y.npz", *options)
    assert wrong.returncode == 1
    assert "is a link to another file" in wrong.stderr or "keeps its values in other files" in wrong.stderr


def test_text_of_any_length(copse, tmp_path):
    """Names of every length, empty ones, many heaps, and all ways in which HDF5 stores an array."""
    count = 3000
    names = [f"{i}" + "é" * (i % 977) for i in range(count)]
    for options in ({}, {"chunks": (100,), "compression": "gzip", "shuffle": True}, {"chunks": (count,)}):
        with h5py.File(tmp_path / "x.h5ad", "w") as file:
            file.create_dataset("X", data=np.ones((count, 2), np.float32))
            obs = file.create_group("obs")
            obs.attrs["_index"] = "names"
            obs.create_dataset("names", data=names, dtype=h5py.string_dtype(), **options)
            obs.create_dataset("kind", (count,), dtype=h5py.string_dtype(), **options)  # never written: all empty
        _, _, items = converted(copse, tmp_path / "x.h5ad", tmp_path)
        assert items == names
        good(copse("convert", tmp_path / "x.h5ad", tmp_path / "x.copse", "--cell-labels", "kind"))
        _, _, items = converted(copse, tmp_path / "x.copse", tmp_path)
        assert items == names
