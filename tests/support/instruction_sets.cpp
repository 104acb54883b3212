#include "tests/support/instruction_sets.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace copse::testing {

void for_each_instruction_set(const std::function<void()>& test) {
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace copse::testing
