// A tree whose rank-2 factorizations run on a device.
#pragma once

#include <memory>

#include "copse/engines/opencl/opencl_pairs.h"
#include "copse/tree/node_data.h"

namespace copse {

// Of fewer entries a read takes less time than the way to a device and back.
inline constexpr Index least_entries_on_device = 1 << 16;

// Nodes of `host` with at least so many entries are read on the device: W goes there and X H' comes back, and the
// coefficients once, when a factorization has ended. Smaller ones stay where they are. What it refers to must outlive
// it. `host` must be sparse and in memory.
template <class T>
std::unique_ptr<TreeData<T>> tree_on_device(std::unique_ptr<TreeData<T>> host, const OpenClWorkshop<T>& workshop,
                                            Index least_entries = least_entries_on_device);

}  // namespace copse
