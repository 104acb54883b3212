// What load() of input.h is made of: a file for each.
#pragma once

#include <memory>
#include <string>

#include "copse/input/input.h"
#include "copse/io/item_blocks.h"

namespace copse {

// Throws InputError where -k asks for more than this data can have.
void check_rank(const MatrixSummary& summary, const MemoryJob& job, const std::string& path);
// Of a matrix, in words.
std::string sizes(const MatrixSummary& summary);

// matrix_input.cpp: a matrix, into memory or left in its file, with the names and the truth that lie in files of their
// own.
template <class T>
void read_entries(const InputOptions& options, const MemoryJob& job, const RunEvents& events, PreparedInput<T>& input);

// document_input.cpp: the word counts of documents, in memory or in a scratch file.
template <class T>
void read_counts(const InputOptions& options, MemoryJob job, const RunEvents& events, PreparedInput<T>& input);

// streamed_input.cpp: the items stay in their file; `why` goes into the sentence that tells so.
template <class T>
void open_streamed(const MatrixSummary& summary, std::shared_ptr<const ItemBlocks> blocks, const MemoryJob& job,
                   const std::string& called, const std::string& why, const RunEvents& events, PreparedInput<T>& input);

// prepare_input.cpp: prepare_input() of input.h, for items that stay in their file.
template <class T>
void prepare_streamed(const InputOptions& options, const MemoryJob& job, const RunEvents& events,
                      PreparedInput<T>& input);

}  // namespace copse
