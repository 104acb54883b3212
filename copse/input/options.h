// The options of what is read: their rows stand in options.cpp.
#pragma once

#include "copse/input/graph_input.h"
#include "copse/input/input.h"
#include "copse/input/joint_input.h"
#include "copse/options/option.h"

namespace copse {

template <>
const OptionRows& rows<PrepareOptions>();
template <>
const OptionRows& rows<DocumentOptions>();
template <>
const OptionRows& rows<DocumentInputOptions>();
template <>
const OptionRows& rows<ReadOptions>();
template <>
const OptionRows& rows<InputOptions>();  // of documents if options.documents is there, else of a matrix
template <>
const OptionRows& rows<JointInput>();
template <>
const OptionRows& rows<GraphInputOptions>();  // of the items of a matrix, or of a graph that is given

}  // namespace copse
