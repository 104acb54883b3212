// The words for the choices of surveys; see options/choices.h.
#pragma once

#include "copse/choose/answer.h"
#include "copse/options/choices.h"

namespace copse {

template <>
const Choices<Null>& choices();
template <>
const Choices<Average>& choices();
template <>
const Choices<Question>& choices();
template <>
const Choices<RunKind>& choices();

}  // namespace copse
