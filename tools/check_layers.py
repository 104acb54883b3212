"""Checks the arrows of docs/architecture.md: who may include whom, who may see TBB, who may print or exit."""

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

# What only some may use: pattern, those who may, what to say.
RESERVED = [
    (r'#include\s*[<"](oneapi/)?tbb[/.]', r"copse/base/parallel\.cpp", "only base/parallel may include TBB"),
    (r'#include\s*[<"]mpi\.h', r"copse/engines/mpi/.*", "only engines/mpi may include MPI"),
    (r'#include\s*[<"]CL/', r"copse/engines/opencl/.*", "only engines/opencl may include OpenCL"),
    (r'#include\s*[<"](CLI11?|spdlog)/', r"apps/.*", "only apps/ may include CLI11 or spdlog"),
    (r"#include\s*<iostream>|\bstd::(cout|cerr|clog)\b|\bf?printf\(|\bputs\(|\bstd(out|err)\b",
     r"(apps|python|tests|bench|examples)/.*|.*_test\.cpp", "only apps/ and python/ may print"),
    (r"\b(std::)?(_?exit|abort|terminate|quick_exit)\(", r"copse/engines/mpi/.*|(apps|python|tests|bench|examples)/.*|.*_test\.cpp",
     "only apps/ and python/ may end the program"),
]


def reachable(folder):
    """The folders that `folder` may include, itself among them."""
    found = {folder}
    for below in ARROWS[folder]:
        found |= reachable(below)
    return found


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
        for pattern, allowed, sentence in RESERVED:
            if re.search(pattern, line) and not re.fullmatch(allowed, path):
                yield f"{path}:{number}: {sentence}"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    wrong = []
    for top in ("copse", "apps", "tests", "bench", "examples", "python"):
        for path in sorted(root.glob(f"{top}/**/*")):
            if path.suffix in (".h", ".cpp"):
                wrong += findings(path.relative_to(root).as_posix(), path.read_text())
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
