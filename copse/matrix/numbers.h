// Lists and matrices in the precision of the run that made them: who tells of a result reads doubles and needs no T.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "copse/base/error.h"
#include "copse/base/precision.h"
#include "copse/matrix/dense.h"

namespace copse {

[[noreturn]] inline void refuse_precision() {
  throw InvalidArgument("The model was made in another precision (--precision, dtype).");
}

class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(Precision precision) {
    if (precision == Precision::full) values_.emplace<1>();
  }
  Numbers(std::vector<float> values) : values_(std::move(values)) {}
  Numbers(std::vector<double> values) : values_(std::move(values)) {}

  Precision precision() const { return values_.index() == 0 ? Precision::single : Precision::full; }
  std::size_t size() const {
    return std::visit([](const auto& values) { return values.size(); }, values_);
  }
  bool empty() const { return size() == 0; }
  double operator[](std::size_t i) const {
    const auto* single = std::get_if<0>(&values_);
    return single != nullptr ? static_cast<double>((*single)[i]) : (*std::get_if<1>(&values_))[i];
  }

  void reserve(std::size_t count) {
    std::visit([&](auto& values) { values.reserve(count); }, values_);
  }
  // Rounded to the precision of the list.
  void set(std::size_t i, double value) {
    std::visit([&]<class T>(std::vector<T>& values) { values[i] = static_cast<T>(value); }, values_);
  }
  void push_back(double value) {
    std::visit([&]<class T>(std::vector<T>& values) { values.push_back(static_cast<T>(value)); }, values_);
  }
  // `count` more from position `begin` of another list.
  void append(const Numbers& more, std::size_t begin, std::size_t count) {
    const auto add = [&]<class T, class U>(std::vector<T>& to, const std::vector<U>& from) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(count));
    };
    std::visit(add, values_, more.values_);
  }
  void append(const Numbers& more) { append(more, 0, more.size()); }

  const auto& values() const { return values_; }  // for std::visit
  // Where T is known. Throws InvalidArgument for another.
  template <class T>
  const std::vector<T>& as() const {
    if (precision() != precision_of<T>) refuse_precision();
    return std::get<std::vector<T>>(values_);
  }

  friend bool operator==(const Numbers& a, const Numbers& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

 private:
  std::variant<std::vector<float>, std::vector<double>> values_;
};

class AnyMatrix {
 public:
  AnyMatrix() = default;
  AnyMatrix(Matrix<float> values) : values_(std::move(values)) {}
  AnyMatrix(Matrix<double> values) : values_(std::move(values)) {}

  Precision precision() const { return values_.index() == 0 ? Precision::single : Precision::full; }
  Index rows() const {
    return std::visit([](const auto& matrix) { return matrix.rows(); }, values_);
  }
  Index cols() const {
    return std::visit([](const auto& matrix) { return matrix.cols(); }, values_);
  }
  double operator()(Index i, Index j) const {
    const auto* single = std::get_if<0>(&values_);
    return single != nullptr ? static_cast<double>((*single)(i, j)) : (*std::get_if<1>(&values_))(i, j);
  }

  const auto& values() const { return values_; }  // for std::visit
  // Where T is known. Throws InvalidArgument for another.
  template <class T>
  const Matrix<T>& as() const {
    if (precision() != precision_of<T>) refuse_precision();
    return std::get<Matrix<T>>(values_);
  }

  friend bool operator==(const AnyMatrix&, const AnyMatrix&) = default;

 private:
  std::variant<Matrix<float>, Matrix<double>> values_;
};

}  // namespace copse
