// Items to look at, in the precision that they have.
#pragma once

#include <variant>

#include "copse/matrix/dataset.h"

namespace copse {

// Refers to a Dataset, which must outlive it.
class AnyDataset {
 public:
  AnyDataset(const Dataset<float>& data) : data_(&data) {}
  AnyDataset(const Dataset<double>& data) : data_(&data) {}

  // work(dataset), with the T that it has.
  template <class Work>
  decltype(auto) visit(const Work& work) const {
    return std::visit([&](const auto* data) -> decltype(auto) { return work(*data); }, data_);
  }
  bool is_sparse() const {
    return visit([](const auto& data) { return data.is_sparse(); });
  }
  Index features() const {
    return visit([](const auto& data) { return data.features(); });
  }

 private:
  std::variant<const Dataset<float>*, const Dataset<double>*> data_;
};

}  // namespace copse
