// New items into the topics of an earlier result.
#pragma once

#include <string>
#include <vector>

#include "copse/matrix/data.h"
#include "copse/result/flat_model.h"
#include "copse/result/stored_result.h"
#include "copse/result/tree_model.h"

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
  std::vector<char> is_short;      // documents with too few known words
  std::vector<std::string> notes;
};

struct PlacedItem {
  std::string cluster;  // the number of a flat topic, the id of a leaf, or a group: outlier, short, -1
  double weight = 0;
  std::string flat = {};  // of a tree: the leaf by flattening
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

// H' (items x k): the coefficients of items for the topics of the model, or of the tree's leaves. Those of a document
// that is too short are zero.
template <class T, class Model>
Matrix<T> coefficients(const Model& model, const Settings& settings, const NewItems<T>& items);
// The same for data that match_items() would leave as it is.
template <class T>
Matrix<T> coefficients(const FlatModel<T>& model, const Settings& settings, const Data<T>& x);
template <class T>
Matrix<T> coefficients(const TreeModel<T>& model, const Settings& settings, const Data<T>& x);

template <class T>
std::vector<PlacedItem> place(const FlatModel<T>& model, const Settings& settings, const NewItems<T>& items);
template <class T>
std::vector<PlacedItem> place(const TreeModel<T>& model, const Settings& settings, const NewItems<T>& items);

}  // namespace copse
