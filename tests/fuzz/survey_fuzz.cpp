// The kept runs of a survey, damaged by values under right checksums or by bytes, are taken up or refused with a
// sentence.
#include <limits>

#include "copse/base/error.h"
#include "copse/base/parallel.h"
#include "copse/generate/corpus.h"
#include "copse/model/record_log.h"
#include "copse/model/run_bytes.h"
#include "copse/run/choose_run.h"
#include "tests/fuzz/fuzz_folder.h"

namespace copse::fuzz {
namespace {

struct Base {
  Base()
      : data(generate_corpus<float>({.documents = 24, .terms = 120, .k = 2, .terms_per_document = 8, .seed = 1}).data) {
    options.survey.ks = {1, 2, 3};
    options.survey.runs = 2;
    options.flat.nmf.max_iterations = 5;
    options.survey.hold_out.max_iterations = 5;
    options.run_log = (folder.path() / "runs").string();
    options.worker_logs = (folder.path() / "worker-").string();
    options.survey.kinds = {RunKind::split, RunKind::null_split, RunKind::resample,
                            RunKind::start, RunKind::hold_out,   RunKind::perturbed};
    run_survey(data, options);
    log = read_file(options.run_log);
    std::memcpy(&mark, log.data() + 8, sizeof mark);
    read_records(options.run_log, mark, [&](std::int64_t, const std::string& bytes) { runs.push_back(bytes); });
    options.resume = true;
  }
  Folder folder;
  Dataset<float> data;
  ChooseRunOptions options;
  std::string log;
  std::uint64_t mark = 0;
  std::vector<std::string> runs;
};

void damage(Bytes& bytes, RunRecord& record) {
  switch (bytes.byte() % 8) {
    case 0:
      record.labels.resize(bytes.below(60));
      return;
    case 1:
      if (!record.labels.empty())
        record.labels[bytes.below(record.labels.size())] = hostile<std::int32_t>(bytes, record.labels.size());
      return;
    case 2:
      record.values.resize(bytes.byte() % 6, hostile<double>(bytes, 0));
      return;
    case 3:
      for (double& value : record.values) value = hostile<double>(bytes, 0);
      return;
    case 4:
      record.components.reshape(static_cast<Index>(bytes.below(5)), static_cast<Index>(bytes.below(80)));
      for (float& value : record.components.values()) value = hostile<float>(bytes, 0);
      return;
    case 5:
      record.key.k = hostile<Index>(bytes, 3);
      return;
    case 6:
      record.key.number = hostile<int>(bytes, 2);
      return;
    default:
      record.key.kind = static_cast<RunKind>(bytes.byte() % 16);
  }
}

}  // namespace
}  // namespace copse::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace copse;
  using namespace copse::fuzz;
  static const Base base;
  Bytes bytes(data, size);
  if (bytes.byte() % 4 == 0) {
    std::string log = base.log;
    for (std::size_t left = bytes.byte() % 8; left-- > 0;) log[bytes.below(log.size())] ^= char(bytes.byte());
    if (bytes.byte() % 4 == 0) log.resize(bytes.below(log.size()));
    write_file(base.options.run_log, log);
  } else {
    RecordLog log(base.options.run_log, base.mark, false);
    for (const std::string& run : base.runs) {
      RunRecord record = unpacked(run);
      if (bytes.byte() % 4 == 1) damage(bytes, record);
      std::string packed_run = packed(record);
      if (bytes.byte() % 16 == 1) packed_run[bytes.below(packed_run.size())] ^= char(bytes.byte());
      log.append(packed_run);
    }
  }
  with_threads(1, nullptr, [&] {
    try {
      run_survey(base.data, base.options);
    } catch (const InputError&) {
    }
  });
  return 0;
}
