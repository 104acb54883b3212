#include "copse/text/documents.h"

#include <gmock/gmock.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>

#include "copse/base/error.h"

namespace copse {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Read {
  std::vector<Document> documents;
  ReadReport report;
};

Read read_all(DocumentReader& reader) {
  Read result;
  Document document;
  while (reader.next(document)) result.documents.push_back(document);
  result.report = reader.report();
  return result;
}

Read read(const std::string& bytes, const DocumentOptions& options) {
  return read_all(*read_documents(bytes, "docs", options));
}

std::vector<std::string> texts(const Read& read) {
  std::vector<std::string> list;
  for (const Document& document : read.documents) list.push_back(document.text);
  return list;
}

// What the sentence of the InputError says.
std::string sentence(const std::string& bytes, const DocumentOptions& options) {
  try {
    read(bytes, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was wrong";
}

const DocumentOptions json = {.format = DocumentFormat::json_lines};
const DocumentOptions table = {.format = DocumentFormat::table};
const DocumentOptions lines = {.format = DocumentFormat::lines};

DocumentOptions skipping(DocumentOptions options) {
  options.skip_bad = true;
  return options;
}

class Folder {
 public:
  Folder() : path_(fs::path(testing::TempDir()) / ("documents_test." + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const fs::path& path() const { return path_; }
  fs::path write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  fs::path write_gzip(const std::string& name, const std::string& bytes, int times = 1) const {
    gzFile file = gzopen((path_ / name).c_str(), "wb");
    for (int i = 0; i < times; ++i) gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path_ / name;
  }

 private:
  fs::path path_;
};

TEST(DocumentSource, ReadsTextsInMemoryAgain) {
  const std::string first = "one";
  const std::string second = std::string("b\xFF") + "d \xC3\xA4\xC3\xB6";
  const DocumentSource source({first, "", second});
  for (int pass = 0; pass < 2; ++pass) {
    const Read read = read_all(*source.open());
    EXPECT_THAT(texts(read), ElementsAre("one", "",
                                         "b\xC3\xBF"
                                         "d \xC3\xA4\xC3\xB6"));
    EXPECT_EQ(read.documents[2].id, "2");
    EXPECT_EQ(read.report.repaired, 1);
  }
  const std::vector<Index> last = {2};
  EXPECT_EQ(source.read(last, 8).at(0).text,
            "b\xC3\xBF"
            "d \xC3\xA4");
}

TEST(JsonLines, ReadsTheFields) {
  const Read found = read(
      "{\"id\": \"a\", \"text\": \"one \\u00e9 \\\"x\\\"\", \"label\": 4, \"date\": \"2020-01-02\", \"more\": [1, "
      "{}]}\n"
      "\n"
      "{\"text\": \"two\", \"label\": null, \"title\": \"T\"}\r\n"
      "{\"text\": \"\", \"id\": 12345678901234567}",
      json);
  ASSERT_THAT(texts(found), ElementsAre("one é \"x\"", "two", ""));
  EXPECT_EQ(found.documents[0].id, "a");
  EXPECT_EQ(found.documents[0].label, "4");
  EXPECT_EQ(found.documents[0].time, "2020-01-02");
  EXPECT_EQ(found.documents[1].id, "2");
  EXPECT_EQ(found.documents[1].label, "");
  EXPECT_EQ(found.documents[1].title, "T");
  EXPECT_EQ(found.documents[2].id, "12345678901234567");
}

TEST(JsonLines, NamesTheLineOfWhatIsWrong) {
  const std::string good = "{\"text\": \"x\"}\n";
  EXPECT_EQ(sentence(good + "{\"body\": \"x\", \"id\": 1}\n", json),
            "docs, line 2: the object has no field 'text'; it has 'body', 'id'.");
  EXPECT_EQ(sentence(good + good + "{\"text\": 5}", json),
            "docs, line 3: the field 'text' is a number, and a string was expected.");
  EXPECT_EQ(sentence("[1, 2]\n", json), "docs, line 1: a JSON object was expected, and this is '[1, 2]'.");
  EXPECT_THAT(sentence("{\"text\": \"x\"", json), HasSubstr("docs, line 1: this is not JSON"));
  EXPECT_THAT(sentence("{\"text\": \"x\"} {}", json), HasSubstr("docs, line 1: this is not JSON"));
  EXPECT_THAT(sentence("hello\n", json), HasSubstr("docs, line 1: this is not JSON"));
  DocumentOptions named = json;
  named.label_field = "stars";
  EXPECT_EQ(sentence(good, named), "docs, line 1: the object has no field 'stars'; it has 'text'.");
  EXPECT_EQ(sentence("{\"text\": \"x\", \"stars\": [1]}", named),
            "docs, line 1: the field 'stars' is a list, and a string was expected.");
}

TEST(JsonLines, CountsBadLinesWhenAskedTo) {
  const Read found = read("{\"text\": \"a\"}\nnonsense\n{}\n{\"text\": \"b\"}\n", skipping(json));
  EXPECT_THAT(texts(found), ElementsAre("a", "b"));
  EXPECT_EQ(found.report.documents, 2);
  EXPECT_EQ(found.report.skipped, 2);
  EXPECT_THAT(found.report.notes, ElementsAre(HasSubstr("line 2"), HasSubstr("line 3")));
  EXPECT_EQ(found.documents[1].id, "4");
}

TEST(JsonLines, RepairsEncodings) {
  const std::string bytes = std::string("{\"text\": \"caf\xE9 \x93quoted\x94\"}\n{\"text\": \"a\\u0000b\"}\n") +
                            "{\"text\": \"c" + '\0' + "d\"}\n{\"text\": \"fine\"}";
  const Read found = read(bytes, json);
  EXPECT_THAT(texts(found), ElementsAre("café “quoted”", "a b", "c d", "fine"));
  EXPECT_EQ(found.report.repaired, 3);
}

TEST(JsonLines, RepairsHalvesOfSurrogatePairs) {
  const Read found = read("{\"text\": \"a \\ud83d\\ude00 b \\ud83d c \\udc00 \\\\ud83d\"}\n", json);
  EXPECT_THAT(texts(found), ElementsAre("a 😀 b \xEF\xBF\xBD c \xEF\xBF\xBD \\ud83d"));
  EXPECT_EQ(found.report.repaired, 1);
}

TEST(Table, ReadsQuotedCells) {
  const Read found =
      read("id,text,label\r\n1,\"a, \"\"b\"\"\nsecond line\",x\r\n\r\n2,plain 5\" disk,\n3,,\"\"\n", table);
  ASSERT_THAT(texts(found), ElementsAre("a, \"b\"\nsecond line", "plain 5\" disk", ""));
  EXPECT_EQ(found.documents[0].label, "x");
  EXPECT_EQ(found.documents[1].id, "2");
}

TEST(Table, FindsTheSeparatorAndNamedColumns) {
  DocumentOptions named = table;
  named.text_field = "body";
  named.id_field = "key";
  named.time_field = "when";
  for (const std::string separator : {",", ";", "\t"}) {
    const Read found =
        read("\xEF\xBB\xBFkey" + separator + " body " + separator + "when\nk1" + separator + "t1" + separator + "2001",
             named);
    ASSERT_THAT(texts(found), ElementsAre("t1")) << separator;
    EXPECT_EQ(found.documents[0].id, "k1");
    EXPECT_EQ(found.documents[0].time, "2001");
  }
}

TEST(Table, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(sentence("id,body\n", table), "docs, line 1: there is no column 'text'; the columns are 'id', 'body'.");
  EXPECT_EQ(sentence("", table), "docs: the file is empty, and a line with the names of the columns was expected.");
  EXPECT_EQ(sentence("id,text\n1,a\n2,b,c\n", table), "docs, line 3: the row has 3 cells, and 2 were expected.");
  EXPECT_EQ(sentence("id,text\n1,\"a\nb\"\n2,\"b\nc\n", table),
            "docs, line 4: a quote that opens in this row is never closed.");
  EXPECT_EQ(sentence("id,text\n1,\"a\" b\n", table),
            "docs, line 2: after a closing quote comes ' b', and the end of the cell was expected.");
}

TEST(Table, ABrokenQuoteCostsOneLineWhenAskedTo) {
  const Read found = read("id,text\n1,\"never closed\n2,good\n3,\"fine\nhere\"\n4,x\n", skipping(table));
  // The quote of line 2 ends at the one that line 4 opens.
  EXPECT_THAT(texts(found), ElementsAre("good", "fine\nhere", "x"));
  EXPECT_EQ(found.report.skipped, 1);
  EXPECT_THAT(read("text\n\"open\nlast", skipping(table)).report.skipped, 1);
}

TEST(Lines, AreOneDocumentEach) {
  const Read found = read("one\n\nthree\r\nfour", lines);
  EXPECT_THAT(texts(found), ElementsAre("one", "", "three", "four"));
  EXPECT_EQ(found.documents[2].id, "3");
}

TEST(Lines, ALongLineIsRefusedOrSkipped) {
  DocumentOptions options = lines;
  options.max_document_bytes = 1000;
  const std::string text = "short\n" + std::string(3000000, 'x') + "\nlast\n";
  EXPECT_EQ(sentence(text, options), "docs, line 2: the document is longer than 1000 bytes, which is the limit.");
  const Read found = read(text, skipping(options));
  EXPECT_THAT(texts(found), ElementsAre("short", "last"));
  EXPECT_EQ(found.report.skipped, 1);
  EXPECT_THAT(texts(read(std::string(1000, 'y') + "\n" + std::string(1001, 'z'), skipping(options))),
              ElementsAre(std::string(1000, 'y')));
}

TEST(Documents, AreReadInUtf16) {
  const std::u16string text = u"na\u00efve \U0001F600\nsecond";
  std::string little = "\xFF\xFE", big = "\xFE\xFF";
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    (little += low) += high;
    (big += high) += low;
  }
  for (const std::string& bytes : {little, big})
    EXPECT_THAT(texts(read(bytes, lines)), ElementsAre("naïve 😀", "second"));
  EXPECT_THAT(texts(read(std::string("\xFF\xFE\x3D\xD8", 4), lines)), ElementsAre("\xEF\xBF\xBD"));
}

TEST(Documents, ABombIsRefused) {
  const Folder folder;
  const fs::path path = folder.write_gzip("bomb.txt.gz", std::string(1 << 20, ' ') + "\n", 40);
  const auto count = [&](const DocumentOptions& options) {
    const auto reader = DocumentSource(path, options).open();
    Document document;
    while (reader->next(document)) continue;
    return reader->report().documents;
  };
  DocumentOptions unlimited;
  unlimited.max_expansion = 0;
  EXPECT_EQ(count(unlimited), 40);
  try {
    count({});
    FAIL() << "the bomb was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bomb.txt.gz: the content is over 200 times larger than the compressed file"));
  }
}

TEST(Documents, AFolderIsReadInOrder) {
  const Folder folder;
  folder.write("b/two.md", "# Title\n\ntext *two*");
  folder.write("a/one.txt", "text one");
  folder.write("a/53068", "no extension");
  folder.write("b/1204680122.27c448.host,S=71:2,S", "mail");
  folder.write("b/sci.space_59849", "news");
  folder.write("b/table.jsonl", "{}");
  folder.write("c.HTML", "<html><title>The page</title><script>var x;</script><p>text &amp; three");
  folder.write("picture.png", "\x89PNG");
  folder.write("binary", std::string("\x7f"
                                     "ELF\0\0\0\1",
                                     8));
  folder.write(".hidden/x.txt", "hidden");
  folder.write_gzip("d.txt.gz", "packed");
  DocumentOptions options;
  options.label_field = "folder";
  const DocumentSource source(folder.path(), options);
  const Read found = read_all(*source.open());
  std::vector<std::string> ids, labels;
  for (const Document& document : found.documents) {
    ids.push_back(document.id);
    labels.push_back(document.label);
  }
  EXPECT_THAT(ids, ElementsAre("a/53068", "a/one.txt", "b/1204680122.27c448.host,S=71:2,S", "b/sci.space_59849",
                               "b/two.md", "c.HTML", "d.txt.gz"));
  EXPECT_THAT(labels, ElementsAre("a", "a", "b", "b", "b", "", ""));
  EXPECT_THAT(found.documents[5].text, HasSubstr("text & three"));
  EXPECT_EQ(found.documents[5].title, "The page");
  EXPECT_EQ(found.report.passed_over, 3);
  EXPECT_EQ(found.documents[6].text, "packed");
  const std::vector<Index> wanted = {1, 6};
  const auto again = source.read(wanted, 6);
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].text, "text o");
  EXPECT_EQ(again[1].id, "d.txt.gz");
}

TEST(Documents, FoldersThatMayNotBeReadAreCounted) {
  const Folder folder;
  folder.write("a/one.txt", "text one");
  folder.write("b/closed/two.txt", "text two");
  folder.write("c/closed/three.txt", "text three");
  folder.write(".hidden/four.txt", "text four");
  for (const char* closed : {"b/closed", "c/closed", ".hidden"})
    fs::permissions(folder.path() / closed, fs::perms::none);
  // Root may read everything.
  const bool is_root = ::geteuid() == 0;
  constexpr ::uid_t nobody = 65534;
  ASSERT_TRUE(!is_root || ::seteuid(nobody) == 0);
  const Read found = read_all(*DocumentSource(folder.path()).open());
  ASSERT_TRUE(!is_root || ::seteuid(0) == 0);
  for (const char* closed : {"b/closed", "c/closed", ".hidden"})
    fs::permissions(folder.path() / closed, fs::perms::all);
  EXPECT_THAT(texts(found), ElementsAre("text one"));
  EXPECT_EQ(found.report.closed_folders, 2);
  EXPECT_THAT(found.report.notes, ElementsAre((folder.path() / "b/closed").string() + ": the folder may not be read."));
  EXPECT_EQ(found.report.passed_over, 0);
}

TEST(Documents, FilesThatTheSystemMakesUpAreNone) {
  for (const char* path : {"/proc", "/proc/self", "/sys"}) {
    try {
      DocumentSource(path).open();
      FAIL() << path << " was read";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string(path) + ": the files of this folder are no documents"));
    }
  }
}

TEST(Documents, LargeNumbersInJsonDoNoHarm) {
  const Read found = read(R"({"text": "one", "score": 1e400, "x": [-1E-999, 123456789012345678901234567890]}
{"text": "two \" 1e400 \\", "id": 123456789012345678901234567890, "label": -1.5e999, "n": 3}
{"text": "three", "id": 12345678901234567890123, "score": 0.1}
)",
                          json);
  EXPECT_THAT(texts(found), ElementsAre("one", "two \" 1e400 \\", "three"));
  EXPECT_EQ(found.documents[1].id, "123456789012345678901234567890");
  EXPECT_EQ(found.documents[1].label, "-1.5e999");
  EXPECT_EQ(found.documents[2].id, "12345678901234567890123");
  for (const char* line :
       {"{\"text\": \"x\", \"n\": 1e}", "{\"text\": \"x\", \"n\": 1e400", "{\"text\": \"x\", \"n\": 01e400}",
        "{\"text\": \"x\", \"n\": 1e400.5}", "{\"text\": \"x\", \"n\": -}",
        "{\"text\": \"\xff\", \"n\": 1e400"})  // repaired first, then read again
    EXPECT_THAT(sentence(line, json), HasSubstr("this is not JSON")) << line;
}

TEST(Documents, TheFormatIsFoundFromNameAndContent) {
  const Folder folder;
  const auto first = [](const fs::path& path) { return read_all(*DocumentSource(path).open()).documents.at(0).text; };
  EXPECT_EQ(first(folder.write("a.jsonl", "{\"text\": \"x\"}")), "x");
  EXPECT_EQ(first(folder.write("b.tsv", "id\ttext\n1\tx\n")), "x");
  EXPECT_EQ(first(folder.write("c.txt", "{\"text\": \"x\"}\n")), "x");
  EXPECT_EQ(first(folder.write("d.txt", "x\ny\n")), "x");
  EXPECT_EQ(first(folder.write_gzip("e.csv.gz", "text,id\nx,1\n")), "x");
  EXPECT_THROW(DocumentSource(folder.path() / "missing"), InputError);
}

TEST(Documents, CutsTextsAtTheEndOfACharacter) {
  const Folder folder;
  const DocumentSource source(folder.write("x.txt", "aé😀b\n"));
  const std::vector<Index> wanted = {0};
  EXPECT_EQ(source.read(wanted, 1)[0].text, "a");
  EXPECT_EQ(source.read(wanted, 2)[0].text, "a");
  EXPECT_EQ(source.read(wanted, 3)[0].text, "aé");
  EXPECT_EQ(source.read(wanted, 6)[0].text, "aé");
  EXPECT_EQ(source.read(wanted, 7)[0].text, "aé😀");
  const std::vector<Index> too_far = {1};
  EXPECT_THROW(source.read(too_far, 10), InvalidArgument);
}

TEST(Documents, TheStandardInputCanBeReadTwice) {
  const Folder folder;
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += "{\"text\": \"text " + std::to_string(i) + "\"}\n";
  const fs::path path = folder.write("input.jsonl", bytes);
  const int before = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  const DocumentSource source("-");
  const auto reader = source.open();
  EXPECT_THROW(source.open(), InvalidArgument);
  EXPECT_EQ(read_all(*reader).report.documents, 100000);
  const std::vector<Index> wanted = {1, 99999};
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(source.read(wanted, 100)[0].text, "text 1");
    EXPECT_EQ(source.read(wanted, 100)[1].id, "100000");
  }
  ::dup2(before, STDIN_FILENO);
  ::close(before);
}

}  // namespace
}  // namespace copse
