// New items into the topics of an earlier result.
#pragma once

#include <string>
#include <vector>

#include "copse/base/events.h"
#include "copse/matrix/data.h"
#include "copse/model/flat_model.h"
#include "copse/model/stored_result.h"
#include "copse/model/tree_model.h"
#include "copse/text/documents.h"

namespace copse {

// Where new items come from: documents or a matrix, as the result has it.
struct NewItemsOptions {
  std::string path;
  std::string text_column, id_column;  // empty: as in the run that made the result
  std::string feature_names, item_names;
  DocumentFormat format = DocumentFormat::automatic;
  bool skip_bad = false;
};

// Items as the model sees them.
template <class T>
struct NewItems {
  Dataset<T> data;                 // the model's features x items, weighed
  std::vector<std::string> names;  // of the items
  std::vector<char> is_known;      // has a feature that the model knows
  std::vector<std::string> notes;
};

struct PlacedItem {
  std::string cluster;    // the number of a flat topic, or the id of a leaf (by flattening); "none", or -1 in a matrix
  double weight = 0;      // a flat topic: the coefficient; a tree: the share of the coefficients
  std::string leaf = {};  // of a tree: where the splits lead; "outlier" for a part that was dropped
};

// Reads new items, matches their features with the model's and weighs them as the model's items were. Throws
// InputError.
template <class T>
NewItems<T> read_new_items(const NewItemsOptions& options, const Settings& settings, const ModelItems& items,
                           const RunEvents& events = {});

// The same for a matrix or counts of the model's vocabulary that are already in memory. Features are matched by name
// where both sides have names, else by number. Throws InputError where they do not fit.
template <class T>
NewItems<T> match_items(Dataset<T> data, const Settings& settings, const ModelItems& items);

// The first half of it: the features become those of the model, in its order. Returns what was left out, as sentences.
template <class T>
std::vector<std::string> match_features(const ModelItems& items, Dataset<T>& data);

// Whether match_items() would leave such data as it is: nothing to reorder, to leave out or to weigh.
bool fits_as_it_is(Index features, const std::vector<std::string>& names, const Settings& settings,
                   const ModelItems& items);

// H' (items x k): the coefficients of items for the topics of the model, or of the tree's leaves.
template <class T, class Model>
Matrix<T> coefficients(const Model& model, const NewItems<T>& items);
// The same for data that match_items() would leave as it is.
template <class T>
Matrix<T> coefficients(const FlatModel& model, const Data<T>& x);
template <class T>
Matrix<T> coefficients(const TreeModel& model, const Data<T>& x);

template <class T>
std::vector<PlacedItem> place(const FlatModel& model, const NewItems<T>& items);
template <class T>
std::vector<PlacedItem> place(const TreeModel& model, const NewItems<T>& items);

// Items with the places that they got.
struct PlacedItems {
  std::vector<std::string> names;
  std::vector<PlacedItem> items;
  std::vector<std::string> notes;
};
// Reads new items and places them. Of a file that can be read in blocks of items (.copse) a few blocks are in memory at
// a time. Throws InputError.
PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const FlatModel& model,
                            const RunEvents& events = {});
PlacedItems place_new_items(const NewItemsOptions& options, const Settings& settings, const TreeModel& model,
                            const RunEvents& events = {});

// Places the items that preparation kept out of the fit, and notes their topics in model.items, which has their
// numbers. `outside` has their entries, not weighed; null where there are none. Model is a FlatModel or TreeModel that
// is complete but for them.
template <class T, class Model>
void place_outside(const Dataset<T>* outside, const Settings& settings, Model& model);

}  // namespace copse
