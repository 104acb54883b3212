// Named lists of numbers and strings in a safetensors file: what the models of flat results and of trees are made of.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "copse/io/input.h"
#include "copse/io/safetensors.h"
#include "copse/matrix/numbers.h"
#include "copse/model/run_report.h"

namespace copse {

class TensorWriter {
 public:
  void add(const std::string& name, Buffer<std::int64_t> values) {
    view(name, std::span<const std::int64_t>(integers_.emplace_back(std::move(values))));
  }
  void add(const std::string& name, const std::vector<std::int64_t>& values) {
    add(name, Buffer<std::int64_t>(values.begin(), values.end()));
  }
  void add(const std::string& name, Numbers values) {
    const Numbers& kept = reals_.emplace_back(std::move(values));
    std::visit([&](const auto& list) { view(name, std::span(list)); }, kept.values());
  }
  // Two tensors: NAME with the bytes of all, and NAME_offsets.
  void add(const std::string& name, const std::vector<std::string>& values);
  // Belongs to somebody else, and must live until write().
  template <class T>
  void add_view(const std::string& name, const Matrix<T>& matrix) {
    views_.push_back({name, {matrix.rows(), matrix.cols()}, matrix.values()});
  }
  void add_view(const std::string& name, const AnyMatrix& matrix) {
    std::visit([&](const auto& values) { add_view(name, values); }, matrix.values());
  }

  // Metadata: the settings, but for those that name files or may differ between two runs with the same outcome. So the
  // bytes depend on data, settings and seed only.
  void write(OutputFile& file, const Settings& settings, const std::string& kind) const;

 private:
  template <class Value>
  void view(const std::string& name, std::span<const Value> values) {
    views_.push_back({name, {static_cast<Index>(values.size())}, values});
  }

  std::vector<TensorView> views_;
  std::deque<Buffer<std::int64_t>> integers_;
  std::deque<Numbers> reals_;
  std::deque<PackedStrings> strings_;
};

// Takes tensors by name; throws InputError where one is missing, of another type or of another shape.
class TensorReader {
 public:
  // `kind` for sentences: "a tree".
  TensorReader(const Input& file, const std::string& kind);

  bool has(const std::string& name) const { return model_.tensors.contains(name); }
  // A setting as text; empty where there is none.
  std::string setting(const std::string& name) const;

  template <class T>
  std::span<const T> get(const std::string& name) const {
    const auto* values = std::get_if<Buffer<T>>(&find(name).values);
    if (values == nullptr) wrong("tensor \"" + name + "\" has another type; was it made with another `precision`?");
    return *values;
  }
  // Empty where there is no such tensor.
  template <class T>
  std::vector<T> list(const std::string& name) const {
    if (!has(name)) return {};
    const auto values = get<T>(name);
    return {values.begin(), values.end()};
  }
  std::vector<std::string> strings(const std::string& name) const;
  // Of factors, which are not negative.
  AnyMatrix matrix(const std::string& name) const;
  // In the precision of the factors; empty where there is no such tensor.
  Numbers numbers(const std::string& name) const;
  // Of the factors of this model.
  Precision precision() const { return precision_; }

  [[noreturn]] void wrong(const std::string& what) const;

 private:
  const Tensor& find(const std::string& name) const;

  std::string path_;
  std::string kind_;
  SafeTensors model_;
  Precision precision_ = Precision::single;
};

}  // namespace copse
