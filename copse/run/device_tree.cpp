#include "copse/run/device_tree.h"

#include <utility>

#include "copse/tree/compressed_items.h"

namespace copse {
namespace {

template <class T>
std::unique_ptr<NodeData<T>> on_device(std::unique_ptr<NodeData<T>> host, const OpenClWorkshop<T>& workshop,
                                       Index least_entries);

// The items stand on the host as well, for samples and for what is left when some are dropped.
template <class T>
class DeviceNode : public NodeData<T> {
 public:
  DeviceNode(std::unique_ptr<NodeData<T>> host, const OpenClWorkshop<T>& workshop, Index least_entries)
      : NodeData<T>({host->terms().begin(), host->terms().end()},
                    {host->squared_norms().begin(), host->squared_norms().end()}, host->exponent(), host->entries()),
        host_(std::move(host)),
        entries_of_host_(dynamic_cast<const CompressedItems<T>&>(*host_)),
        workshop_(workshop),
        least_entries_(least_entries) {}

  Index items() const override { return host_->items(); }
  Index entries() const override { return host_->entries(); }

  std::unique_ptr<NodeData<T>> part(const SampledItems& chosen) const override {
    return on_device(host_->part(chosen), workshop_, least_entries_);
  }

  // The coefficients of the last read; nobody looks at them before.
  void share_rows(Matrix<T>& h) const override {
    if (pairs_) pairs_->coefficients(h);
  }

  void sweep(const Matrix<T>& w, const PairGram& ww, Sweep<T>& out) const override {
    take(pairs().sweep(w, TwoColumns<T>(ww.a, ww.b, ww.c), out.xh), out);
  }
  void project(const Matrix<T>& v, Sweep<T>& out) const override { take(pairs().project(v, nullptr, out.xh), out); }
  void spread(Sweep<T>& out) const override { take(pairs().spread(out.h, out.xh), out); }
  void power_step(const Matrix<T>& v, std::span<const char> in_first, Sweep<T>& out) const override {
    take(pairs().project(v, in_first.data(), out.xh), out);
  }

 private:
  // Sent when it is first read.
  OpenClPairs<T>& pairs() const {
    if (!pairs_) pairs_ = std::make_unique<OpenClPairs<T>>(workshop_, entries_of_host_.compressed());
    return *pairs_;
  }
  void take(const OpenClSums& sums, Sweep<T>& out) const {
    out.h.reshape(items(), 2);
    out.hh = {sums.a, sums.b, sums.c};
    out.fitted = sums.fitted;
  }

  void drop_items(std::span<const char> kept, int /*shift*/) override {
    host_->keep(kept);
    pairs_.reset();
  }
  Index entries_of(std::span<const char> kept) const override { return entries_of_host_.entries_left(kept); }

  std::unique_ptr<NodeData<T>> host_;
  const CompressedItems<T>& entries_of_host_;
  const OpenClWorkshop<T>& workshop_;
  Index least_entries_;
  mutable std::unique_ptr<OpenClPairs<T>> pairs_;
};

template <class T>
std::unique_ptr<NodeData<T>> on_device(std::unique_ptr<NodeData<T>> host, const OpenClWorkshop<T>& workshop,
                                       Index least_entries) {
  if (host->entries() < least_entries) return host;
  return std::make_unique<DeviceNode<T>>(std::move(host), workshop, least_entries);
}

template <class T>
class DeviceTreeData : public TreeData<T> {
 public:
  DeviceTreeData(std::unique_ptr<TreeData<T>> host, const OpenClWorkshop<T>& workshop, Index least_entries)
      : host_(std::move(host)), workshop_(workshop), least_entries_(least_entries) {}

  Index rows() const override { return host_->rows(); }
  Index cols() const override { return host_->cols(); }
  Index entries() const override { return host_->entries(); }
  std::span<const double> squared_norms() const override { return host_->squared_norms(); }
  int exponent() const override { return host_->exponent(); }
  // One after the other: each has the device to itself.
  bool nodes_at_once() const override { return false; }
  std::unique_ptr<NodeData<T>> cut(std::span<const RowIndex> items) const override {
    return on_device(host_->cut(items), workshop_, least_entries_);
  }

 private:
  std::unique_ptr<TreeData<T>> host_;
  const OpenClWorkshop<T>& workshop_;
  Index least_entries_;
};

}  // namespace

template <class T>
std::unique_ptr<TreeData<T>> tree_on_device(std::unique_ptr<TreeData<T>> host, const OpenClWorkshop<T>& workshop,
                                            Index least_entries) {
  return std::make_unique<DeviceTreeData<T>>(std::move(host), workshop, least_entries);
}

template std::unique_ptr<TreeData<float>> tree_on_device(std::unique_ptr<TreeData<float>>, const OpenClWorkshop<float>&,
                                                         Index);
template std::unique_ptr<TreeData<double>> tree_on_device(std::unique_ptr<TreeData<double>>,
                                                          const OpenClWorkshop<double>&, Index);

}  // namespace copse
