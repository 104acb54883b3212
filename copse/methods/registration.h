// How a file of this folder makes its methods: see one of them. list-inl.h has a line for each.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "copse/methods/method.h"

namespace copse {

namespace registered {
#define METHOD(name) const Method& name();
#include "copse/methods/list-inl.h"
#undef METHOD
}  // namespace registered

// `about` with options of its own, whose rows are `rows`: those that all methods have, by the same name, give way.
// fit(data, options, own) is a template for float and double.
template <class Own, class Fit>
Method with_fit(Method about, Own own, const OptionRows& rows, const Fit& fit) {
  about.rows = common_rows();
  for (const Option& row : rows) {
    if (find_row(about.rows, row.name) != nullptr) continue;
    Option& own_row = about.rows.emplace_back(row);
    own_row.locate = [locate = row.locate](void* options) -> void* {
      Own* const found = std::any_cast<Own>(&static_cast<MethodOptions*>(options)->own);
      return found == nullptr ? nullptr : locate(found);
    };
    if (!row.says) continue;
    own_row.says = [says = row.says](const void* options) {
      const Own* const found = std::any_cast<Own>(&static_cast<const MethodOptions*>(options)->own);
      return found != nullptr && says(found);
    };
  }
  about.own = std::move(own);
  about.fit.single = [fit](const MethodData<float>& data, const MethodOptions& options) {
    return fit(data, options, own_options<Own>(options));
  };
  about.fit.full = [fit](const MethodData<double>& data, const MethodOptions& options) {
    return fit(data, options, own_options<Own>(options));
  };
  return about;
}

// The same with what surveys ask for: make.operator()<T>(options, named) gives a Clusterer<T>.
template <class Make>
Method with_clusterer(Method about, const Make& make) {
  about.clusterer.single = [make](const MethodOptions& options, bool named) {
    return make.template operator()<float>(options, named);
  };
  about.clusterer.full = [make](const MethodOptions& options, bool named) {
    return make.template operator()<double>(options, named);
  };
  return about;
}

// What of all methods' options has a place in those of an algorithm, which has its own where nobody asks.
template <class Own>
Own with_common(Own own, const MethodOptions& options) {
  own.time_limit = options.time_limit;
  own.seed = options.seed;
  if (options.max_iterations > 0) own.max_iterations = options.max_iterations;
  return own;
}

// Bytes of centres, their sums and weights, as a flat result has them.
inline double described_bytes(const Workload& work, const MethodOptions& options) {
  return static_cast<double>(options.k) *
         (work.features * (sizeof(double) + 2 * work.width) + work.items * 2 * work.width);
}

// Nonzeros of the graph of the items, where nobody says how many.
inline double edges_of(const Workload& work) {
  return work.edges > 0 ? work.edges : work.items * (std::log2(std::max(work.items, 1.0)) + 1);
}

}  // namespace copse
