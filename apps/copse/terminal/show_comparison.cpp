#include "apps/copse/terminal/show_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/options/wording.h"

namespace copse {
namespace {

std::string number(const std::optional<double>& value, int digits = 3) {
  return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, digits) : "";
}

}  // namespace

std::string comparison_table(const std::vector<CompareOutcome>& outcomes) {
  std::vector<std::vector<std::string>> rows = {{"method", "k", "accuracy", "NMI", "ARI", "purity", "coherence",
                                                 "silhouette", "stability", "zeros", "time", "memory"}};
  std::vector<std::string> remarks = {""};
  for (const CompareOutcome& outcome : outcomes) {
    std::vector<std::string>& row = rows.emplace_back(12);
    row[0] = outcome.method;
    row[1] = std::to_string(outcome.failure.empty() ? outcome.clusters : outcome.k);
    remarks.push_back(outcome.failure);
    if (!outcome.failure.empty()) continue;
    if (outcome.measures) {
      row[2] = number(outcome.measures->accuracy);
      row[3] = number(outcome.measures->nmi);
      row[4] = number(outcome.measures->ari);
      row[5] = number(outcome.measures->purity);
    }
    row[6] = number(outcome.coherence, 1);
    row[7] = number(outcome.silhouette);
    row[8] = number(outcome.stability);
    row[9] = number(outcome.zero_share, 2);
    if (!outcome.given) {
      row[10] = in_seconds(outcome.seconds);
      row[11] = in_bytes(static_cast<double>(outcome.peak_memory_bytes));
    }
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (std::size_t c = 0; c < widths.size(); ++c) {
    for (std::size_t r = 1; r < rows.size(); ++r) widths[c] = std::max(widths[c], rows[r][c].size());
    if (widths[c] > 0) widths[c] = std::max(widths[c], rows[0][c].size());
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] == 0) continue;
      line += c == 0 ? fmt::format("{:<{}}", rows[r][c], widths[c]) : fmt::format("  {:>{}}", rows[r][c], widths[c]);
    }
    if (!remarks[r].empty())
      line = fmt::format("{:<{}}  {:>{}}  {}", rows[r][0], widths[0], rows[r][1], widths[1], remarks[r]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string agreement_line(const std::vector<CompareOutcome>& outcomes, const Matrix<double>& nmi) {
  Index least_a = -1, least_b = -1, most_a = -1, most_b = -1;
  for (Index a = 0; a < nmi.rows(); ++a) {
    for (Index b = 0; b < a; ++b) {
      if (!std::isfinite(nmi(a, b)) || outcomes[a].k != outcomes[b].k) continue;
      if (least_a < 0 || nmi(a, b) < nmi(least_a, least_b)) least_a = a, least_b = b;
      if (most_a < 0 || nmi(a, b) > nmi(most_a, most_b)) most_a = a, most_b = b;
    }
  }
  if (least_a < 0 || (least_a == most_a && least_b == most_b)) return "";
  const auto pair = [&](Index a, Index b) {
    return fmt::format("{} and {} ({:.2f})", outcomes[b].method, outcomes[a].method, nmi(a, b));
  };
  return fmt::format("NMI of pairs: most alike are {}, least alike {}", pair(most_a, most_b), pair(least_a, least_b));
}

}  // namespace copse
