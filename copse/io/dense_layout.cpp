#include "copse/io/dense_layout.h"

namespace copse {

DenseLayout dense_layout(Index rows, Index cols, bool by_column, Items items) {
  const Index row_step = by_column ? 1 : cols, column_step = by_column ? rows : 1;
  if (items == Items::columns)
    return {.features = rows, .items = cols, .feature_step = row_step, .item_step = column_step};
  return {.features = cols, .items = rows, .feature_step = column_step, .item_step = row_step};
}

}  // namespace copse
