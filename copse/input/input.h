// A matrix from a file, or the word counts of documents, ready to be factored: read, named, prepared, with the truth
// where it is known.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "copse/base/events.h"
#include "copse/base/scratch_buffers.h"
#include "copse/engines/disk/file_items.h"
#include "copse/graph/graph.h"
#include "copse/input/memory.h"
#include "copse/io/matrix_file.h"
#include "copse/kernels/streamed_data.h"
#include "copse/matrix/data.h"
#include "copse/model/model_items.h"
#include "copse/prepare/prepare.h"
#include "copse/prepare/prepared_blocks.h"
#include "copse/text/corpus.h"
#include "copse/tree/node_data.h"

namespace copse {

// Documents that lie nowhere but in the folder of the result.
struct OwnDocuments {
  std::string name;    // what they are called in sentences and on the page
  std::string origin;  // where they come from, in words
};
// The file of the result that holds them.
inline constexpr const char* own_documents_file = "demo-documents.jsonl";

struct DocumentInputOptions {
  DocumentOptions reading;
  TextOptions text;                      // its min_count is that of the preparation
  std::string stop_word_file;            // more words to leave out, one per line; or empty
  std::optional<Vocabulary> vocabulary;  // count these terms instead of choosing some by the options
  std::optional<OwnDocuments> own;
  std::shared_ptr<const DocumentSource> source;  // documents in memory; null: those at the path
};

struct InputOptions {
  std::string path;  // "-": the standard input
  ReadOptions reading;
  std::string feature_names;  // files, or empty
  std::string item_names;
  std::string truth;
  PrepareOptions prepare;
  std::string hint;                               // for the sentence on a file that is no matrix; may be empty
  std::optional<DocumentInputOptions> documents;  // the path names documents; the names and the truth come from them

  // What the data is called in a sentence.
  const std::string& called() const {
    static const std::string in_memory = "the data";
    if (documents && documents->own) return documents->own->name;
    return path.empty() ? in_memory : path;
  }
};

// Documents at this path, prepared as text is by default.
InputOptions documents_at(const std::string& path);
// A matrix at this path, as it is.
InputOptions matrix_at(const std::string& path);

// Whether the path looks like documents and not like a matrix; a table does if one of its columns was named as text.
bool names_documents(const std::string& path, const DocumentOptions& options, bool column_named);

// Items that stay in their file.
template <class T>
struct StreamedInput {
  FileItems<T> file;
  std::unique_ptr<ScratchBuffers> spilled = {};   // H is beyond memory as well
  std::unique_ptr<PreparedBlocks<T>> items = {};  // those that preparation kept, weighed on the way
  double node_memory = 0;                         // bytes that the nodes of a tree may take
  std::vector<std::uint64_t> block_prints = {};   // of the prepared blocks, for a tree that can be resumed
};

template <class T>
struct PreparedInput {
  Dataset<T> data;  // features and items that preparation kept, weighed; names only, where the items stay in a file:
  std::shared_ptr<StreamedInput<T>> streamed = {};
  PrepareReport preparation;
  std::vector<std::string> all_item_names;  // before preparation: what the files say, or numbers from 0
  std::vector<std::string> classes;         // the true class of all items before preparation; empty if unknown
  std::vector<std::string> notes;
  double estimated_memory = 0;  // bytes that the whole run was said to take

  // Items that preparation kept out of the fit, since their entries add up to less than min_item_total: their numbers
  // among all, and their entries over all features, not weighed.
  std::vector<Index> outside_items;
  Dataset<T> outside;

  // Of documents.
  std::string vocabulary;           // as JSON; empty: there are no documents, but a matrix
  std::vector<std::string> titles;  // of all documents, or empty
  std::vector<std::string> times;
  std::shared_ptr<const DocumentSource> source;  // to read some of them again; null where that is not possible

  Index features() const { return streamed ? streamed->items->rows() : data.features(); }
  Index items() const { return streamed ? streamed->items->cols() : data.items(); }
  // The data as solvers read it; it refers to this input.
  std::unique_ptr<Data<T>> solver_data() const;
  const char* engine() const { return streamed ? "disk" : "memory"; }
};

// Reads and prepares. Refuses, before reading, what cannot fit in memory or has fewer rows or columns than the job asks
// for. Adds to seconds.read and seconds.prepare. Throws InputError.
template <class T>
PreparedInput<T> load(const InputOptions& options, const MemoryJob& job, const RunEvents& events, Seconds& seconds);

// The second half of load(), for data that is in memory: prepares input.data, and fills what is known then. Throws
// InputError when nothing is left.
template <class T>
void prepare_input(const InputOptions& options, const RunEvents& events, PreparedInput<T>& input);

// Prepared data as the methods read it. What it refers to must outlive it.
template <class T>
struct RunData {
  const Data<T>& x;
  std::function<std::unique_ptr<TreeData<T>>()> nodes;  // the same for trees
  Index nonzeros = 0;
  const Dataset<T>* words = nullptr;          // the same as entries, for names and facts; null: there is no such copy
  const DocumentSource* documents = nullptr;  // to read some of them again; null: nothing of their texts is kept
  const Dataset<T>* outside = nullptr;        // items kept out of the fit, not weighed; null: there are none
  const Graph<T>* graph = nullptr;            // of the items, to be factored with their words; null: words alone
};

// `x` is input.solver_data().
template <class T>
RunData<T> run_data(const PreparedInput<T>& input, const Data<T>& x, bool keep_texts) {
  if (input.streamed) {
    const StreamedInput<T>& streamed = *input.streamed;
    return {x,
            [&] { return tree_data(*streamed.items, streamed.node_memory); },
            streamed.items->nonzeros(),
            nullptr,
            nullptr,
            &input.outside,
            nullptr};
  }
  return {x,           [&] { return tree_data(input.data); },     input.data.nonzeros(),
          &input.data, keep_texts ? input.source.get() : nullptr, &input.outside,
          nullptr};
}

// Counts the words of documents, and shows how far it is. Throws InputError, also when reading comes to take more than
// `memory_limit` bytes (0: than the machine can spare).
template <class T>
Corpus<T> count_words(const InputOptions& options, double memory_limit, const RunEvents& events,
                      std::shared_ptr<const DocumentSource>& source);

// Takes from the input what a model keeps; the data itself stays.
template <class T>
ModelItems take_items(PreparedInput<T>& input);

// What was met on the way, as sentences.
std::vector<std::string> notes_of(const ReadReport& report);

}  // namespace copse
