// One factorization, for flat_nmf.py: reads a matrix, factors it, and prints the history as JSON.
// Usage: flat_nmf MATRIX --rank K [--seed N] [--threads N] [--iterations N] [--solver S] [--start S] [--double]
// [--plain] [--kl]
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <string>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/io/matrix_file.h"
#include "copse/kernels/in_memory.h"
#include "copse/nmf/nmf.h"

namespace {

using namespace copse;

struct Call {
  std::string path;
  NmfOptions options;
  int threads = 2;
  double target = 0;  // stop at this relative error
};

// VmHWM and not ru_maxrss, which a process inherits from the one that started it.
long long peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

template <class Choice>
Choice choose(const std::map<std::string, Choice>& choices, const std::string& name) {
  const auto found = choices.find(name);
  if (found == choices.end()) throw InvalidArgument("There is no choice named " + name + ".");
  return found->second;
}

template <class T>
void run(Call call) {
  const auto read = read_matrix<T>(call.path);
  const auto x = in_memory(read.dataset);
  if (call.target > 0)
    call.options.progress = [&](const Iteration& iteration) { return iteration.relative_error > call.target; };
  NmfResult<T> result;
  with_threads(call.threads, nullptr, [&] { result = factorize(*x, call.options); });
  std::printf("{\"objective\": %.10g, ", result.objective);
  std::printf("\"rows\": %lld, \"cols\": %lld, \"nonzeros\": %lld, \"peak_memory_bytes\": %lld, \"history\": [",
              static_cast<long long>(x->rows()), static_cast<long long>(x->cols()),
              static_cast<long long>(x->nonzeros()), peak_memory());
  const char* separator = "";
  for (const Iteration& i : result.history) {
    std::printf(
        "%s\n{\"number\": %d, \"relative_error\": %.10g, \"projected_gradient_ratio\": %.6g, \"seconds\": %.6f}",
        separator, i.number, i.relative_error, i.projected_gradient_ratio, i.seconds);
    separator = ",";
  }
  std::printf("]}\n");
}

Call parse(int count, char** words, bool& is_double) {
  Call call;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto value = [&] {
      if (++i >= count) throw InvalidArgument(word + " needs a value.");
      return std::string(words[i]);
    };
    if (word == "--rank") {
      call.options.rank = std::stoll(value());
    } else if (word == "--seed") {
      call.options.seed = std::stoull(value());
    } else if (word == "--threads") {
      call.threads = std::stoi(value());
    } else if (word == "--iterations") {
      call.options.max_iterations = std::stoi(value());
    } else if (word == "--tolerance") {
      call.options.tolerance = std::stod(value());
    } else if (word == "--target") {
      call.target = std::stod(value());
    } else if (word == "--solver") {
      call.options.solver = choose<Solver>({{"hals", Solver::hals},
                                            {"mu", Solver::mu},
                                            {"active-set", Solver::active_set},
                                            {"pivoting", Solver::pivoting},
                                            {"projected-gradient", Solver::projected_gradient}},
                                           value());
    } else if (word == "--start") {
      call.options.start = choose<Start>({{"sample", Start::sample},
                                          {"random", Start::random},
                                          {"nndsvd", Start::nndsvd},
                                          {"nndsvda", Start::nndsvda},
                                          {"nndsvdar", Start::nndsvdar}},
                                         value());
    } else if (word == "--kl") {
      call.options.loss = Loss::kullback_leibler;
    } else if (word == "--double") {
      is_double = true;
    } else if (word == "--plain") {
      call.options.extrapolate = false;
    } else {
      call.path = word;
    }
  }
  return call;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) {
    std::puts("flat_nmf.py runs this program; by hand: flat_nmf MATRIX --rank K [--seed N] [--target ERROR]");
    return EXIT_SUCCESS;
  }
  try {
    bool is_double = false;
    const Call call = parse(count, words, is_double);
    is_double ? run<double>(call) : run<float>(call);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flat_nmf: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
