#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <utility>

#include "copse/base/error.h"
#include "copse/input/input_parts.h"
#include "copse/model/split_log.h"
#include "copse/options/choices.h"
#include "copse/options/wording.h"

namespace copse {
namespace {

// What preparation dropped or found, for the user.
void add_notes(const PrepareReport& report, const PrepareOptions& options, bool documents, Index outside,
               std::vector<std::string>& notes) {
  const auto note = [&](Index count, const char* what, const char* verdict) {
    if (count > 0) notes.push_back(counted(count, what) + " " + verdict + ".");
  };
  if (documents) {
    note(outside, "document", "too short for the fit (`min_words`), placed when it was done");
    note(report.short_items + report.empty_items - outside, "document", "without any known word: they have no topic");
    note(report.duplicate_items, "document", "with the same words as an earlier one");
    return;
  }
  note(report.rare_features, "feature", "dropped: total below `min_count`");
  note(report.unselected_features, "feature", "dropped: others vary more (`select`)");
  note(report.short_items, "item", "kept out of the fit: total below `min_words`; placed when it was done");
  note(report.empty_features, "feature", options.drop_empty ? "dropped: empty" : "without any entry");
  note(report.empty_items, "item", options.drop_empty ? "dropped: empty" : "without any entry, put in no cluster (-1)");
  note(report.duplicate_items, "item",
       options.drop_duplicates ? "dropped: equal to an earlier one" : "equal to an earlier one");
}

// Genes are often listed twice. They are features of their own.
void note_equal_names(const std::vector<std::string>& names, std::vector<std::string>& notes) {
  std::unordered_map<std::string_view, Index> count;
  for (const std::string& name : names) ++count[name];
  Index equal = 0;
  const std::string* first = nullptr;
  for (const std::string& name : names) {
    if (count[name] < 2) continue;
    ++equal;
    if (first == nullptr) first = &name;
  }
  if (equal > 0)
    notes.push_back(fmt::format("{} features share a name with another, such as '{}'; each stays a feature of its own.",
                                equal, *first));
}

// Why no document has anything to be told apart by.
std::string nothing_left(const InputOptions& options, const std::vector<std::string>& names,
                         const PrepareReport& report) {
  const auto documents = static_cast<Index>(names.size());
  if (report.short_items == documents) {
    return fmt::format("{}: all of {} have fewer than {} words that count (`min_words`), too few for a topic.",
                       options.called(), counted(documents, "document"), options.prepare.min_item_total);
  }
  return fmt::format(
      "{}: every word that counts is in all of {}, and `weights` {} gives such words no weight; smooth-tf-idf would.",
      options.called(), counted(documents - report.short_items, "document"), name_of(options.prepare.weighting));
}

// Short items do not take part in the fit; they are placed when it is done.
template <class T>
void keep_short_items(double least, PreparedInput<T>& input) {
  SparseMatrix<T> outside;
  outside.rows = input.data.features();
  for (Index j = 0; j < input.data.items(); ++j) {
    double total = 0;
    visit_nonzeros(input.data, j, [&](Index, T value) { total += static_cast<double>(value); });
    if (total == 0 || total >= least) continue;
    visit_nonzeros(input.data, j, [&](Index i, T value) {
      outside.indices.push_back(static_cast<RowIndex>(i));
      outside.values.push_back(value);
    });
    outside.offsets.push_back(outside.nonzeros());
    ++outside.cols;
    input.outside_items.push_back(j);
  }
  input.outside.values = std::move(outside);
}

}  // namespace

template <class T>
void prepare_input(const InputOptions& options, const RunEvents& events, PreparedInput<T>& input) {
  events.show("preparing ...");
  std::vector<std::string>& names = input.all_item_names;
  if (options.documents) {
    names = std::exchange(input.data.item_names, {});  // a million of them are worth moving
  } else {
    names = input.data.item_names;
  }
  if (names.empty()) {
    for (Index j = 0; j < input.data.items(); ++j) names.push_back(std::to_string(j));
  }
  if (!options.documents) note_equal_names(input.data.feature_names, input.notes);
  if (input.data.nonzeros() == 0) {
    throw InputError(options.called() + " has no entry but zeros; there is nothing to factor.");
  }
  keep_short_items(options.prepare.min_item_total, input);
  PrepareOptions prepare_options = options.prepare;
  if (options.documents) prepare_options.min_feature_total = 0;  // the vocabulary saw to it
  input.preparation = prepare(input.data, prepare_options);
  add_notes(input.preparation, options.prepare, options.documents.has_value(),
            static_cast<Index>(input.outside_items.size()), input.notes);
  if (input.data.nonzeros() == 0 && options.documents)
    throw InputError(nothing_left(options, names, input.preparation));
  if (input.data.nonzeros() == 0) {
    throw InputError("preparation leaves nothing of " + options.called() + " but zeros; ask for less of it.");
  }
}

template <class T>
void prepare_streamed(const InputOptions& options, const MemoryJob& job, const RunEvents& events,
                      PreparedInput<T>& input) {
  events.show("preparing ...");
  StreamedInput<T>& streamed = *input.streamed;
  std::vector<std::string>& names = input.all_item_names;
  const bool documents = options.documents.has_value();
  if (documents)
    names = std::exchange(input.data.item_names, {});
  else
    names = input.data.item_names;
  for (Index j = static_cast<Index>(names.size()); j < streamed.file.cols(); ++j) names.push_back(std::to_string(j));
  if (streamed.file.nonzeros() == 0)
    throw InputError(options.called() + " has no entry but zeros; there is nothing to factor.");
  PrepareOptions prepare_options = options.prepare;
  if (documents) prepare_options.min_feature_total = 0;  // the vocabulary saw to it
  // The last read tells what a tree would have to read for.
  typename PreparedBlocks<T>::LastRead last;
  if (job.gives == Gives::tree) {
    last.lists = true;
    streamed.block_prints.resize(static_cast<std::size_t>(streamed.file.blocks()));
    last.also = [&](Index block, const SparseView<T>& view) { streamed.block_prints[block] = fingerprint(view); };
  }
  streamed.items = std::make_unique<PreparedBlocks<T>>(streamed.file, prepare_options, last);
  input.preparation = streamed.items->report();
  input.outside_items = streamed.items->short_items();
  input.outside.values = std::move(streamed.items->short_entries());
  const auto select = [](std::vector<std::string>& from, const std::vector<Index>& kept) {
    if (from.empty()) return;
    std::vector<std::string> chosen;
    for (const Index i : kept) chosen.push_back(std::move(from[i]));
    from = std::move(chosen);
  };
  select(input.data.feature_names, input.preparation.kept_features);
  select(input.data.item_names, input.preparation.kept_items);
  add_notes(input.preparation, options.prepare, documents, static_cast<Index>(input.outside_items.size()), input.notes);
  if (streamed.items->nonzeros() == 0 && documents) throw InputError(nothing_left(options, names, input.preparation));
  if (streamed.items->nonzeros() == 0)
    throw InputError("preparation leaves nothing of " + options.called() + " but zeros; ask for less of it.");
  input.notes.push_back(
      documents ? "the counts of words were read from a scratch file: topics are called by their first words, equal "
                  "documents were not looked for, and the page has no texts."
                : "the items were read from their file: topics have no names of their own, and equal items were not "
                  "counted.");
}

#define COPSE_INSTANTIATE(T)                                                             \
  template void prepare_input(const InputOptions&, const RunEvents&, PreparedInput<T>&); \
  template void prepare_streamed(const InputOptions&, const MemoryJob&, const RunEvents&, PreparedInput<T>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
