"""Every rule of check_layers.py finds what breaks it, and leaves alone what does not."""

import pytest

from check_layers import ARROWS, findings, reachable


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
        ("copse/io/npz.cpp", '  std::fprintf(stderr, "oh");'),
        ("copse/io/npz.cpp", '  printf("oh");'),
        ("copse/io/npz.cpp", "#include <iostream>"),
        ("copse/io/npz.cpp", "  std::cerr << 1;"),
        ("copse/io/npz.cpp", "  std::exit(1);"),
        ("copse/io/npz.cpp", "  abort();"),
        ("copse/io/npz.cpp", "#include <spdlog/spdlog.h>"),
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
