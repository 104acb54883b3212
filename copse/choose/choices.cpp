#include "copse/choose/choices.h"

#include "copse/options/choice_table.h"

namespace copse {

COPSE_CHOICES(Null, {"automatic", Null::automatic}, {"box", Null::box}, {"shuffled", Null::shuffled})
COPSE_CHOICES(Average, {"mean", Average::mean}, {"median", Average::median})
COPSE_CHOICES(Question, {"clusters", Question::clusters}, {"components", Question::components})
COPSE_CHOICES(RunKind, {"split", RunKind::split}, {"null-split", RunKind::null_split},
              {"shuffled-split", RunKind::shuffled_split}, {"resample", RunKind::resample}, {"start", RunKind::start},
              {"hold-out", RunKind::hold_out}, {"bi-cross", RunKind::bi_cross}, {"gap", RunKind::gap},
              {"null-gap", RunKind::null_gap}, {"perturbed", RunKind::perturbed})

}  // namespace copse
