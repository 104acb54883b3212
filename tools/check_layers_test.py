"""Every rule of check_layers.py finds what breaks it, and leaves alone what does not."""

import pathlib
import re

import pytest

from check_layers import ARROWS, circle_findings, circles, findings, public_findings, reachable


@pytest.mark.parametrize(
    "path, line",
    [
        ("copse/matrix/sparse.h", '#include "copse/kernels/gram.h"'),  # upwards
        ("copse/io/npz.cpp", '#include "copse/kernels/gram.h"'),  # sideways
        ("copse/nnls/hals.cpp", '#include "copse/prepare/tf_idf.h"'),  # sideways
        ("copse/nnls/hals_test.cpp", '#include "copse/nmf/nmf.h"'),
        ("copse/nmf/nmf.cpp", '#include "copse/measure/clustering.h"'),
        ("copse/nnls/hals.cpp", '#include "tests/support/naive.h"'),
        ("copse/nnls/hals.cpp", '#include "apps/copse/run.h"'),
        ("copse/unheard_of/a.cpp", ""),
        ("copse/kernels/gram.cpp", "#include <oneapi/tbb/parallel_for.h>"),
        ("tests/support/naive.h", "#include <tbb/tbb.h>"),
        ("copse/engines/disk/file_data.cpp", "#include <mpi.h>"),
        ("apps/copse/program.cpp", "#include <mpi.h>"),
        ("copse/engines/mpi/mpi_team.cpp", "#include <CL/opencl.hpp>"),
        ("copse/nmf/nmf.cpp", '#include "hwy/highway.h"'),
        ("copse/tree/tree.cpp", "#include <hwy/cache_control.h>"),
        ("copse/kernels/gram.cpp", "#include <Random123/philox.h>"),
        ("copse/kernels/gram.cpp", "#include <Eigen/Dense>"),
        ("copse/nmf/factors.h", "#include <Eigen/Dense>"),
        ("copse/graph/graph.cpp", "#include <hnswlib/hnswlib.h>"),
        ("copse/io/npz.cpp", "#include <unicode/utf8.h>"),
        ("copse/report/write_result.cpp", "#include <simdjson.h>"),
        ("copse/image/boundary.cpp", "#include <png.h>"),
        ("copse/image/boundary.cpp", "#include <jpeglib.h>"),
        ("copse/engines/disk/file_data.cpp", "#include <hdf5.h>"),
        ("copse/nmf/nmf.cpp", "#include <xxhash.h>"),
        ("copse/nmf/nmf.cpp", "#include <nlohmann/json.hpp>"),
        ("copse/io/safetensors.h", "#include <nlohmann/json.hpp>"),
        ("copse/io/npz.cpp", '  std::fprintf(stderr, "oh");'),
        ("copse/io/npz.cpp", '  printf("oh");'),
        ("copse/io/npz.cpp", "#include <iostream>"),
        ("copse/io/npz.cpp", "  std::cerr << 1;"),
        ("copse/io/npz.cpp", "  std::exit(1);"),
        ("copse/io/npz.cpp", "  abort();"),
        ("copse/io/npz.cpp", "#include <spdlog/spdlog.h>"),
        ("copse/io/npz.cpp", "#include <CLI/CLI.hpp>"),
        ("copse/io/npz.cpp", "#include <nanobind/nanobind.h>"),
    ],
)
def test_finds(path, line):
    (finding,) = findings(path, "\n" + line if line else "")
    assert finding.startswith(path + (":2: " if line else ":1: "))


@pytest.mark.parametrize(
    "path, line",
    [
        ("copse/tree/tree.cpp", '#include "copse/base/error.h"'),
        ("copse/nnls/hals.cpp", '#include "copse/nnls/nnls.h"'),
        ("copse/nnls/hals_test.cpp", '#include "tests/support/naive.h"'),
        ("copse/nmf/nmf_test.cpp", '#include "copse/measure/clustering.h"'),
        ("copse/base/parallel.cpp", "#include <oneapi/tbb/parallel_for.h>"),
        ("copse/engines/mpi/mpi_team.cpp", "#include <mpi.h>"),
        ("copse/engines/opencl/opencl_runner.h", "#include <CL/opencl.hpp>"),
        ("copse/nnls/tile-inl.h", '#include "hwy/highway.h"'),
        ("tests/support/instruction_sets.cpp", "#include <hwy/highway.h>"),
        ("copse/nmf/nmf_test.cpp", "#include <Eigen/Dense>"),
        ("copse/text/words.cpp", "#include <unicode/brkiter.h>"),
        ("copse/io/npz.cpp", "  // #include <unicode/brkiter.h>"),
        ("copse/io/npz.cpp", "  // std::cout would be wrong here"),
        ("copse/io/npz.cpp", '  throw InputError("exit(1)");'),
        ("copse/io/npz.cpp", "  std::snprintf(buffer, size, format, x);"),
        ("apps/copse/main.cpp", "  std::fputs(text, stderr);"),
        ("apps/copse/main.cpp", '#include "copse/nmf/nmf.h"'),
    ],
)
def test_leaves_alone(path, line):
    assert list(findings(path, line)) == []


def test_no_folder_reaches_itself_through_others():
    for folder in ARROWS:
        assert all(folder not in reachable(below) for below in ARROWS[folder])


def test_the_architecture_has_the_same_table():
    page = (pathlib.Path(__file__).resolve().parent.parent / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\w, ]*)\|$", page, flags=re.MULTILINE)
    assert {folder: re.findall(r"\w+", arrows) for folder, arrows in rows} == ARROWS


def test_circles_of_arrows():
    assert list(circles({"a": ["b"], "b": ["c"], "c": []})) == []
    assert list(circles({"a": ["b", "c"], "b": ["c"], "c": ["b"]})) == [(["b", "c", "b"], {"b", "c"})]
    ((way, together),) = circles({"a": ["b"], "b": ["c", "d"], "c": ["d"], "d": ["a"]})  # the short way back
    assert way == ["a", "b", "d", "a"] and together == {"a", "b", "c", "d"}
    assert len(list(circles({"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"]}))) == 2


def including(names):
    """Texts of files below copse/ that include others: names has them by the including file."""
    return {f"copse/{path}": "".join(f'#include "copse/{name}"\n' for name in below) for path, below in names.items()}


def test_circles_of_headers_and_their_sources_are_found():
    (finding,) = circle_findings(including({"io/npz.h": ["io/zip.h"], "io/zip.h": [], "io/zip.cpp": ["io/zip.h", "io/npz.h"]}))
    assert finding == "copse/io/npz: a circle of files: copse/io/npz -> copse/io/zip -> copse/io/npz"
    assert len(list(circle_findings(including({"nnls/hals.cpp": ["nnls/hals-inl.h"], "nnls/hals-inl.h": ["nnls/tile.h"],
                                               "nnls/tile.h": ["nnls/hals.h"], "nnls/hals.h": []})))) == 1


def test_circles_of_folders_are_found():
    (finding,) = circle_findings(including({"tree/a.h": ["graph/a.h"], "graph/a.h": [], "graph/b.h": ["tree/b.h"], "tree/b.h": []}))
    assert finding.startswith("copse/graph: a circle of folders:")
    (finding,) = circle_findings(including({"engines/a.h": [], "engines/b.cpp": ["engines/disk/c.h"], "engines/disk/c.h": ["engines/a.h"]}))
    assert finding == "copse/engines: a circle of folders: copse/engines -> copse/engines/disk -> copse/engines"


def test_what_is_no_circle():
    assert not list(circle_findings(including({"io/npz.h": [], "io/npz.cpp": ["io/npz.h", "io/zip.h"], "io/zip.h": []})))
    assert not list(circle_findings(including({"io/npz.h": ["io/zip.h"], "io/zip.h": [], "io/zip_test.cpp": ["io/npz.h"]})))


def test_installed_headers_include_the_standard_library_only():
    texts = {"copse/copse.h": '#include "copse/nmf/nmf.h"\n#include <vector>\n', "copse/nmf/nmf.h": "#include <Eigen/Dense>\n",
             "copse/nmf/inside.h": "#include <Eigen/Dense>\n", "copse/nmf/nmf.cpp": "#include <Eigen/Dense>\n"}
    (finding,) = public_findings(texts)
    assert finding.startswith("copse/nmf/nmf.h:1: ")
    assert len(list(public_findings({"copse/copse.h": "#include <unistd.h>\n"}))) == 1
