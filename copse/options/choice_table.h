// COPSE_CHOICES(Value, {"word", value}, ...) defines the words of a choice, in a source file.
#pragma once

#include "copse/options/choices.h"

// A table is made at its first use and stays.
#define COPSE_CHOICES(Value, ...)                      \
  template <>                                          \
  const Choices<Value>& choices() {                    \
    static const Choices<Value> table = {__VA_ARGS__}; \
    return table;                                      \
  }
