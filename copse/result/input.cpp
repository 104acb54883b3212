#include "copse/result/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/base/stopwatch.h"
#include "copse/engines/disk/counted_blocks.h"
#include "copse/io/compression.h"
#include "copse/io/item_blocks.h"
#include "copse/io/names.h"
#include "copse/io/ten_x_folder.h"
#include "copse/kernels/in_memory.h"
#include "copse/result/choices.h"
#include "copse/result/input_report.h"
#include "copse/result/split_log.h"
#include "copse/result/wording.h"
#include "copse/text/spilled_corpus.h"

namespace copse {
namespace {

void check_count(const std::string& file, std::size_t found, Index expected, const char* what) {
  if (static_cast<Index>(found) == expected) return;
  throw InputError(fmt::format("{} has {}, but the matrix has {}.", file, counted(static_cast<Index>(found), "line"),
                               counted(expected, what)));
}

void check_rank(const MatrixSummary& summary, const MemoryJob& job, const std::string& path) {
  const Index most = std::min(summary.features, summary.items);
  if (job.method == Method::tree || job.clusters <= most) return;
  throw InputError(fmt::format("-k {} is too large for {}, which has {} and {}: at most {} is possible.", job.clusters,
                               path, counted(summary.features, "feature"), counted(summary.items, "item"), most));
}

template <class T>
MatrixSummary summary_of(const Dataset<T>& data) {
  return {.features = data.features(), .items = data.items(), .nonzeros = data.nonzeros(), .sparse = data.is_sparse()};
}

std::string sizes(const MatrixSummary& summary) {
  const std::string shape =
      fmt::format("{} x {}", counted(summary.features, "feature"), counted(summary.items, "item"));
  return summary.nonzeros < 0 ? shape : fmt::format("{}, {} entries", shape, counted(summary.nonzeros));
}

// What preparation dropped or found, for the user.
void add_notes(const PrepareReport& report, const PrepareOptions& options, bool documents, Index outside,
               std::vector<std::string>& notes) {
  const auto note = [&](Index count, const char* what, const char* verdict) {
    if (count > 0) notes.push_back(counted(count, what) + " " + verdict + ".");
  };
  if (documents) {
    note(outside, "document", "too short for the fit (--min-words), placed when it was done");
    note(report.short_items + report.empty_items - outside, "document", "without any known word: they have no topic");
    note(report.duplicate_items, "document", "with the same words as an earlier one");
    return;
  }
  note(report.rare_features, "feature", "dropped: total below --min-count");
  note(report.unselected_features, "feature", "dropped: others vary more (--select)");
  note(report.short_items, "item", "kept out of the fit: total below --min-words; placed when it was done");
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

// Text of less takes no memory to speak of.
constexpr double little_text = 16e6;
// Measured: up to 2.9 bytes of memory for a byte of text, the more the shorter its words; a name, its place in lists
// that grow, and numbers for a document; and a document is held several times while it is cut into words.
constexpr double memory_of_text = 3;
constexpr double memory_of_document = 150;
constexpr double memory_of_longest = 4;

// Nothing for the standard input and for compressed files, which do not say how much they hold.
std::optional<double> text_size(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (path == "-" || name_without_compression(path) != path) return std::nullopt;
  if (!fs::is_directory(path, ignored)) {
    const auto size = fs::file_size(path, ignored);
    return ignored ? std::nullopt : std::optional(static_cast<double>(size));
  }
  double sum = 0;
  constexpr auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator entry(path, skip, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code no_size;
    const auto size = entry->is_regular_file(no_size) ? entry->file_size(no_size) : 0;
    if (!no_size) sum += static_cast<double>(size);
  }
  return sum;
}

// Shows ten times a second how many documents were read, and sees after every megabyte that they do not take too much
// memory.
class CountingReader : public DocumentReader {
 public:
  CountingReader(std::unique_ptr<DocumentReader> reader, const MemoryJob& job, const RunEvents& events)
      : reader_(std::move(reader)), is_given_(job.memory_limit > 0), memory_limit_(limit_of(job)), events_(events) {}

  bool next(Document& document) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ > std::chrono::milliseconds(100)) {
      shown_ = now;
      check_cancelled();
      events_.show(fmt::format("reading: {} ...", read()));
    }
    if (!reader_->next(document)) return false;
    // A document leaves its name and numbers behind, however short it is.
    constexpr double least_bytes = 64, bytes_between_looks = 1e6;
    unseen_ += least_bytes + static_cast<double>(document.text.size());
    const Index count = reader_->report().documents;
    const bool grows = count >= long_list && std::has_single_bit(static_cast<std::uint64_t>(count));
    if (unseen_ > bytes_between_looks || grows) {
      unseen_ = 0;
      // Tables of words grow by copying them.
      const double growth = (resident_memory() - before_) / 4;
      check(grows ? growth + static_cast<double>(count) * bytes_in_lists(document) : growth, ", and there are more");
    }
    return true;
  }
  const ReadReport& report() const override { return reader_->report(); }

  // Refuses what was read if it takes too much, with `more` bytes that are needed now.
  void check(double more, const char* rest = "") const {
    if (resident_memory() + std::max(more, 0.0) <= memory_limit_) return;
    throw InputError(fmt::format("reading takes more memory than the {} that {}: {} were read{}.",
                                 in_bytes(memory_limit_), is_given_ ? "--memory-limit allows" : "the machine can spare",
                                 read(), rest));
  }

 private:
  static constexpr Index long_list = Index{1} << 16;

  // Of ids, labels, times and titles: lists that double when they are full, and are copied then.
  static double bytes_in_lists(const Document& document) {
    const int lists = 1 + !document.label.empty() + !document.time.empty() + !document.title.empty();
    return lists * static_cast<double>(sizeof(std::string));
  }

  std::string read() const { return counted(reader_->report().documents, "document"); }

  std::unique_ptr<DocumentReader> reader_;
  bool is_given_;
  double memory_limit_;
  const RunEvents& events_;
  double before_ = resident_memory();
  double unseen_ = 0;
  std::chrono::steady_clock::time_point shown_{};
};

// What reading will take at most, told by the beginning of the text: so many bytes for each of the text, and for each
// document.
double memory_of_reading(const DocumentSource& source, double text_bytes) {
  constexpr double sampled_bytes = 1e6;
  const auto reader = source.open();
  Document document;
  double bytes = 0, longest = 0, count = 0;
  for (; bytes < sampled_bytes && reader->next(document); ++count) {
    bytes += static_cast<double>(document.text.size());
    longest = std::max(longest, static_cast<double>(document.text.size()));
  }
  const double share = text_bytes / std::max(bytes, 1.0);
  return static_cast<double>(peak_memory()) + memory_of_text * text_bytes + memory_of_document * count * share +
         memory_of_longest * longest;
}

// What the names in files beside the matrix will take.
double name_bytes(const InputOptions& options, const MatrixSummary& summary) {
  const auto bytes_of = [](const std::string& path, Index count) {
    std::error_code unknown;
    const auto size = path.empty() ? 0 : std::filesystem::file_size(path, unknown);
    if (path.empty() || unknown || count == 0) return 0.0;
    return static_cast<double>(count) * bytes_of_name(size / static_cast<std::uintmax_t>(count));
  };
  return bytes_of(options.feature_names, summary.features) + bytes_of(options.item_names, summary.items) +
         bytes_of(options.truth, summary.items);
}

// Why the items cannot stay in their file; empty if they can.
std::string reason_against_streaming(const InputOptions& options, const MemoryJob& job, const ItemBlocks* blocks) {
  if (!job.needs_all.empty()) return job.needs_all + " all entries in memory";
  if (options.prepare.drop_duplicates) return "--drop-duplicates needs all entries in memory";
  if (options.prepare.select_features > 0) return "--select needs all entries in memory";
  if (options.prepare.library_size > 0) return "--library-size needs all entries in memory";
  if (blocks == nullptr)
    return options.path + " cannot be read in blocks of items; `copse convert " + options.path +
           " items.copse` makes a file that can";
  return "";
}

// The items stay in their file.
template <class T>
void open_streamed(const MatrixSummary& summary, std::shared_ptr<const ItemBlocks> blocks, const MemoryJob& job,
                   const std::string& called, const std::string& why, const RunEvents& events,
                   PreparedInput<T>& input) {
  blocks = std::make_shared<const CountedBlocks>(std::move(blocks));
  FileItems<T> file(blocks);
  const MemoryEstimate needed =
      estimate_streamed(summary, {file.block_bytes(), static_cast<double>(blocks->most_items())}, job, precision_of<T>);
  const double limit = limit_of(job);
  input.estimated_memory = needed.total();
  events.tell(fmt::format("{}: {}; {} the items are read from the file again and again, which takes about {} of memory",
                          called, sizes(summary), why, in_bytes(needed.total())));
  if (needed.total() > limit) {
    throw InputError(fmt::format(
        "even with the items left in their file this run needs about {} of memory ({} for {} items, {} for {} {}), and "
        "{} {}.",
        in_bytes(needed.total()), in_bytes(needed.matrix), counted(summary.items), in_bytes(needed.factors), job.option,
        job.clusters, job.memory_limit > 0 ? "--memory-limit allows" : "the machine can spare", in_bytes(limit)));
  }
  input.streamed = std::make_shared<StreamedInput<T>>(StreamedInput<T>{std::move(file)});
  input.streamed->node_memory = limit - needed.total();
  if (job.method == Method::tree) {
    // What nodes take is part of what is announced: up to the limit, but no more than all of them in memory.
    const double most = 2.0 * static_cast<double>(summary.nonzeros) * (sizeof(T) + sizeof(RowIndex));
    input.estimated_memory += std::min(input.streamed->node_memory, most);
  }
  input.data.feature_names = blocks->feature_names();
  for (Index b = 0; b < blocks->blocks(); ++b) {
    std::ranges::move(blocks->item_names(b), std::back_inserter(input.data.item_names));
    std::ranges::move(blocks->labels(b), std::back_inserter(input.classes));
  }
}

template <class T>
void read_or_refuse(const InputOptions& options, const MemoryJob& job, const RunEvents& events,
                    PreparedInput<T>& input) {
  ReadOptions reading = options.reading;
  reading.memory_limit = static_cast<std::size_t>(limit_of(job));
  const std::string& path = options.path == "-" ? "standard input" : options.path;
  const MatrixFile file(options.path, reading);
  MatrixSummary summary = file.summary();
  summary.name_bytes += name_bytes(options, summary);
  check_rank(summary, job, path);
  const double estimate = estimate_memory(summary, job, precision_of<T>).total();
  const bool fits = estimate <= limit_of(job);
  if (job.engine == Engine::disk || (job.engine == Engine::automatic && !fits)) {
    std::shared_ptr<const ItemBlocks> blocks = open_blocks(options.path, reading);
    const std::string against = reason_against_streaming(options, job, blocks.get());
    if (against.empty()) {
      const std::string why =
          fits ? ""
               : fmt::format("in memory it needs about {}, more than the {} that {}:", in_bytes(estimate),
                             in_bytes(limit_of(job)),
                             job.memory_limit > 0 ? "--memory-limit allows" : "the machine can spare");
      return open_streamed(summary, std::move(blocks), job, options.path, why, events, input);
    }
    if (job.engine == Engine::disk) throw InputError("--engine disk is not possible: " + against + ".");
    try {
      check_fits(summary, job, precision_of<T>);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} It cannot be left in its file: {}.", error.what(), against));
    }
  }
  input.estimated_memory = estimate;
  events.tell(fmt::format("{}: {}; about {} of memory will do", path, sizes(summary), in_bytes(estimate)));
  check_fits(summary, job, precision_of<T>);
  events.show("reading " + path + " ...");
  ReadResult<T> result = file.read<T>();
  input.data = std::move(result.dataset);
  input.notes = std::move(result.notes);
  input.classes = std::move(result.labels);
}

template <class T>
void read_entries(const InputOptions& options, const MemoryJob& job, const RunEvents& events, PreparedInput<T>& input) {
  try {
    read_or_refuse<T>(options, job, events, input);
    give_back_memory();
  } catch (const InputError& error) {
    if (options.hint.empty()) throw;
    throw InputError(error.what() + (" " + options.hint));
  }
  if (!options.truth.empty()) input.classes.clear();
  const Index features = input.streamed ? input.streamed->file.rows() : input.data.features();
  const Index items = input.streamed ? input.streamed->file.cols() : input.data.items();
  const auto read_column = [&](const std::string& file, std::vector<std::string>& target, Index count,
                               const char* what) {
    if (file.empty()) return;
    target = read_names(file, &input.notes);
    check_count(file, target.size(), count, what);
  };
  read_column(options.feature_names, input.data.feature_names, features, "feature");
  read_column(options.item_names, input.data.item_names, items, "item");
  read_column(options.truth, input.classes, items, "item");
}

// Counts the words of documents, as count_words() does; what is too much for memory goes to scratch files.
template <class T>
SpilledCorpus<T> count_large(const InputOptions& options, double memory_limit, const RunEvents& events,
                             std::shared_ptr<const DocumentSource>& source, const TextSpill& spill) {
  const DocumentInputOptions& documents = *options.documents;
  source = documents.source;
  const MemoryJob job{.memory_limit = memory_limit};
  if (source == nullptr) {
    // A document is held several times while it is cut into words.
    constexpr double copies = 8;
    DocumentOptions reading = documents.reading;
    const double longest = std::max(1.0, limit_of(job) / copies);
    if (longest < static_cast<double>(reading.max_document_bytes))
      reading.max_document_bytes = static_cast<std::size_t>(longest);
    source = std::make_shared<const DocumentSource>(options.path, reading);
  }
  auto opened = source->open();  // says what is wrong with the path before its size is looked at
  if (const auto bytes = text_size(options.path); bytes && *bytes > little_text) {
    events.tell(fmt::format("{}: {} to read, which may take up to about {} of memory", options.called(),
                            in_bytes(*bytes), in_bytes(memory_of_reading(*source, *bytes))));
  }
  CountingReader reader(std::move(opened), job, events);
  const NeedMemory need = [&](double bytes) { reader.check(bytes); };
  if (documents.vocabulary) return read_large_corpus<T>(reader, *documents.vocabulary, need, spill);
  TextOptions text = documents.text;
  text.min_count = std::max<Index>(1, static_cast<Index>(options.prepare.min_feature_total));
  if (!documents.stop_word_file.empty()) text.more_stop_words = read_names(documents.stop_word_file, nullptr);
  return read_large_corpus<T>(reader, text, need, spill);
}

// What of documents goes to scratch files: with less memory than all of it takes, or where the disk is asked for.
template <class T>
TextSpill spill_of(const InputOptions& options, const MemoryJob& job) {
  if (job.engine == Engine::memory || !job.needs_all.empty() || options.prepare.drop_duplicates) return {};
  constexpr double share_of_tokens = 0.25;
  const double limit = limit_of(job);
  TextSpill spill{.token_bytes = share_of_tokens * limit};
  spill.counts = [job, limit](Index terms, Index documents, Index entries, double texts) {
    if (job.engine == Engine::disk) return true;
    const MatrixSummary summary{.features = terms, .items = documents, .nonzeros = entries, .sparse = true};
    const double bytes = static_cast<double>(entries) * (sizeof(T) + sizeof(RowIndex));
    MemoryJob later = job;
    later.held = resident_memory() - texts + bytes;
    return resident_memory() + bytes > limit || estimate_memory(summary, later, precision_of<T>).total() > limit;
  };
  return spill;
}

// Counts that were written to a scratch file stay there.
template <class T>
void open_counts(const SpilledCorpus<T>& corpus, const InputOptions& options, const MemoryJob& job,
                 const RunEvents& events, PreparedInput<T>& input) {
  give_back_memory();
  // The names and whatever else is held already count as names, which are held twice.
  constexpr double program = 21e6;
  const MatrixSummary summary{.features = corpus.file->features(),
                              .items = corpus.file->items(),
                              .nonzeros = corpus.file->entries(),
                              .sparse = true,
                              .name_bytes = std::max(0.0, resident_memory() - program) / 2};
  open_streamed<T>(summary, corpus.file, job, options.called(), "the counts of words do not fit, and", events, input);
}

template <class T>
void read_counts(const InputOptions& options, MemoryJob job, const RunEvents& events, PreparedInput<T>& input) {
  SpilledCorpus<T> spilled = count_large<T>(options, job.memory_limit, events, input.source, spill_of<T>(options, job));
  Corpus<T>& corpus = spilled.corpus;
  if (spilled.file) open_counts(spilled, options, job, events, input);
  input.notes = notes_of(corpus.report);
  input.data.values = std::move(corpus.counts);
  input.data.feature_names = corpus.vocabulary.names;
  input.data.item_names = std::move(corpus.ids);
  input.classes = std::move(corpus.labels);
  input.vocabulary = to_json(corpus.vocabulary);
  input.titles = std::move(corpus.titles);
  input.times = std::move(corpus.times);
  if (input.streamed) return;
  // Reading leaves many small free blocks behind, which the factorization would come on top of.
  give_back_memory();
  job.held = resident_memory();
  const MatrixSummary summary = summary_of(input.data);
  // Reading may have taken more than all that follows.
  input.estimated_memory =
      std::max(static_cast<double>(peak_memory()), estimate_memory(summary, job, precision_of<T>).total());
  events.tell(fmt::format("{}: {}, {} ({} different, {} counted); their topics take about {} of memory",
                          options.called(), counted(summary.items, "document"), counted(corpus.words, "word"),
                          counted(corpus.distinct_words), counted(summary.features), in_bytes(input.estimated_memory)));
  check_fits(summary, job, precision_of<T>);
}

// Why no document has anything to be told apart by.
std::string nothing_left(const InputOptions& options, const std::vector<std::string>& names,
                         const PrepareReport& report) {
  const auto documents = static_cast<Index>(names.size());
  if (report.short_items == documents) {
    return fmt::format("{}: all of {} have fewer than {} words that count (--min-words), too few for a topic.",
                       options.called(), counted(documents, "document"), options.prepare.min_item_total);
  }
  return fmt::format(
      "{}: every word that counts is in all of {}, and --weights {} gives such words no weight; smooth-tf-idf would.",
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

InputOptions documents_at(const std::string& path) {
  InputOptions options;
  options.path = path;
  options.documents.emplace();
  options.prepare = text_preparation();
  return options;
}

InputOptions matrix_at(const std::string& path) {
  InputOptions options;
  options.path = path;
  return options;
}

bool names_documents(const std::string& path, const DocumentOptions& options, bool column_named) {
  if (options.format != DocumentFormat::automatic || path == "-") return true;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return !is_ten_x_folder(path);
  std::string name = path;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - std::string_view(packed).size());
  }
  const auto ends_in = [&](std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings, [&](const char* ending) { return name.ends_with(ending); });
  };
  return ends_in({".jsonl", ".ndjson", ".json", ".txt"}) || (column_named && ends_in({".csv", ".tsv"}));
}

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

namespace {

// The same for items that stay in their file.
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
  if (job.method == Method::tree) {
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

}  // namespace

template <class T>
std::unique_ptr<Data<T>> PreparedInput<T>::solver_data() const {
  if (streamed) return std::make_unique<StreamedData<T>>(*streamed->items);
  return in_memory(data);
}

template <class T>
PreparedInput<T> load(const InputOptions& options, const MemoryJob& job, const RunEvents& events, Seconds& seconds) {
  PreparedInput<T> input;
  const Stopwatch reading;
  if (options.documents) {
    read_counts(options, job, events, input);
  } else {
    read_entries(options, job, events, input);
  }
  seconds.read += reading.seconds();
  const Stopwatch preparing;
  if (input.streamed) {
    prepare_streamed(options, job, events, input);
  } else {
    prepare_input(options, events, input);
  }
  seconds.prepare += preparing.seconds();
  check_rank({.features = input.features(), .items = input.items()}, job, options.called());
  return input;
}

namespace {

template <class T>
const CountedBlocks* counted_file(const PreparedInput<T>& input) {
  return input.streamed ? dynamic_cast<const CountedBlocks*>(&input.streamed->file.file()) : nullptr;
}

}  // namespace

template <class T>
void add_input(const PreparedInput<T>& input, const Seconds& seconds, RunReport& report) {
  report.engine = input.engine();
  report.seconds.read = seconds.read;
  report.seconds.prepare = seconds.prepare;
  report.estimated_memory_bytes = static_cast<Index>(input.estimated_memory);
  report.notes.insert(report.notes.begin(), input.notes.begin(), input.notes.end());
  if (const CountedBlocks* file = counted_file(input))
    report.notes.push_back(fmt::format("the file was read {:.1f} times, {} in all.", file->times_read(),
                                       in_bytes(file->times_read() * file->bytes_read())));
}

template <class T>
std::optional<double> bytes_read_of(const PreparedInput<T>& input) {
  const CountedBlocks* file = counted_file(input);
  return file != nullptr ? std::optional(file->times_read() * file->bytes_read()) : std::nullopt;
}

template <class T>
Corpus<T> count_words(const InputOptions& options, double memory_limit, const RunEvents& events,
                      std::shared_ptr<const DocumentSource>& source) {
  return count_large<T>(options, memory_limit, events, source, {}).corpus;
}

std::vector<std::string> notes_of(const ReadReport& report) {
  std::vector<std::string> notes;
  const auto note = [&](Index count, const char* what, const char* verdict) {
    if (count > 0) notes.push_back(counted(count, what) + " " + verdict + ".");
  };
  note(report.skipped, "document", "skipped: could not be read");
  note(report.repaired, "document", "repaired: not UTF-8, or with NUL bytes");
  note(report.passed_over, "file", "passed over: not text");
  note(report.closed_folders, "folder", "left out: may not be read");
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  return notes;
}

#define COPSE_INSTANTIATE(T)                                                                         \
  template struct PreparedInput<T>;                                                                  \
  template void prepare_input(const InputOptions&, const RunEvents&, PreparedInput<T>&);             \
  template PreparedInput<T> load(const InputOptions&, const MemoryJob&, const RunEvents&, Seconds&); \
  template void add_input(const PreparedInput<T>&, const Seconds&, RunReport&);                      \
  template std::optional<double> bytes_read_of(const PreparedInput<T>&);                             \
  template Corpus<T> count_words(const InputOptions&, double, const RunEvents&, std::shared_ptr<const DocumentSource>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
