// copse report: the page of a result.
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/copse/commands/options.h"
#include "apps/copse/program.h"
#include "apps/copse/terminal/interrupt.h"
#include "apps/copse/terminal/terminal.h"
#include "copse/base/error.h"
#include "copse/base/version.h"
#include "copse/describe/read_result.h"
#include "copse/io/folder_lock.h"
#include "copse/io/output_file.h"
#include "copse/io/result_folder.h"
#include "copse/report/graph_page.h"
#include "copse/report/result_page.h"
#include "copse/report/segment_report.h"

namespace copse {
namespace {

constexpr const char* report_description =
    "the page of a result\n"
    "Takes the folder that `topics`, `tree`, `factor` or `graph` wrote with -o and writes report.html into it: the "
    "topics with their words and documents, or the communities of a graph, on one page that opens in any browser, from "
    "disk and without a network. The runs write "
    "it "
    "themselves; this makes it again, in another place or with other limits.";

constexpr const char* report_examples =
    "The page again:\n"
    "  copse report out\n"
    "A larger one, elsewhere:\n"
    "  copse report out -o topics.html --texts 2000 --size 30M";

struct ReportOptions {
  std::string folder;
  std::string output;
  std::string title;
  PageLimits limits;
  double size = 0;
  OutputOptions said;
  MachineOptions machine;
};

OptionRows report_rows() {
  using Of = ReportOptions;
  RowsOf<Of> rows;
  make_argument(rows.row("result", &Of::folder, "The folder of a result").as(OptionKind::folder), "RESULT");
  rows.row("output", &Of::output, "Write the page into this file")
      .as(OptionKind::file)
      .spell("--output,-o")
      .otherwise("report.html in the folder");
  rows.row("title", &Of::title, "Its title").otherwise("the name of the data");
  rows.row(
          "texts", [](Of & options) -> auto& { return options.limits.texts; }, "Documents whose text is inside at most")
      .within(0, 100000);
  rows.row("size", &Of::size, "Bytes that the file may have").as(OptionKind::bytes).otherwise("10M");
  return rows.headed(1, "Output").done();
}

std::string topics_page(const StoredResult& stored, const ReportOptions& options) {
  const StoredView result = read_view(stored);
  Page page = page_of(result.view, result.items, stored.report);
  if (!options.title.empty()) page.title = options.title;
  PageLimits limits = options.limits;
  if (options.size > 0) limits.bytes = static_cast<Index>(options.size);
  return page_html(page, limits);
}

std::string graph_page(const StoredResult& stored, const ReportOptions& options) {
  GraphPageLimits limits;
  if (options.size > 0) limits.bytes = static_cast<Index>(options.size);
  return graph_page_html(read_graph_result(stored), options.title, limits);
}

int run(const ReportOptions& options) {
  Terminal terminal(options.said.quiet);
  if (!page_is_built()) throw InputError("this program was built without the page; build it where Node.js is.");
  const bool inside = options.output.empty();
  const std::string path = inside ? options.folder + "/report.html" : options.output;
  StoredResult(options.folder);    // a folder without a result is refused before it is touched
  std::optional<FolderLock> lock;  // a page beside a result is that of the result
  if (inside) lock.emplace(options.folder);
  const StoredResult stored(options.folder);
  if (!inside) refuse_parts_of_result(path, options.folder);
  with_threads(options.machine.threads, &interruption(), [&] {
    terminal.show("reading " + options.folder + " ...");
    const std::string html = stored.is_segmentation() ? segment_page(stored, options.title)
                             : stored.is_graph()      ? graph_page(stored, options)
                                                      : topics_page(stored, options);
    OutputFile file(path, inside ? OutputLinks::replace : OutputLinks::follow);
    file.write(html);
    file.commit();
  });
  if (options.said.json) {
    const nlohmann::ordered_json json = {{"command", "report"}, {"version", version()}, {"page", path}};
    print_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else {
    terminal.say("written: " + path);
  }
  return interrupted_exit_code();
}

}  // namespace

void add_report(Program& program) {
  auto options = std::make_shared<ReportOptions>();
  program.add("report", report_description, report_examples, [options] { return run(*options); })
      .add(*options, report_rows())
      .add(options->said, only(copse::rows<OutputOptions>(), {"json", "quiet"}))
      .add(options->machine, only(copse::rows<MachineOptions>(), {"threads"}));
}

}  // namespace copse
