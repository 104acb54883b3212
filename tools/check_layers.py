"""Checks the arrows of docs/architecture.md: who may include whom, circles of includes, who may use which library or print."""

import pathlib
import re
import sys

# What each folder below copse/ may include besides itself. What an entry may include, its users may include too.
ARROWS = {
    "base": [],
    "matrix": ["base"],
    "options": ["base"],
    "io": ["matrix"],
    "text": ["io"],
    "kernels": ["matrix"],
    "measure": ["matrix"],
    "generate": ["matrix"],
    "prepare": ["kernels"],
    "nnls": ["kernels"],
    "nmf": ["nnls"],
    "tree": ["nmf"],
    "engines": ["nnls", "io"],
    "graph": ["tree", "io"],
    "cluster": ["graph"],
    "image": ["cluster"],
    "methods": ["options", "engines", "image"],
    "choose": ["methods", "measure"],
    "model": ["choose", "io"],
    "input": ["model", "text", "prepare", "engines"],
    "describe": ["model", "text", "prepare"],
    "advise": ["input", "generate"],
    "run": ["input", "describe", "choose", "advise"],
    "edit": ["run"],
    "report": ["describe"],
}

# Tests of any folder may plant an answer and judge what was found.
TESTS_MAY_INCLUDE = {"generate", "measure"}

TESTS = r"(tests|bench|examples)/.*|.*_test\.cpp"

# Who may include a library: its name, its headers, files. Tests may include all but the first three.
LIBRARIES = [
    ("TBB", r"(oneapi/)?tbb[/.]", r"copse/base/parallel\.cpp"),
    ("MPI", r"mpi\.h", r"copse/engines/mpi/.*"),
    ("OpenCL", r"CL/", r"copse/engines/opencl/.*"),
    ("Highway", r"hwy/",
     rf"copse/(kernels|nnls)/.*|copse/tree/(pair_kernels\.cpp|node_items\.h)|copse/graph/coordinate_step\.cpp|{TESTS}"),
    ("Random123", r"Random123/", rf"copse/base/random\.cpp|{TESTS}"),
    ("Eigen", r"Eigen/", rf"copse/(nnls|nmf|tree|graph|cluster|image|choose)/.*\.cpp|copse/kernels/small_eigen\.(h|cpp)|{TESTS}"),
    ("hnswlib", r"hnswlib/", rf"copse/graph/approximate_neighbours\.cpp|{TESTS}"),
    ("ICU, libstemmer or simdjson", r"unicode/|libstemmer\.h|simdjson\.h", rf"copse/text/.*\.cpp|{TESTS}"),
    ("libpng, libjpeg, HDF5, xxHash, zlib or zstd", r"png\.h|j(peglib|error)\.h|hdf5\.h|xxhash\.h|zlib\.h|zstd\.h",
     rf"copse/io/.*\.cpp|{TESTS}"),
    ("nlohmann's JSON", r"nlohmann/", rf"copse/(io|text|model)/.*\.cpp|copse/model/(json_fields|result_json|survey_text)\.h|copse/report/.*|(apps|python)/.*|{TESTS}"),
    ("CLI11 or spdlog", r"(CLI|CLI11|spdlog)/", r"apps/.*"),
    ("nanobind", r"nanobind/", r"python/.*"),
]

# What only some may do: pattern, those who may, what to say.
RESERVED = [
    (r"#include\s*<iostream>|\bstd::(cout|cerr|clog)\b|\bf?printf\(|\bputs\(|\bstd(out|err)\b",
     rf"(apps|python)/.*|{TESTS}", "only apps/ and python/ may print"),
    (r"\b(std::)?(_?exit|abort|terminate|quick_exit)\(", rf"copse/engines/mpi/.*|(apps|python)/.*|{TESTS}",
     "only apps/ and python/ may end the program"),
]


def reachable(start, arrows=ARROWS):
    """Where arrows lead from `start`, and `start` itself."""
    found, waiting = {start}, [start]
    while waiting:
        below = set(arrows.get(waiting.pop(), ())) - found
        found |= below
        waiting += below
    return found


def circles(arrows):
    """For each set of names that all reach each other a shortest circle through its first name, `[a, b, a]`, and the set."""
    reach = {start: reachable(start, arrows) for start in arrows}
    done = set()
    for start in sorted(arrows):
        together = {other for other in reach[start] if start in reach.get(other, ())}
        if start in done or together == {start}:
            continue
        done |= together
        ways, met = [[start]], {start}
        for way in ways:  # grows: shorter ways come first
            if start in arrows[way[-1]]:
                yield [*way, start], together
                break
            further = sorted(together & set(arrows[way[-1]]) - met)
            ways += [[*way, below] for below in further]
            met |= set(further)


def module(path):
    """A header, its source and what it includes once for each instruction set are one thing."""
    return re.sub(r"(-inl)?\.(h|cpp)$", "", path)


def included_files(path, texts):
    """The files of `texts` that the file at `path` includes, by their names from the root or beside it."""
    for name in re.findall(r'^\s*#include\s*"([^"]+)"', texts[path], flags=re.MULTILINE):
        for found in (name, f"{pathlib.PurePosixPath(path).parent}/{name}"):
            if found in texts:
                yield found


def circle_findings(texts):
    """Yields a sentence for each circle among modules and among folders; texts holds the text of each file by its path."""
    modules = {module(path): set() for path in texts}
    folders = {str(pathlib.PurePosixPath(path).parent): set() for path in texts}
    for path in texts:
        if not path.endswith("_test.cpp"):
            modules[module(path)] |= {module(found) for found in included_files(path, texts)} - {module(path)}
    for name, below in modules.items():
        folder = name.rpartition("/")[0]
        folders[folder] |= {other.rpartition("/")[0] for other in below} - {folder}
    for kind, arrows in (("files", modules), ("folders", folders)):
        for way, together in circles(arrows):
            others = sorted(together - set(way))
            more = f"; with it hang {' '.join(others)}" if others else ""
            yield f"{way[0]}: a circle of {kind}: {' -> '.join(way)}{more}"


def public_findings(texts, first="copse/copse.h"):
    """Yields a sentence for each line of an installed header that includes more than the standard library."""
    below = {path: list(included_files(path, texts)) for path in texts}
    for path in sorted(reachable(first, below)):
        for number, line in enumerate(texts.get(path, "").splitlines(), 1):
            if re.match(r"\s*#include\s*<\w*[^\w>]|\s*#include\s*\"(?!copse/)", line):
                yield f"{path}:{number}: installed headers include nothing but the standard library"


def without_comments_and_strings(line):
    """Keeps the names of included files, which look like strings."""
    if line.lstrip().startswith("#include"):
        return line
    return re.sub(r'//.*|"(\\.|[^"\\])*"', "", line)


def findings(path, text):
    """Yields `path:line: sentence` for each wrong line of one file; path is relative to the root, with slashes."""
    parts = path.split("/")
    layer = parts[1] if parts[0] == "copse" and len(parts) > 2 else None
    if layer is not None and layer not in ARROWS:
        yield f"{path}:1: the folder copse/{layer} has no arrows in tools/check_layers.py"
        return
    for number, line in enumerate(text.splitlines(), 1):
        line = without_comments_and_strings(line)
        included = re.match(r'\s*#include\s*[<"](copse|tests|apps|bench)/(\w+)/', line)
        if included and layer:
            top, folder = included.groups()
            is_test = path.endswith("_test.cpp")
            if top == "copse" and folder not in reachable(layer) and not (is_test and folder in TESTS_MAY_INCLUDE):
                yield f"{path}:{number}: {layer} may not include {folder}"
            elif top == "tests" and not is_test or top in ("apps", "bench"):
                yield f"{path}:{number}: the library may not include {top}"
        for name, headers, allowed in LIBRARIES:
            if re.match(rf'\s*#include\s*[<"]({headers})', line) and not re.fullmatch(allowed, path):
                yield f"{path}:{number}: this file may not include {name}"
        for pattern, allowed, sentence in RESERVED:
            if re.search(pattern, line) and not re.fullmatch(allowed, path):
                yield f"{path}:{number}: {sentence}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    texts = {path.relative_to(root).as_posix(): path.read_text()
             for top in ("copse", "apps", "tests", "bench", "examples", "python")
             for path in sorted(root.glob(f"{top}/**/*")) if path.suffix in (".h", ".cpp")}
    wrong = [finding for path, text in texts.items() for finding in findings(path, text)]
    wrong += circle_findings({path: text for path, text in texts.items() if path.startswith("copse/")})
    wrong += public_findings(texts)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
