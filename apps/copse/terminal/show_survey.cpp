#include "apps/copse/terminal/show_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace copse {
namespace {

struct Column {
  std::string head;
  std::function<std::string(const SurveyRow&)> cell;
};

std::string with_deviation(const std::optional<Spread>& spread) {
  return spread ? fmt::format("{:.2f} +-{:.2f}", spread->centre, spread->deviation) : "";
}

// Of two kinds of chance.
const std::optional<Spread>& larger(const std::optional<Spread>& a, const std::optional<Spread>& b) {
  return b && (!a || b->centre > a->centre) ? b : a;
}

std::string number(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "";
}

}  // namespace

std::string survey_table(const SurveyReport& survey) {
  const std::vector<Column> all = {
      {"k", [&](const SurveyRow& row) { return fmt::format("{}{}", row.k, row.k == survey.verdict.k ? " *" : "  "); }},
      {"recurrence", [](const SurveyRow& row) { return with_deviation(row.recurrence); }},
      {"chance",
       [](const SurveyRow& row) { return with_deviation(larger(row.null_recurrence, row.shuffled_recurrence)); }},
      {"p", [](const SurveyRow& row) { return number(row.recurrence_p_value, "{:.3f}"); }},
      {"come back",
       [](const SurveyRow& row) { return row.returning ? fmt::format("{:.1f}", row.returning->centre) : ""; }},
      {"strength", [](const SurveyRow& row) { return with_deviation(row.strength); }},
      {"chance", [](const SurveyRow& row) { return with_deviation(larger(row.null_strength, row.shuffled_strength)); }},
      {"dispersion",
       [](const SurveyRow& row) { return row.resampled ? fmt::format("{:.3f}", row.resampled->dispersion) : ""; }},
      {"cophenetic",
       [](const SurveyRow& row) { return row.resampled ? fmt::format("{:.3f}", row.resampled->cophenetic) : ""; }},
      {"silhouette", [](const SurveyRow& row) { return number(row.silhouette, "{:.2f}"); }},
      {"perturbed", [](const SurveyRow& row) { return number(row.perturbed_silhouette, "{:.2f}"); }},
      {"hidden error",
       [](const SurveyRow& row) { return row.hidden_error ? fmt::format("{:.4f}", row.hidden_error->centre) : ""; }},
      {"block error",
       [](const SurveyRow& row) { return row.block_error ? fmt::format("{:.4f}", row.block_error->centre) : ""; }},
      {"gap", [](const SurveyRow& row) { return number(row.gap, "{:.3g}"); }},
      {"error", [](const SurveyRow& row) { return number(row.error, "{:.4f}"); }},
      {"entropy", [](const SurveyRow& row) { return number(row.separability, "{:.3f}"); }}};
  std::vector<std::string> lines(survey.table.rows.size() + 1);
  for (const Column& column : all) {
    std::vector<std::string> cells = {column.head};
    for (const SurveyRow& row : survey.table.rows) cells.push_back(column.cell(row));
    if (std::all_of(cells.begin() + 1, cells.end(), [](const std::string& cell) { return cell.empty(); })) continue;
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] += fmt::format("{}{:>{}}", lines[i].empty() ? "" : "  ", cells[i], width);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace copse
