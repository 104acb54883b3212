// A project outside the tree that uses an installed copse.
#include <copse/kernels/in_memory.h>

#include <cstdio>

int main() {
  // Three items over two features; row j is item j.
  copse::Matrix<double> items(3, 2);
  items(0, 0) = 1;
  items(1, 1) = 2;
  items(2, 1) = 4;
  const copse::DenseData<double> x(items);
  std::printf("%lld features, %lld items, |X|^2 = %g\n", static_cast<long long>(x.rows()),
              static_cast<long long>(x.cols()), x.squared_norm());
  return x.squared_norm() == 21 ? 0 : 1;
}
