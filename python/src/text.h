// Documents that a model has not seen, and what is needed to weigh them.
#pragma once

#include "python/src/items.h"

namespace copse::python {

// What turns documents into a matrix: a model without topics.
struct TextModel {
  Settings settings;
  ModelItems items;  // without those that tell about items
};
TextModel text_model(const RunReport& report, const ModelItems& items);

// Strings as a model sees them. Works without the GIL.
template <class T>
NewItems<T> new_documents(const nb::list& documents, const Settings& settings, const ModelItems& items, int threads);

}  // namespace copse::python
