// The processes of a communicator of mpi4py as a team.
#pragma once

#include "copse/engines/mpi/message_team.h"
#include "python/src/bind.h"

namespace copse::python {

// `processes` is a Processes of copse/_processes.py. Messages are sent by the thread that asks for them, with the GIL.
class ProcessTeam final : public MessageTeam {
 public:
  explicit ProcessTeam(nb::object processes);

 private:
  void all_gather(std::span<const char> own, std::span<char> all) const override;
  void all_gather_parts(std::span<char> bytes, std::span<const Index> starts) const override;
  void exchange(std::span<const char> bytes, std::span<const Index> starts, std::span<char> received) const override;
  void gather_parts(std::span<const char> own, std::span<const Index> starts, std::span<char> all) const override;

  nb::object processes_;
};

}  // namespace copse::python
