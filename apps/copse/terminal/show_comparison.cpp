#include "apps/copse/terminal/show_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "copse/options/wording.h"

namespace copse {
std::string comparison_table(const std::vector<CompareOutcome>& outcomes) {
  std::vector<Measure> shown = measures();
  std::erase_if(shown, [](const Measure& measure) { return measure.title.empty(); });
  std::vector<std::vector<std::string>> rows = {{"method", "k"}};
  for (const Measure& measure : shown) rows[0].push_back(measure.title);
  rows[0].insert(rows[0].end(), {"time", "memory"});
  std::vector<std::string> remarks = {""};
  for (const CompareOutcome& outcome : outcomes) {
    const bool failed = !outcome.failure.empty();
    std::vector<std::string> row = {outcome.method, std::to_string(failed ? outcome.k : outcome.clusters)};
    for (const Measure& measure : shown) {
      const std::optional<double> value = failed ? std::nullopt : value_of(outcome, measure);
      row.push_back(value ? fmt::format("{:.{}f}", *value, measure.digits) : "");
    }
    row.push_back(failed || outcome.given ? "" : in_seconds(outcome.seconds));
    row.push_back(failed || outcome.given ? "" : in_bytes(static_cast<double>(outcome.peak_memory_bytes)));
    rows.push_back(std::move(row));
    remarks.push_back(outcome.failure);
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
