// From a folder of documents to report.html, against an installed copse: documents_to_page FOLDER OUTPUT
#include <copse/copse.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc != 3) return std::fputs("usage: documents_to_page FOLDER OUTPUT\n", stderr), 2;
  copse::TreeRunOptions options;
  options.input = copse::documents_at(argv[1]);
  options.tree.leaves = 2;
  auto result = copse::run_tree<float>(options);
  copse::write_result(argv[2], result);  // report.html, tree.json, assignments.tsv, model.safetensors, result.json
  for (const copse::Topic& topic : result.report.topics)
    std::printf("%lld documents: %s ...\n", static_cast<long long>(topic.size), topic.words[0].name.c_str());
} catch (const copse::Error& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 1;
}
