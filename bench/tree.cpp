// One tree, for tree.py: reads a matrix, builds the tree and flattens it, and prints what that took as JSON.
// Usage: tree MATRIX --leaves K [--truth FILE] [--threads N] [--repeat N] [--score mndcg|error] [--double]
#include "copse/tree/tree.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/matrix_file.h"
#include "copse/kernels/in_memory.h"
#include "copse/measure/clustering.h"
#include "copse/nmf/clusters.h"
#include "copse/tree/flatten.h"

namespace {

using namespace copse;

struct Call {
  std::string path, truth;
  TreeOptions options;
  int threads = 2;
  int repeat = 1;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

long long status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long long kilobytes = 0;
    if (word == name && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// VmHWM and not ru_maxrss, which a process inherits from the one that started it.
long long peak_memory() { return status_bytes("VmHWM:"); }

std::vector<Index> read_labels(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path + " cannot be read.");
  std::vector<std::string> labels;
  for (std::string line; std::getline(file, line);) labels.push_back(line);
  return label_numbers(labels);
}

template <class T>
void run(const Call& call) {
  const auto read = read_matrix<T>(call.path);
  const auto truth = call.truth.empty() ? std::vector<Index>{} : read_labels(call.truth);
  const long long before = peak_memory();
  for (int turn = 0; turn < call.repeat; ++turn) {
    Tree tree;
    std::vector<Index> flat;
    double build_seconds = 0, flatten_seconds = 0;
    long long peak = 0, program = 0;
    with_threads(call.threads, nullptr, [&] {
      auto began = Clock::now();
      tree = build_tree(*tree_data(read.dataset), call.options);
      build_seconds = seconds_since(began);
      peak = peak_memory();
      program = status_bytes("RssFile:");  // its code and that of its libraries
      began = Clock::now();
      const auto x = in_memory(read.dataset);
      flat = cluster_items(flatten(*x, leaf_topics(*x, tree))).labels;
      flatten_seconds = seconds_since(began);
    });
    const auto leaf = tree.partition(tree.splits());
    Index outliers = 0;
    for (const Index label : leaf) outliers += label < 0;
    std::printf(
        "{\"rows\": %lld, \"cols\": %lld, \"nonzeros\": %lld, \"leaves\": %lld, \"outliers\": %lld, "
        "\"seconds\": %.6f, \"flatten_seconds\": %.6f, \"factorizations\": %lld, \"iterations\": %lld, "
        "\"entries_read\": %.0f, \"memory_before\": %lld, \"peak_memory_bytes\": %lld, \"program_bytes\": %lld",
        static_cast<long long>(tree.rows), static_cast<long long>(tree.cols),
        static_cast<long long>(read.dataset.nonzeros()), static_cast<long long>(tree.leaves),
        static_cast<long long>(outliers), build_seconds, flatten_seconds,
        static_cast<long long>(tree.cost.factorizations), static_cast<long long>(tree.cost.iterations),
        tree.cost.entries_read, before, peak, program);
    // Outliers are label -1, a cluster of their own.
    if (!truth.empty())
      std::printf(", \"nmi\": %.6f, \"flat_nmi\": %.6f", compare_clusterings(leaf, truth).nmi,
                  compare_clusterings(flat, truth).nmi);
    std::printf("}\n");
    std::fflush(stdout);
  }
}

Call parse(int count, char** words, bool& is_double) {
  Call call;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] {
      if (++i >= count) throw InvalidArgument(word + " needs a value.");
      return std::string(words[i]);
    };
    if (word == "--leaves") {
      call.options.leaves = std::stoll(value());
    } else if (word == "--truth") {
      call.truth = value();
    } else if (word == "--threads") {
      call.threads = std::stoi(value());
    } else if (word == "--repeat") {
      call.repeat = std::stoi(value());
    } else if (word == "--score") {
      call.options.score = value() == "error" ? Score::error : Score::mndcg;
    } else if (word == "--double") {
      is_double = true;
    } else {
      call.path = word;
    }
  }
  return call;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) {
    std::puts("tree.py runs this program; by hand: tree MATRIX --leaves K [--truth FILE] [--threads N]");
    return EXIT_SUCCESS;
  }
  try {
    bool is_double = false;
    const Call call = parse(count, words, is_double);
    is_double ? run<double>(call) : run<float>(call);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tree: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
