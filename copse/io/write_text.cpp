#include <algorithm>
#include <charconv>
#include <string>

#include "copse/base/parallel.h"
#include "copse/io/matrix_writers.h"

namespace copse {
namespace {

template <class Number>
void append_number(std::string& text, Number number) {
  char digits[40];
  // The shortest text that reads back as the same number.
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  text.append(digits, end);
}

// Writes format(i, text) for i = 0 ... count - 1 in order, formatting many at once.
template <class Format>
void write_in_order(Output& output, Index count, Index block, const Format& format) {
  constexpr Index batch = 32;
  std::vector<std::string> texts(batch);
  for (Index first = 0; first < count; first += batch * block) {
    const Index last = std::min(count, first + batch * block);
    parallel_blocks(last - first, block, [&](Index begin, Index end) {
      std::string& text = texts[static_cast<std::size_t>(begin / block)];
      for (Index i = begin; i < end; ++i) format(first + i, text);
    });
    for (std::string& text : texts) {
      output.write(text);
      text.clear();
    }
  }
}

void append_name(std::string& text, const std::vector<std::string>& names, Index number, char delimiter) {
  if (names.empty()) return append_number(text, number + 1);
  const std::string& name = names[static_cast<std::size_t>(number)];
  const bool plain = name.find_first_of(std::string("\"\r\n") + delimiter) == std::string::npos &&
                     !name.starts_with(' ') && !name.ends_with(' ');
  if (plain) {
    text += name;
    return;
  }
  text += '"';
  for (char c : name) {
    if (c == '"') text += '"';
    text += c == '\n' || c == '\r' ? ' ' : c;
  }
  text += '"';
}

// rows: one line each, value(row, j) in its columns.
template <class Row>
void write_delimited(Output& output, Index features, Index items, const std::vector<std::string>& feature_names,
                     const std::vector<std::string>& item_names, char delimiter, const Row& append_row) {
  const bool named = !feature_names.empty() || !item_names.empty();
  if (named) {
    std::string header;
    for (Index j = 0; j < items; ++j) {
      header += delimiter;
      append_name(header, item_names, j, delimiter);
    }
    output.write(header + "\n");
  }
  const Index block = std::clamp<Index>(100000 / std::max<Index>(items, 1), 1, 1000);
  write_in_order(output, features, block, [&](Index i, std::string& text) {
    if (named) {
      append_name(text, feature_names, i, delimiter);
      text += delimiter;
    }
    append_row(i, text);
    text.back() = '\n';
  });
}

template <class T>
void write_delimited(Output& output, const Dataset<T>& dataset, char delimiter) {
  const Index features = dataset.features(), items = dataset.items();
  const auto write = [&](const auto& append_row) {
    write_delimited(output, features, items, dataset.feature_names, dataset.item_names, delimiter, append_row);
  };
  if (dataset.is_sparse()) {
    const SparseMatrix<T> rows = transpose<T>(std::get<SparseMatrix<T>>(dataset.values));
    write([&](Index i, std::string& text) {
      Index p = rows.offsets[static_cast<std::size_t>(i)];
      for (Index j = 0; j < items; ++j) {
        const bool stored =
            p < rows.offsets[static_cast<std::size_t>(i) + 1] && rows.indices[static_cast<std::size_t>(p)] == j;
        append_number(text, stored ? rows.values[static_cast<std::size_t>(p++)] : T(0));
        text += delimiter;
      }
    });
  } else {
    const auto& x = std::get<Matrix<T>>(dataset.values);
    write([&](Index i, std::string& text) {
      for (Index j = 0; j < items; ++j) {
        append_number(text, x(j, i));
        text += delimiter;
      }
    });
  }
}

}  // namespace

template <class T>
void write_matrix_market(Output& output, const Dataset<T>& dataset) {
  const std::string sizes = std::to_string(dataset.features()) + " " + std::to_string(dataset.items());
  if (dataset.is_sparse()) {
    const auto& x = std::get<SparseMatrix<T>>(dataset.values);
    output.write("%%MatrixMarket matrix coordinate real general\n" + sizes + " " + std::to_string(x.nonzeros()) + "\n");
    write_in_order(output, x.cols, 512, [&](Index j, std::string& text) {
      for (auto p = static_cast<std::size_t>(x.offsets[static_cast<std::size_t>(j)]);
           p < static_cast<std::size_t>(x.offsets[static_cast<std::size_t>(j) + 1]); ++p) {
        append_number(text, x.indices[p] + 1);
        text += ' ';
        append_number(text, j + 1);
        text += ' ';
        append_number(text, x.values[p]);
        text += '\n';
      }
    });
  } else {
    const auto& x = std::get<Matrix<T>>(dataset.values);
    output.write("%%MatrixMarket matrix array real general\n" + sizes + "\n");
    write_in_order(output, x.rows(), 64, [&](Index j, std::string& text) {
      for (T value : x.row(j)) {
        append_number(text, value);
        text += '\n';
      }
    });
  }
}

template <class T>
void write_csv(Output& output, const Dataset<T>& dataset) {
  write_delimited(output, dataset, ',');
}

template <class T>
void write_tsv(Output& output, const Dataset<T>& dataset) {
  write_delimited(output, dataset, '\t');
}

template void write_matrix_market(Output&, const Dataset<float>&);
template void write_matrix_market(Output&, const Dataset<double>&);
template void write_csv(Output&, const Dataset<float>&);
template void write_csv(Output&, const Dataset<double>&);
template void write_tsv(Output&, const Dataset<float>&);
template void write_tsv(Output&, const Dataset<double>&);

}  // namespace copse
