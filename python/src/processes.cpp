#include "python/src/processes.h"

#include <utility>

#include "copse/base/error.h"

namespace copse::python {
namespace {

// NumPy's view of bytes that stay where they are.
nb::object view_of(std::span<const char> bytes) {
  const std::size_t shape[] = {bytes.size()};
  auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
  return nb::cast(nb::ndarray<nb::numpy, unsigned char>(data, 1, shape), nb::rv_policy::reference);
}

nb::list list_of(std::span<const Index> numbers) {
  nb::list list;
  for (const Index number : numbers) list.append(number);
  return list;
}

}  // namespace

ProcessTeam::ProcessTeam(nb::object processes) : processes_(std::move(processes)) {
  join(nb::cast<int>(processes_.attr("rank")), nb::cast<int>(processes_.attr("size")));
}

void ProcessTeam::all_gather(std::span<const char> own, std::span<char> all) const {
  const nb::gil_scoped_acquire gil;
  processes_.attr("all_gather")(view_of(own), view_of(all));
}

void ProcessTeam::all_gather_parts(std::span<char> bytes, std::span<const Index> starts) const {
  const nb::gil_scoped_acquire gil;
  processes_.attr("all_gather_parts")(view_of(bytes), list_of(starts));
}

void ProcessTeam::exchange(std::span<const char> bytes, std::span<const Index> starts, std::span<char> received) const {
  const nb::gil_scoped_acquire gil;
  processes_.attr("exchange")(view_of(bytes), list_of(starts), view_of(received));
}

void ProcessTeam::gather_parts(std::span<const char>, std::span<const Index>, std::span<char>) const {
  throw InvalidArgument("In Python everyone keeps its own items.");
}

}  // namespace copse::python
