#include "copse/choose/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "copse/base/random.h"
#include "copse/choose/parts.h"

namespace copse {
namespace {

constexpr double enough_silhouette = 0.8;
constexpr int surveys_drawn = 200;
constexpr double settled_share = 0.95;
constexpr double share_of_possible = 0.1;
constexpr double share_outside = 0.05;  // of the drawn surveys, below the interval and above it
constexpr double wide_below = 0.5;      // where fewer of them agree, the sentence names the interval
constexpr double right_of_agreeing_with_one_null = 0.45;
constexpr double weak_p = 0.05;
constexpr double enough_beyond = 0.05;  // chance
constexpr double enough_of_best = 0.5, enough_strength = 0.5;
constexpr Index few_for_halves = 100;

// The row with the most of a measure, the first of equal ones; null if no row has it. value(row) is optional.
template <class Value>
const SurveyRow* largest(const SurveyTable& table, Index from, const Value& value) {
  const SurveyRow* best = nullptr;
  for (const SurveyRow& row : table.rows) {
    if (row.k < from || !value(row) || std::isnan(*value(row))) continue;
    if (best == nullptr || *value(row) > *value(*best)) best = &row;
  }
  return best;
}

const SurveyRow* row_of(const SurveyTable& table, Index k) {
  const auto found = std::ranges::find(table.rows, k, &SurveyRow::k);
  return found == table.rows.end() ? nullptr : &*found;
}

std::optional<Index> k_of(const SurveyRow* row) { return row == nullptr ? std::optional<Index>{} : row->k; }

std::optional<Index> within_one_error(const SurveyTable& table, std::optional<Spread> SurveyRow::*measure) {
  const SurveyRow* best = largest(table, 1, [&](const SurveyRow& row) {
    return row.*measure ? std::optional(-(row.*measure)->centre) : std::nullopt;
  });
  if (best == nullptr) return {};
  for (const SurveyRow& row : table.rows) {
    if ((row.*measure) && (row.*measure)->centre <= (best->*measure)->centre + (best->*measure)->error) return row.k;
  }
  return best->k;
}

bool stands_above(const std::optional<Spread>& own, const std::optional<Spread>& null) {
  return !null || own->centre > null->centre + null->deviation;
}

// Above what it is by chance, the larger of the two.
std::optional<double> beyond(const std::optional<Spread>& own, const std::optional<Spread>& null,
                             const std::optional<Spread>& shuffled) {
  if (!own || !null) return {};
  return own->centre - std::max(null->centre, shuffled ? shuffled->centre : 0.0);
}

std::optional<double> strength_beyond(const SurveyRow& row) {
  return beyond(row.strength, row.null_strength, row.shuffled_strength);
}

std::optional<double> recurrence_beyond(const SurveyRow& row) {
  return beyond(row.recurrence, row.null_recurrence, row.shuffled_recurrence);
}

// Of what there is above chance: 1 for clusters that always come back, whatever chance does with so many.
std::optional<double> relative_recurrence(const SurveyRow& row) {
  const std::optional<double> above = recurrence_beyond(row);
  const double left = above ? 1 - (row.recurrence->centre - *above) : 0;
  return left > 0 ? std::optional(*above / left) : std::nullopt;
}

bool comes_back(const SurveyRow& row) {
  const auto above = recurrence_beyond(row);
  return above && *above > enough_beyond && stands_above(row.recurrence, row.null_recurrence) &&
         stands_above(row.recurrence, row.shuffled_recurrence);
}

std::optional<Index> by_question(const SurveyTable& table, Question question) {
  return question == Question::clusters ? choose_by_halves(table) : choose_by_hidden_error(table);
}

// The runs of a survey, of which tables are made that have only what the questions ask for.
class RunValues {
 public:
  // Of the runs with a number below `runs`.
  RunValues(const SurveyOptions& options, const std::vector<RunRecord>& records, Average average,
            int runs = std::numeric_limits<int>::max())
      : ks_(options.ks), seed_(options.seed), average_(average) {
    for (const RunRecord& record : records) {
      if (!record.failure.empty() || record.key.number >= runs) continue;
      values_[{record.key.k, record.key.kind}][record.key.number] = record.values;
      numbers_ = std::max(numbers_, record.key.number + 1);
    }
  }

  SurveyTable as_they_are() const {
    std::vector<int> all(static_cast<std::size_t>(numbers_));
    std::iota(all.begin(), all.end(), 0);
    return table(all);
  }

  // How many of surveys_drawn tables of runs drawn with replacement choose each k.
  std::map<Index, int> choices_when_drawn_anew(Question question) const {
    std::map<Index, int> count;
    for (int s = 0; s < surveys_drawn; ++s) ++count[by_question(draw(s), question).value_or(0)];
    return count;
  }

 private:
  SurveyTable draw(int number) const {
    Random random(mixed_seed(seed_, 0xd4a3), static_cast<std::uint64_t>(number));
    std::vector<int> drawn;
    for (int r = 0; r < numbers_; ++r) drawn.push_back(static_cast<int>(random.below(numbers_)));
    return table(drawn);
  }

  SurveyTable table(const std::vector<int>& numbers) const {
    SurveyTable table;
    for (const Index k : ks_) {
      SurveyRow row;
      row.k = k;
      row.strength = spread(k, RunKind::split, numbers, 0, 2);
      row.null_strength = spread(k, RunKind::null_split, numbers, 0, 2);
      row.shuffled_strength = spread(k, RunKind::shuffled_split, numbers, 0, 2);
      row.recurrence = spread(k, RunKind::split, numbers, 2, 2);
      row.null_recurrence = spread(k, RunKind::null_split, numbers, 2, 2);
      row.shuffled_recurrence = spread(k, RunKind::shuffled_split, numbers, 2, 2);
      row.returning = spread(k, RunKind::split, numbers, 4, 2, Average::mean);
      row.hidden_error = spread(k, RunKind::hold_out, numbers, 0, 1);
      table.rows.push_back(row);
    }
    return table;
  }

  // Of `per_run` values of every run, from `first` on.
  std::optional<Spread> spread(Index k, RunKind kind, const std::vector<int>& numbers, int first, int per_run,
                               std::optional<Average> average = {}) const {
    const auto runs = values_.find({k, kind});
    if (runs == values_.end()) return {};
    std::vector<double> values;
    for (const int number : numbers) {
      const auto run = runs->second.find(number);
      if (run == runs->second.end()) continue;
      values.insert(values.end(), run->second.begin() + first, run->second.begin() + first + per_run);
    }
    if (values.empty()) return {};
    return spread_of(std::move(values), average.value_or(average_), per_run);
  }

  std::vector<Index> ks_;
  std::uint64_t seed_;
  Average average_;
  int numbers_ = 0;
  std::map<std::pair<Index, RunKind>, std::map<int, std::vector<double>>> values_;
};

std::string p_words(double p) { return p < 0.01 ? "p < .01" : fmt::format("p = {:.2f}", p); }

std::string listed(const std::vector<Index>& ks) {
  std::string text;
  for (std::size_t i = 0; i < ks.size(); ++i)
    text += (i == 0 ? "" : i + 1 == ks.size() ? " and " : ", ") + std::to_string(ks[i]);
  return text;
}

// The answer and its reasons as a person can quote them.
std::string sentence_of(const Verdict& verdict, const SurveyTable& table, bool few_items, double agree) {
  const auto choice = [&](const char* measure) -> std::optional<Index> {
    const auto found = std::ranges::find(verdict.choices, measure, &Choice::measure);
    return found == verdict.choices.end() ? std::optional<Index>{} : found->k;
  };
  const std::optional<Index> hidden = choice("hold-out"), dispersion = choice("dispersion");
  if (verdict.k == 0) return "No run of the survey tells how many there are.";
  const bool wide = agree < wide_below && verdict.most > std::max(Index(2), verdict.least);
  std::string text;
  if (verdict.question == Question::components) {
    const SurveyRow* row = row_of(table, verdict.k);
    text = fmt::format(
        "{} component{}. The error of hidden entries is {:.3g} there, and no larger number lowers it by "
        "more than its standard error",
        verdict.k, verdict.k == 1 ? "" : "s", row->hidden_error->centre);
    if (verdict.k == table.rows.back().k) text += "; it is the end of the range, so more are possible";
    if (verdict.k == table.rows.front().k && verdict.k > 1)
      text += "; it is the beginning of the range, so fewer are possible";
    text += ".";
  } else if (verdict.k == 1) {
    const SurveyRow* best = largest(table, 2, recurrence_beyond);
    text = "No evidence of clusters.";
    if (best != nullptr) {
      text += fmt::format(
          " What halves of the items have in common is farthest from chance with {} clusters: recurrence {:.2f}, "
          "{:.2f} in data without clusters ({}).",
          best->k, best->recurrence->centre, best->recurrence->centre - *recurrence_beyond(*best),
          p_words(best->recurrence_p_value.value_or(1)));
    }
    const std::optional<Index> cophenetic = choice("cophenetic");
    if (few_items && cophenetic && *cophenetic > 1)
      text += fmt::format(
          " Halves of so few items are small. The consensus of samples is clearest at {} (cophenetic correlation "
          "{:.2f}), which is not evidence by itself.",
          *cophenetic, row_of(table, *cophenetic)->resampled->cophenetic);
  } else {
    const SurveyRow* row = row_of(table, verdict.k);
    // What shows that there are clusters: these, or others where these were counted.
    const SurveyRow* shown = comes_back(*row) ? row : row_of(table, choice("recurrence").value_or(verdict.k));
    const double p = shown->recurrence_p_value.value_or(1);
    const bool least_p = p <= 1.0 / (1 + static_cast<double>(shown->null_recurrence->count));
    text = fmt::format("{} clusters", verdict.k);
    if (wide) {
      const Index least = std::max(Index(2), verdict.least), most = verdict.most;
      text += most == least + 1 ? fmt::format(", or {}", verdict.k == least ? most : least)
                                : fmt::format(", or any number from {} to {}", least, most);
    }
    text += fmt::format(". {} come back in halves of the items (recurrence {:.2f}, by chance {:.2f}, {}{})",
                        shown == row ? "They" : fmt::format("{} clusters", shown->k), shown->recurrence->centre,
                        shown->recurrence->centre - *recurrence_beyond(*shown), p_words(p),
                        p <= weak_p ? ""
                        : least_p   ? ", the least that so few runs can show"
                                    : ": weak evidence");
    if (row->returning)
      text += fmt::format("; of {} clusters {:.1f} do so on average", verdict.k, row->returning->centre);
    const SurveyRow* next = nullptr;
    for (const SurveyRow& other : table.rows) {
      if (other.k > verdict.k && recurrence_beyond(other)) {
        next = &other;
        break;
      }
    }
    if (next != nullptr && shown == row && relative_recurrence(*next) < relative_recurrence(*row))
      text += fmt::format("; {} do so less ({:.2f}, by chance {:.2f})", next->k, next->recurrence->centre,
                          next->recurrence->centre - *recurrence_beyond(*next));
    if (next == nullptr) text += "; it is the end of the range, so more are possible";
    if (verdict.k == table.rows.front().k && verdict.k > 2)
      text += "; it is the beginning of the range, so fewer are possible";
    if (const std::optional<Index> recurring = choice("recurrence");
        recurring && shown == row &&
        *relative_recurrence(*row_of(table, *recurring)) > *relative_recurrence(*row) + enough_beyond)
      text += fmt::format("; {} come back most", *recurring);
    if (const std::optional<Index> strength = choice("both nulls"))
      text += *strength == verdict.k ? fmt::format("; prediction strength agrees (GPS {:.2f})", *strength_beyond(*row))
              : *strength == 1       ? std::string("; prediction strength is no better than chance")
                                     : fmt::format("; prediction strength prefers {}", *strength);
    if (hidden) text += fmt::format("; hold-out error is least at {}", *hidden);
    if (dispersion && row->resampled)
      text += fmt::format("; consensus {} (dispersion {:.2f})",
                          *dispersion == verdict.k ? "agrees" : fmt::format("prefers {}", *dispersion),
                          row->resampled->dispersion);
    if (!wide && !verdict.possible.empty()) {
      std::vector<Index> others = verdict.possible;
      std::erase(others, Index(1));
      if (!others.empty()) text += fmt::format("; {} {} possible", listed(others), others.size() == 1 ? "is" : "are");
    }
    const bool one_is_possible = p > weak_p || std::ranges::find(verdict.possible, Index(1)) != verdict.possible.end();
    text += one_is_possible ? ". No structure (k = 1) is not ruled out." : ". No structure (k = 1) is ruled out.";
  }
  text += fmt::format(" {:.0f} % of the surveys drawn anew from these runs agree", 100 * agree);
  if (verdict.sure == agree) return text + ".";
  return text +
         fmt::format(
             "; of such verdicts on documents and cells about {:.0f} % name the number of known classes, and two "
             "thirds are right within one.",
             100 * verdict.sure);
}

// Data with one null only is sparse as a rule: documents and cells. There people know other groups than those that come
// back: mixtures of real classes in bench/results/choosing.md.
bool has_one_null(const SurveyTable& table, Index k) {
  const SurveyRow* row = row_of(table, k);
  return k > 1 && row != nullptr && !row->shuffled_recurrence;
}

}  // namespace

std::optional<Index> choose_by_gps(const SurveyTable& table) {
  const SurveyRow* best = largest(table, 2, [](const SurveyRow& row) { return row.gps; });
  if (best == nullptr) return {};
  return stands_above(best->strength, best->null_strength) ? best->k : 1;
}

std::optional<Index> choose_by_both_nulls(const SurveyTable& table) {
  const SurveyRow* best = largest(table, 2, strength_beyond);
  if (best == nullptr) return {};
  const auto& own = best->strength;
  return stands_above(own, best->null_strength) && stands_above(own, best->shuffled_strength) ? best->k : 1;
}

std::optional<Index> choose_by_recurrence(const SurveyTable& table) {
  if (largest(table, 2, recurrence_beyond) == nullptr) return {};
  const SurveyRow* best =
      largest(table, 2, [](const SurveyRow& row) { return comes_back(row) ? relative_recurrence(row) : std::nullopt; });
  return best == nullptr ? 1 : best->k;
}

std::optional<Index> choose_by_returning(const SurveyTable& table) {
  std::vector<const SurveyRow*> rows;
  for (const SurveyRow& row : table.rows) {
    if (row.k >= 2 && row.returning) rows.push_back(&row);
  }
  if (rows.empty()) return {};
  double most = rows.back()->returning->centre;
  for (std::size_t r = 0; r + 1 < rows.size(); ++r)
    most = std::max(most, std::min(rows[r]->returning->centre, rows[r + 1]->returning->centre));
  const auto counted = std::max<Index>(2, static_cast<Index>(std::floor(most + 0.5)));
  return (*std::ranges::min_element(rows, {}, [&](const SurveyRow* row) { return std::abs(row->k - counted); }))->k;
}

std::optional<Index> choose_by_halves(const SurveyTable& table) {
  const std::optional<Index> recurrence = choose_by_recurrence(table), strength = choose_by_both_nulls(table);
  if (!recurrence || *recurrence == 1) return recurrence;
  const bool two_nulls = !has_one_null(table, *recurrence);
  if (strength && *strength > 1) {
    const SurveyRow& row = *row_of(table, *strength);
    if ((two_nulls || row.strength->centre >= enough_strength) && *strength_beyond(row) > enough_beyond &&
        comes_back(row) &&
        *relative_recurrence(row) >= enough_of_best * *relative_recurrence(*row_of(table, *recurrence)))
      return strength;
  }
  return two_nulls ? recurrence : choose_by_returning(table);
}

std::optional<Index> choose_by_cophenetic(const SurveyTable& table, RunKind kind) {
  return k_of(largest(table, 2, [&](const SurveyRow& row) {
    const auto& measures = kind == RunKind::start ? row.started : row.resampled;
    return measures ? std::optional(measures->cophenetic) : std::nullopt;
  }));
}

std::optional<Index> choose_by_dispersion(const SurveyTable& table) {
  return k_of(largest(table, 2, [&](const SurveyRow& row) {
    return row.resampled ? std::optional(row.resampled->dispersion) : std::nullopt;
  }));
}

std::optional<Index> choose_by_gap(const SurveyTable& table) {
  const SurveyRow* last = nullptr;
  for (const SurveyRow& row : table.rows) {
    if (!row.gap) continue;
    if (last != nullptr && *last->gap >= *row.gap - *last->gap_deviation) return last->k;
    last = &row;
  }
  return k_of(last);
}

std::optional<Index> choose_by_hidden_error(const SurveyTable& table) {
  return within_one_error(table, &SurveyRow::hidden_error);
}

std::optional<Index> choose_by_block_error(const SurveyTable& table) {
  return within_one_error(table, &SurveyRow::block_error);
}

std::optional<Index> choose_by_silhouette(const SurveyTable& table, RunKind kind) {
  std::optional<Index> chosen;
  for (const SurveyRow& row : table.rows) {
    const auto& least = kind == RunKind::perturbed ? row.perturbed_silhouette : row.silhouette;
    if (!least) continue;
    if (!chosen) chosen = 1;
    if (row.k >= 2 && *least >= enough_silhouette) chosen = row.k;
  }
  return chosen;
}

template <class T>
Verdict decide(const Survey<T>& survey, const std::vector<RunRecord>& records, const SurveyTable& table,
               Average average, Question question) {
  Verdict verdict;
  verdict.question = question;
  const auto add = [&](const char* measure, Question answers, std::optional<Index> k) {
    if (k) verdict.choices.push_back({measure, answers, *k});
  };
  add("recurrence", Question::clusters, choose_by_recurrence(table));
  add("returning", Question::clusters, choose_by_returning(table));
  add("gps", Question::clusters, choose_by_gps(table));
  add("both nulls", Question::clusters, choose_by_both_nulls(table));
  add("cophenetic", Question::clusters, choose_by_cophenetic(table, RunKind::resample));
  add("dispersion", Question::clusters, choose_by_dispersion(table));
  add("cophenetic of starts", Question::clusters, choose_by_cophenetic(table, RunKind::start));
  add("gap", Question::clusters, choose_by_gap(table));
  add("hold-out", Question::components, choose_by_hidden_error(table));
  add("bi-cross-validation", Question::components, choose_by_block_error(table));
  add("silhouette", Question::components, choose_by_silhouette(table, RunKind::resample));
  add("perturbation", Question::components, choose_by_silhouette(table, RunKind::perturbed));
  double agree = 0;
  if (const auto k = by_question(table, question)) {
    verdict.k = *k;
    auto count = RunValues(survey.options(), records, average).choices_when_drawn_anew(question);
    agree = static_cast<double>(count[*k]) / surveys_drawn;
    verdict.sure =
        question == Question::clusters && has_one_null(table, *k) ? right_of_agreeing_with_one_null * agree : agree;
    int below = 0;  // drawn surveys that choose less
    for (const auto& [other, times] : count) {
      if (other == 0) continue;
      if (below <= share_outside * surveys_drawn) verdict.least = other;
      if (below < (1 - share_outside) * surveys_drawn) verdict.most = other;
      below += times;
    }
    verdict.least = std::min(verdict.least, *k);
    verdict.most = std::max(verdict.most, *k);
    for (const auto& [other, times] : count) {
      if (other != *k && times >= share_of_possible * surveys_drawn) verdict.possible.push_back(other);
    }
  }
  verdict.sentence = sentence_of(verdict, table, survey.items() < few_for_halves, agree);
  return verdict;
}

Index most_promising(const SurveyOptions& options, const std::vector<RunRecord>& records, Average average,
                     Question question) {
  const SurveyTable table = RunValues(options, records, average).as_they_are();
  const Index k = by_question(table, question).value_or(0);
  if (k != 1 || question == Question::components) return k;
  return k_of(largest(table, 2, relative_recurrence)).value_or(k);
}

bool is_settled(const SurveyOptions& options, const std::vector<RunRecord>& records, Average average, Question question,
                int runs_before) {
  const RunValues all(options, records, average);
  const std::optional<Index> k = by_question(all.as_they_are(), question);
  if (!k || by_question(RunValues(options, records, average, runs_before).as_they_are(), question) != k) return false;
  return all.choices_when_drawn_anew(question)[*k] >= settled_share * surveys_drawn;
}

template Verdict decide(const Survey<float>&, const std::vector<RunRecord>&, const SurveyTable&, Average, Question);
template Verdict decide(const Survey<double>&, const std::vector<RunRecord>&, const SurveyTable&, Average, Question);

}  // namespace copse
