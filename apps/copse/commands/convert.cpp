// copse convert: a matrix from one file format to another.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "apps/copse/commands/input_options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
#include "apps/copse/terminal/words.h"
#include "copse/input/options.h"
#include "copse/io/stream_convert.h"

namespace copse {
namespace {

constexpr const char* convert_description =
    "a matrix from one file format to another\n"
    "Reads .copse, MatrixMarket (.mtx), .npy, SciPy .npz, .csv, .tsv, .h5ad or 10x data (.h5, folders) and writes the "
    "format that the name of the new "
    "file asks for; .gz or .zst at the end compresses it. The new file appears only when it is complete. A .copse file "
    "is small, quick to read and checked, and can be read in parts; .copse, .csv, .tsv and .npz keep names.";

constexpr const char* convert_examples =
    "To the format that reads fastest:\n"
    "  copse convert X.mtx.gz X.copse\n"
    "Documents from rows to columns:\n"
    "  copse convert --transpose counts.csv counts.mtx.zst";

struct ConvertOptions {
  std::string from;
  std::string to;
  bool transpose = false;
  ReadOptions reading;
  OutputOptions output;
  MachineOptions machine{.precision = Precision::full};
};

OptionRows convert_rows() {
  using Of = ConvertOptions;
  RowsOf<Of> rows;
  make_argument(rows.row("from", &Of::from, "The matrix to read; - is stdin").as(OptionKind::file), "IN");
  make_argument(rows.row("to", &Of::to, "The file to write").as(OptionKind::file), "OUT");
  rows.nest(&Of::reading).leave_out({"items"});
  rows.row("transpose", &Of::transpose, "Make rows columns and columns rows").in("Output");
  return rows.done();
}

template <class T>
int run(const ConvertOptions& options) {
  Terminal terminal(options.output.quiet);
  const auto start = std::chrono::steady_clock::now();
  const auto tell = [&](Index features, Index items, Index nonzeros) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    terminal.say(fmt::format("{}: {} x {}, {} nonzeros, in {}", options.to, counted(features), counted(items),
                             counted(nonzeros), in_seconds(seconds)));
  };
  with_threads(options.machine.threads, &interruption(), [&] {
    ReadOptions reading = options.reading;
    reading.transposed = options.transpose;
    reading.memory_limit = static_cast<std::size_t>(options.machine.memory_limit);
    terminal.show("reading " + options.from + " ...");
    // What can be read in parts is never in memory as a whole.
    if (options.to.ends_with(".copse")) {
      if (const auto streamed = stream_to_copse<T>(options.from, options.to, reading)) {
        for (const std::string& note : streamed->notes) terminal.say("note: " + note);
        tell(streamed->features, streamed->items, streamed->entries);
        return;
      }
    }
    const ReadResult<T> matrix = read_matrix<T>(options.from, reading);
    for (const std::string& note : matrix.notes) terminal.say("note: " + note);
    terminal.show("writing " + options.to + " ...");
    write_matrix(options.to, matrix.dataset, matrix.labels);
    tell(matrix.dataset.features(), matrix.dataset.items(), matrix.dataset.nonzeros());
  });
  return 0;
}

}  // namespace

void add_convert(Program& program) {
  auto options = std::make_shared<ConvertOptions>();
  program
      .add("convert", convert_description, convert_examples,
           [options] { return with_precision(options->machine.precision, [&]<class T> { return run<T>(*options); }); })
      .add(*options, convert_rows())
      .add(options->output, only(copse::rows<OutputOptions>(), {"quiet"}))
      .add(options->machine);
}

}  // namespace copse
