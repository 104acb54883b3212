#!/bin/sh
# The same without CMake: compiles main.cpp to the program $1 and runs it.
set -e
cd "$(dirname "$0")"
# Both lists are meant to split into words.
# shellcheck disable=SC2046,SC2086
${CXX:-c++} -std=c++20 -O2 $CXXFLAGS main.cpp -o "$1" $(pkg-config --static --cflags --libs copse)
"$1"
