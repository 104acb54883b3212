#include "copse/graph/read_graph.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"
#include "copse/io/matrix_file.h"
#include "tests/support/random_matrices.h"

namespace copse {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadGraph<double> read(const std::string& text, const std::string& name = "g.tsv",
                       const ReadGraphOptions& options = {}) {
  return read_graph<double>({text.data(), text.size()}, name, options);
}

std::string complaint(const std::string& text, const std::string& name = "g.tsv",
                      const ReadGraphOptions& options = {}) {
  try {
    read(text, name, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The path a - b - c with weights 2 and 0.5.
void expect_path(const ReadGraph<double>& found) {
  Matrix<double> expected(3, 3);
  expected(0, 1) = expected(1, 0) = 2;
  expected(1, 2) = expected(2, 1) = 0.5;
  EXPECT_EQ(testing::to_dense(found.graph.weights), expected);
}

TEST(ReadEdges, TakesTabsCommasSemicolonsAndBlanks) {
  for (const std::string text :
       {"a\tb\t2\nb\tc\t.5\n", "a,b,2\nb,c,0.5", "a;b;2\r\nb;c;5e-1\r\n", "# comment\n%another\n\na  b 2\n b c\t.5\n",
        "source,target,weight\na,b,2\nb,c,0.5\n",
        "\xEF\xBB\xBF"
        "a b 2\nb c 0.5",
        "x y label\na b 2\nb c 0.5\n", "a,b,1\nb,a,1\nc,b,0.5\n", "\"a\",\"b\",2\nb, c ,0.5\n"}) {
    const auto found = read(text);
    expect_path(found);
    EXPECT_THAT(found.graph.names, ElementsAre("a", "b", "c")) << text;
  }
  EXPECT_EQ(read("a b\nb c\n").graph.weights.values.front(), 1);
  EXPECT_THAT(read("New York\tLos Angeles\n").graph.names, ElementsAre("New York", "Los Angeles"));
  EXPECT_THAT(read("\"a, \"\"b\"\"\",c\n").graph.names, ElementsAre("a, \"b\"", "c"));
  EXPECT_THAT(read("From\tTo\na\tb\n").graph.names, ElementsAre("a", "b"));
}

TEST(ReadEdges, SaysWhatBecameOfLoopsAndRepetitions) {
  const auto found = read("a b\nb a\na b\nc c\nb c\n");
  EXPECT_EQ(found.graph.edges(), 2);
  EXPECT_THAT(found.notes, ElementsAre("g.tsv: 1 loop was dropped.",
                                       "g.tsv: 2 edges were listed again, or in the other direction, and added up."));
  EXPECT_THAT(read("a b 0\nb c 1\n").notes, ElementsAre("g.tsv: 1 edge of weight zero was dropped."));
}

TEST(ReadEdges, TakesAListOfNodes) {
  const auto found = read("c a\n", "g.tsv", {.nodes = {"a", "lonely", "c"}});
  EXPECT_EQ(found.graph.nodes(), 3);
  EXPECT_THAT(found.graph.weights.indices, ElementsAre(2, 0));
  EXPECT_EQ(complaint("a d\n", "g.tsv", {.nodes = {"a", "b"}}),
            "g.tsv, line 1: the node 'd' is not in the list of nodes.");
  EXPECT_THAT(complaint("a d\n", "g.tsv", {.nodes = {"a", "a"}}), HasSubstr("holds 'a' twice"));
}

TEST(ReadEdges, NamesFileLineAndWhatWasFound) {
  EXPECT_EQ(complaint("a b\nc\n"),
            "g.tsv, line 2: two nodes, perhaps with a weight, were expected, and 'c' was found.");
  EXPECT_THAT(complaint("a b 1\n# x\na b c d\n"), AllOf(HasSubstr("line 3"), HasSubstr("'a b c d' was found")));
  EXPECT_THAT(complaint("a b 1\na b\n"),
              HasSubstr("line 2: two nodes and a weight were expected, as on the lines before"));
  EXPECT_THAT(complaint("a b\na b 1\n"), HasSubstr("two nodes without a weight were expected"));
  EXPECT_THAT(complaint("a b 1\na c -2\n"), HasSubstr("line 2: the weight '-2' is negative"));
  EXPECT_THAT(complaint("a b 1\na c nan\n"), HasSubstr("line 2: the weight is not a number (NaN)"));
  EXPECT_THAT(complaint("a b 1\na c inf\n"), HasSubstr("infinite"));
  EXPECT_THAT(complaint("a b 1\na c x\n"), HasSubstr("a weight was expected, and 'x' was found"));
  EXPECT_THAT(complaint("a\t\t1\n"), HasSubstr("the name of a node was expected"));
  EXPECT_THAT(complaint("\"a,b\n"), HasSubstr("quotes do not end"));
  EXPECT_THAT(complaint("# nothing\n"), HasSubstr("edges were expected, and there are none"));
}

TEST(ReadEdges, TellsNodesApartWhoseNamesAreBrokenAlike) {
  const auto found = read("a\xff\ta\xfe\na\xfd\tb\n");
  EXPECT_THAT(found.graph.names, ElementsAre("a\uFFFD", "a\uFFFD (2)", "a\uFFFD (3)", "b"));
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("3 names are not UTF-8")));
}

TEST(ReadMetis, TakesWeightsOfEdgesAndNodes) {
  expect_path(read("% comment\n3 2 1\n2 2\n1 2 3 0.5\n2 0.5\n", "g.metis"));
  expect_path(read("3 2 011 2\n7 8 2 2\n7 8 1 2 3 0.5\n% between\n7 8 2 0.5\n", "g.graph"));
  EXPECT_EQ(read("3 1\n2\n1\n\n", "g.metis").graph.nodes(), 3);
  EXPECT_THAT(read("3 1\n2\n1\n\n", "g.metis").notes, IsEmpty());
  // Twice as many edges are more than a number can hold.
  EXPECT_THAT(read("3 6999999999999999999\n2\n1\n\n", "g.metis").notes,
              Contains(HasSubstr("promises 6999999999999999999 edges, and 2 ends")));
  EXPECT_THAT(complaint("1 0 111 9223372036854775807\n1 1\n", "g.metis"), HasSubstr("a weight of the node"));
  EXPECT_THAT(read("2 1\n2\n\n", "g.metis").notes,
              ElementsAre(HasSubstr("promises 1 edges"), HasSubstr("mean was taken")));
}

TEST(ReadMetis, NamesFileLineAndWhatWasFound) {
  EXPECT_THAT(complaint("3 x\n", "g.metis"), HasSubstr("line 1: the number of edges was expected, and 'x' was found"));
  EXPECT_THAT(complaint("2 1\n2\n", "g.metis"), HasSubstr("promises 2 nodes, and there are lines for 1"));
  EXPECT_THAT(complaint("2 1\n3\n1\n", "g.metis"), HasSubstr("line 2: neighbour '3' is outside of 1 to 2"));
  EXPECT_THAT(complaint("2 1\n2\n1\n1\n", "g.metis"),
              HasSubstr("line 4: the first line promises 2 nodes, and more lines"));
  EXPECT_THAT(complaint("2 1 1\n2 -1\n1 1\n", "g.metis"), HasSubstr("negative"));
  EXPECT_THAT(complaint("2 1 7\n", "g.metis"), HasSubstr("a format of up to three digits"));
}

constexpr const char* graphml_path = R"(<?xml version="1.0"?>
<!-- a > b -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="weight"/>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="d0">99</data></node>
    <edge source="a" target="b &amp; &#x62;"><data key="d1"> 2 </data></edge>
    <node id='b &amp; b'/>
    <node id="c"/>
    <edge source="c" target="b &amp; b"><data key="d2">x</data><data key="d1">0.5</data></edge>
  </graph>
</graphml>)";

TEST(ReadGraphMl, TakesNodesEdgesAndWeights) {
  const auto found = read(graphml_path, "g.graphml");
  expect_path(found);
  EXPECT_THAT(found.graph.names, ElementsAre("a", "b & b", "c"));
}

TEST(ReadGraphMl, NamesFileLineAndWhatWasFound) {
  const auto with = [](const std::string& inside) { return "<graphml>\n<graph>\n" + inside + "</graph></graphml>"; };
  EXPECT_THAT(complaint(with("<node id='a'/><node id='a'/>")), HasSubstr("line 3: the node 'a' is there twice"));
  EXPECT_THAT(complaint(with("<node/>")), HasSubstr("<node> has no attribute 'id'"));
  EXPECT_THAT(complaint(with("<edge source='a' target='b'/>")),
              HasSubstr("line 3: an edge joins the node 'a', which no"));
  EXPECT_THAT(complaint(with("<hyperedge/>")), HasSubstr("hyperedges"));
  EXPECT_THAT(complaint(with("<node id=a/>")), HasSubstr("an attribute NAME=\"VALUE\" was expected"));
  EXPECT_THAT(complaint("<graphml><node id='a'"), HasSubstr("a tag does not end"));
  EXPECT_THAT(complaint("<?xml version='1.0'?><svg/>"),
              HasSubstr("a GraphML document was expected, and <svg> was found"));
  EXPECT_THAT(complaint("<graphml><!-- "), HasSubstr("a comment does not end"));
}

TEST(ReadGraphFromMatrix, TakesSymmetricAndOtherMatrices) {
  expect_path(read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 2\n3 2 0.5\n1 1 9\n", "g.mtx"));
  const auto directed =
      read("%%MatrixMarket matrix coordinate real general\n3 3 3\n2 1 4\n3 2 0.5\n2 3 0.5\n", "g.mtx");
  expect_path(directed);
  EXPECT_THAT(directed.notes, ElementsAre(HasSubstr("1 pair of nodes had two weights; their mean was taken.")));
  EXPECT_THAT(complaint("%%MatrixMarket matrix coordinate real general\n3 2 1\n2 1 4\n", "g.mtx"),
              HasSubstr("g.mtx: the matrix of a graph must be square, and this one is 3 x 2"));
  expect_path(read("%%MatrixMarket matrix array real symmetric\n3 3\n0\n2\n0\n0\n0.5\n0\n", "g.mtx"));
}

TEST(ReadGraphFromFile, ReadsCompressedFiles) {
  const std::string path = ::testing::TempDir() + "graph.npz";
  Dataset<double> data;
  Matrix<double> a(3, 3);
  a(0, 1) = a(1, 0) = 2;
  a(1, 2) = a(2, 1) = 0.5;
  data.values = testing::to_sparse(a);
  data.item_names = data.feature_names = {"x", "y", "z"};
  write_matrix(path, data);
  const auto found = read_graph<double>(path);
  expect_path(found);
  EXPECT_THAT(found.graph.names, ElementsAre("x", "y", "z"));
  EXPECT_THROW(read_graph<double>("/nonexistent/file"), InputError);
}

}  // namespace
}  // namespace copse
