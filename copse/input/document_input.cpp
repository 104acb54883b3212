#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/input/input_parts.h"
#include "copse/io/compression.h"
#include "copse/io/names.h"
#include "copse/options/wording.h"
#include "copse/text/spilled_corpus.h"

namespace copse {
namespace {

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
                                 in_bytes(memory_limit_), is_given_ ? "`memory_limit` allows" : "the machine can spare",
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
MatrixSummary summary_of(const Dataset<T>& data) {
  return {.features = data.features(), .items = data.items(), .nonzeros = data.nonzeros(), .sparse = data.is_sparse()};
}

}  // namespace

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

#define COPSE_INSTANTIATE(T)                                                                      \
  template void read_counts(const InputOptions&, MemoryJob, const RunEvents&, PreparedInput<T>&); \
  template Corpus<T> count_words(const InputOptions&, double, const RunEvents&, std::shared_ptr<const DocumentSource>&);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)

}  // namespace copse
