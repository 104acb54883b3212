#include "copse/choose/verdict.h"

#include <cmath>

namespace copse {
namespace {

constexpr double enough_silhouette = 0.8;

std::optional<Index> within_one_error(const SurveyTable& table, std::optional<Spread> SurveyRow::*measure) {
  const SurveyRow* best = nullptr;
  for (const SurveyRow& row : table.rows) {
    if (!(row.*measure) || std::isnan((row.*measure)->centre)) continue;
    if (best == nullptr || (row.*measure)->centre < (best->*measure)->centre) best = &row;
  }
  if (best == nullptr) return {};
  for (const SurveyRow& row : table.rows) {
    if ((row.*measure) && (row.*measure)->centre <= (best->*measure)->centre + (best->*measure)->error) return row.k;
  }
  return best->k;
}

}  // namespace

std::optional<Index> choose_by_gps(const SurveyTable& table) {
  const SurveyRow* best = nullptr;
  for (const SurveyRow& row : table.rows) {
    if (row.k >= 2 && row.gps && (best == nullptr || *row.gps > *best->gps)) best = &row;
  }
  if (best == nullptr) return {};
  return best->strength->centre > best->null_strength->centre + best->null_strength->deviation ? best->k : 1;
}

std::optional<Index> choose_by_cophenetic(const SurveyTable& table, RunKind kind) {
  const SurveyRow* best = nullptr;
  const auto measures = [&](const SurveyRow& row) { return kind == RunKind::start ? row.started : row.resampled; };
  for (const SurveyRow& row : table.rows) {
    if (row.k >= 2 && measures(row) && (best == nullptr || measures(row)->cophenetic > measures(*best)->cophenetic))
      best = &row;
  }
  return best == nullptr ? std::optional<Index>{} : best->k;
}

std::optional<Index> choose_by_gap(const SurveyTable& table) {
  const SurveyRow* last = nullptr;
  for (const SurveyRow& row : table.rows) {
    if (!row.gap) continue;
    if (last != nullptr && *last->gap >= *row.gap - *last->gap_deviation) return last->k;
    last = &row;
  }
  return last == nullptr ? std::optional<Index>{} : last->k;
}

std::optional<Index> choose_by_hidden_error(const SurveyTable& table) {
  return within_one_error(table, &SurveyRow::hidden_error);
}

std::optional<Index> choose_by_block_error(const SurveyTable& table) {
  return within_one_error(table, &SurveyRow::block_error);
}

std::optional<Index> choose_by_silhouette(const SurveyTable& table) {
  std::optional<Index> chosen;
  for (const SurveyRow& row : table.rows) {
    if (!row.silhouette) continue;
    if (!chosen) chosen = 1;
    if (row.k >= 2 && *row.silhouette >= enough_silhouette) chosen = row.k;
  }
  return chosen;
}

}  // namespace copse
