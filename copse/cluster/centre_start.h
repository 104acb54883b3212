// Which items K-means and its kin begin with.
#pragma once

namespace copse {

enum class CentreStart { plus_plus, random };  // spread out [Arthur & Vassilvitskii 2007], or any

}  // namespace copse
