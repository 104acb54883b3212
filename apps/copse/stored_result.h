// What the result.json of an earlier run says about how it was made.
#pragma once

#include <memory>
#include <string>

#include "apps/copse/matrix_input.h"
#include "copse/tree/tree.h"

namespace copse {

class StoredResult {
 public:
  // Throws InputError unless the folder holds a complete result.
  explicit StoredResult(const std::string& folder);
  ~StoredResult();
  StoredResult(const StoredResult&) = delete;
  StoredResult& operator=(const StoredResult&) = delete;

  const std::string& folder() const { return folder_; }
  std::string model_path() const { return folder_ + "/model.safetensors"; }

  bool is_tree() const;
  Precision precision() const;
  std::uint64_t seed() const;
  Index nonzeros() const;
  double beta() const;  // of sparse NMF; 0 for a tree
  // How the data was read and prepared. `vocabulary` is that of the model: the same words are counted again.
  MatrixInputOptions input(const std::string& vocabulary) const;
  TreeOptions tree() const;
  Settings settings() const;
  // What the page tells about the run: settings, sizes, seconds, measures and notes.
  RunReport report() const;

 private:
  struct Json;
  template <class Value>
  Value setting(const char* name) const;
  template <class Value>
  Value choice(const char* name, const Choices<Value>& choices) const;

  std::string folder_;
  std::unique_ptr<Json> json_;
};

}  // namespace copse
