#include "copse/choose/persistence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "copse/base/parallel.h"
#include "copse/tree/ids.h"

namespace copse {
namespace {

constexpr double enough_persistence = 0.8;
constexpr std::size_t few_to_list = 4;

// The cosine of row c with the nearest row of the run, 0 ... 1: a sketch may leave that range a little.
double nearest_cosine(const Matrix<float>& components, Index c, const Matrix<float>& run) {
  const auto own = components.row(c);
  double most = 0;
  for (Index r = 0; r < run.rows(); ++r)
    most = std::max(most, std::inner_product(own.begin(), own.end(), run.row(r).begin(), 0.0));
  return std::min(most, 1.0);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

// At which of the ks, of which some but not all are found.
std::string where(const std::vector<Index>& ks, const std::vector<bool>& found) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < ks.size(); ++i) {
    if (found[i]) places.push_back(i);
  }
  if (places.empty()) return "at no k";
  const std::size_t first = places.front(), last = places.back();
  if (places.size() == 1) return fmt::format("at k = {} only", ks[first]);
  if (places.size() == last - first + 1) {
    if (last + 1 == ks.size()) return fmt::format("from k = {} on", ks[first]);
    if (first == 0) return fmt::format("up to k = {}", ks[last]);
    return fmt::format("from k = {} to {}", ks[first], ks[last]);
  }
  if (places.size() > few_to_list) return fmt::format("at {} of the {} k", places.size(), ks.size());
  std::vector<std::string> names;
  for (const std::size_t place : places) names.push_back(std::to_string(ks[place]));
  return "at k = " + listed(names);
}

}  // namespace

std::vector<std::vector<double>> persistence_of(const Matrix<float>& components, const std::vector<RunRecord>& records,
                                                const std::vector<Index>& ks) {
  std::vector<const RunRecord*> samples;
  for (const RunRecord& record : records) {
    const bool fits = record.components.rows() > 0 && record.components.cols() == components.cols();
    if (record.key.kind == RunKind::resample && fits && record.failure.empty()) samples.push_back(&record);
  }
  std::ranges::sort(samples, {}, &RunRecord::key);
  const auto rows = static_cast<std::size_t>(components.rows());
  std::vector<std::vector<double>> values(rows,
                                          std::vector<double>(ks.size(), std::numeric_limits<double>::quiet_NaN()));
  parallel_for(static_cast<Index>(ks.size()), [&](Index place) {
    const auto own = std::ranges::equal_range(samples, ks[place], {}, [](const RunRecord* one) { return one->key.k; });
    if (own.empty()) return;
    for (std::size_t c = 0; c < rows; ++c) {
      double sum = 0;
      for (const RunRecord* sample : own) sum += nearest_cosine(components, static_cast<Index>(c), sample->components);
      values[c][static_cast<std::size_t>(place)] = sum / static_cast<double>(own.size());
    }
  });
  return values;
}

std::string sentence_on(const Persistence& persistence, Question question) {
  // The k that have runs.
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < persistence.ks.size() && !persistence.values.empty(); ++i) {
    if (!std::isnan(persistence.values.front()[i])) places.push_back(i);
  }
  const std::size_t count = persistence.values.size();
  if (places.size() < 2 || (count == 1 && question == Question::clusters)) return "";  // one cluster is all items
  std::vector<Index> ks;
  for (const std::size_t place : places) ks.push_back(persistence.ks[place]);
  std::vector<std::string> everywhere;
  std::vector<std::pair<std::string, std::vector<std::string>>> others;  // where, and who
  for (std::size_t c = 0; c < persistence.values.size(); ++c) {
    std::vector<bool> found;
    for (const std::size_t place : places) found.push_back(persistence.values[c][place] >= enough_persistence);
    const std::string topic = short_id(persistence.topics[c]);
    if (std::ranges::find(found, false) == found.end()) {
      everywhere.push_back(topic);
      continue;
    }
    const std::string words = where(ks, found);
    auto group = std::ranges::find(others, words, [](const auto& entry) { return entry.first; });
    if (group == others.end()) group = others.insert(others.end(), {words, {}});
    group->second.push_back(topic);
  }
  const char* noun = question == Question::components ? "component" : "cluster";
  const std::string range = fmt::format("at every k from {} to {}", ks.front(), ks.back());
  if (count == 1) return fmt::format("The {} is found again {}.", noun, others.empty() ? range : others.front().first);
  std::string text;
  if (everywhere.empty()) {
    text = fmt::format("No {} is found again {}", noun, range);
  } else if (everywhere.size() == count) {
    text = fmt::format("All {} {}s are found again {}", count, noun, range);
  } else {
    text = fmt::format("Found again {}: {}{} {}", range, noun, everywhere.size() == 1 ? "" : "s", listed(everywhere));
  }
  for (std::size_t g = 0; g < others.size(); ++g)
    text += fmt::format("{}{} {}",
                        g > 0                ? "; "
                        : everywhere.empty() ? ": "
                                             : ". Not so: ",
                        listed(others[g].second), others[g].first);
  return text + ".";
}

}  // namespace copse
