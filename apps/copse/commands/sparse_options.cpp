#include "apps/copse/commands/sparse_options.h"

#include <CLI/CLI.hpp>
#include <cmath>

namespace copse {
namespace {

SparseWeight parse_sparse(const char* option, const std::string& text) {
  if (text == "thesis") return SparseRule::thesis;
  if (text == "snmf") return SparseRule::snmf;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= 0) || std::isinf(value)) {
    throw CLI::ValidationError(option, "'" + text + "' is neither a number that is not negative nor thesis or snmf");
  }
  return value;
}

}  // namespace

void add_sparse_options(CLI::App& command, FlatRunOptions& options, const std::string& group) {
  command
      .add_option_function<std::string>(
          "--sparse", [&options](const std::string& text) { options.sparse = parse_sparse("--sparse", text); },
          "Sparse NMF: weight of the squared column sums of H. thesis [Kuang 2014]: 0.01; snmf [Kim & Park 2008]: 0.1 "
          "for sparse data, 0.5 for dense")
      ->type_name("BETA|thesis|snmf")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--sparse-w", [&options](const std::string& text) { options.sparse_w = parse_sparse("--sparse-w", text); },
          "Weight of |W|^2. thesis: max(X)^2; snmf: max(X) [with --sparse: as its convention, or thesis; else 0]")
      ->type_name("ALPHA|thesis|snmf")
      ->group(group);
}

}  // namespace copse
