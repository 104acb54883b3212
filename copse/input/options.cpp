#include "copse/input/options.h"

#include "copse/input/choices.h"

namespace copse {

template <>
const OptionRows& rows<PrepareOptions>() {
  static const OptionRows table = [] {
    using Of = PrepareOptions;
    RowsOf<Of> rows;
    rows.row("min_count", &Of::min_feature_total, "Drop features whose entries add up to less").at_least(0);
    rows.row("min_words", &Of::min_item_total,
             "Keep items whose entries add up to less out of the fit; they are placed afterwards")
        .at_least(0);
    rows.row("drop_empty", &Of::drop_empty, "Drop features and items with no entry but zeros");
    rows.row("drop_duplicates", &Of::drop_duplicates, "Drop items that equal an earlier one")
        .needs_all("`drop_duplicates`");
    rows.row("library_size", &Of::library_size,
             "Counts of genes: multiply each item so that its entries add up to this, such as 10000; 0: do not")
        .at_least(0)
        .needs_all("`library_size`")
        .newer();
    rows.row("select", &Of::select_features, "Keep so many features, those that vary most, such as 5000; 0: all")
        .at_least(0)
        .needs_all("`select`")
        .newer();
    rows.row(
            "select_by", &Of::select_by,
            "What varies most: standard deviation / mean [Kuang 2014, 4.7], or variance / mean, which prefers features "
            "with many counts")
        .newer();
    rows.row(
        "weights", &Of::weighting,
        "Of a count x of a feature that df of n items have. text, for words: log(1 + x) log(n / df)^1.5, and items "
        "that share little with others count a little more; tf-idf, as in the papers: x log(n / df); "
        "smooth-tf-idf: x (log((n + 1) / (df + 1)) + 1); log-tf-idf: log(1 + x) log(n / df); log: log(1 + x)");
    rows.row("scale", &Of::feature_scaling, "Divide each feature by its largest entry or its standard deviation");
    rows.row("unit_columns", &Of::unit_items, "Scale each item to length one")
        .spell("--unit-columns,!--no-unit-columns");
    rows.row("normalized_cut", &Of::normalized_cut,
             "Weigh the items as a normalized cut does [Kuang 2014, eq. 7], not damped");
    return rows.headed(0, "Preparation (drop, weigh, scale, in this order)").done();
  }();
  return table;
}

template <>
const OptionRows& rows<DocumentOptions>() {
  static const OptionRows table = [] {
    using Of = DocumentOptions;
    RowsOf<Of> rows;
    const auto column = [&](const char* name, std::string Of::*field, const char* meaning) {
      rows.row(name, field, meaning).shown_as("COLUMN");
    };
    rows.row("format", &Of::format, "What the input is").otherwise("by its name");
    column("text", &Of::text_field, "Where the text is in a table or in JSON objects");
    column("id", &Of::id_field, "Where the name of a document is [id]");
    column("label", &Of::label_field, "Where its true class is [label]: adds quality measures and tables of classes");
    column("time", &Of::time_field, "Where its time is [time or date]: adds topics over time");
    column("title", &Of::title_field, "Where its title is [title]");
    rows.row("skip_bad", &Of::skip_bad, "Count documents that cannot be read instead of stopping at them");
    return rows.headed(0, "Documents").done();
  }();
  return table;
}

template <>
const OptionRows& rows<DocumentInputOptions>() {
  static const OptionRows table = [] {
    using Of = DocumentInputOptions;
    RowsOf<Of> rows;
    rows.nest(&Of::reading);
    const std::size_t words = rows.size();
    const auto text = [](auto field) {
      return [field](Of & options) -> auto& { return options.text.*field; };
    };
    const auto tokens = [](auto field) {
      return [field](Of & options) -> auto& { return options.text.tokens.*field; };
    };
    const auto mail = [](auto field) {
      return [field](Of & options) -> auto& { return options.text.mail.*field; };
    };
    rows.row("language", text(&TextOptions::stop_words),
             "Languages, with commas between, whose commonest words are left out; auto: those that are found; none: "
             "leave nothing out")
        .shown_as("LANGUAGES");
    rows.row("stop_words", &Of::stop_word_file, "More words to leave out, one per line").as(OptionKind::file);
    rows.row("stem", text(&TextOptions::stemmer),
             "Count the forms of a word together, by the rules of this language; auto: of the main one")
        .shown_as("none|auto|LANGUAGE");
    rows.row("bigrams", text(&TextOptions::bigrams), "Count pairs of words that belong together as terms, too");
    rows.row("max_share", text(&TextOptions::max_share), "Drop words that are in a larger share of the documents")
        .within(0, 1);
    rows.row("max_features", text(&TextOptions::max_terms), "Keep the most frequent words only; 0: all").at_least(0);
    rows.row("numbers", tokens(&TokenOptions::numbers), "Keep words that have no letter");
    rows.row("addresses", tokens(&TokenOptions::links), "What becomes of web and mail addresses");
    rows.row("words", tokens(&TokenOptions::rule), "Word boundaries of Unicode, or runs of letters, digits and _");
    rows.row("drop_headers", mail(&MailOptions::drop_headers), "Mail and news: leave the header lines out");
    rows.row("drop_quotes", mail(&MailOptions::drop_quotes), "Mail and news: leave quoted lines out");
    rows.row("drop_signatures", mail(&MailOptions::drop_signature),
             "Mail and news: leave out what follows the line \"-- \"");
    return rows.headed(words, "Words").done();
  }();
  return table;
}

template <>
const OptionRows& rows<ReadOptions>() {
  static const OptionRows table = [] {
    using Of = ReadOptions;
    RowsOf<Of> rows;
    rows.row("items", &Of::items,
             "Where the items (documents, patients) are in the file; automatic: in columns, and the cells of "
             "single-cell data");
    rows.row("header", &Of::header, "Names in the first line of a .csv or .tsv file").not_stored();
    rows.row("row_names", &Of::row_names, "Names in its first column").not_stored();
    rows.row("layer", &Of::layer, "Layer of an .h5ad file to read in place of its X").shown_as("NAME");
    rows.row("cell_labels", &Of::label, "Column of obs in an .h5ad file with the true class of each cell, as `truth`")
        .shown_as("COLUMN");
    return rows.headed(0, "Input").done();
  }();
  return table;
}

template <>
const OptionRows& rows<InputOptions>() {
  static const OptionRows table = [] {
    using Of = InputOptions;
    RowsOf<Of> rows;
    // A field that is there for documents only, or for a matrix only.
    const auto matrix = [](auto field) {
      return [field](Of& options) { return options.documents ? nullptr : &(options.*field); };
    };
    const auto own = [](auto field) {
      return [field](Of& options) {
        return options.documents && options.documents->own ? &((*options.documents->own).*field) : nullptr;
      };
    };
    rows.computed(
            "documents", OptionKind::file,
            [](const Of& options) {
              // Documents of the result's own move with its folder.
              if (options.documents && options.documents->own) return std::string(own_documents_file);
              return options.documents ? options.path : std::string();
            },
            [](Of& options, const Setting& value) {
              const auto* path = std::get_if<std::string>(&value);
              if (path != nullptr) options.path = *path;
              return path != nullptr;
            },
            "The documents")
        .not_with("explain", "no plan knows of the counting of documents")
        .not_with("processes", "they cannot count words; give them a .copse file");
    rows["documents"].locate = [](void* options) { return static_cast<Of*>(options)->documents ? options : nullptr; };
    rows.row("name", own(&OwnDocuments::name), "What documents of the result's own are called");
    rows.row("origin", own(&OwnDocuments::origin), "Where they come from");
    rows.nest([](Of& options) { return options.documents ? &*options.documents : nullptr; });
    const std::size_t input = rows.size();
    rows.row("matrix", matrix(&Of::path), "The matrix").as(OptionKind::file);
    const auto reading = [](Of& options) { return options.documents ? nullptr : &options.reading; };
    const OptionRows of_file = RowsOf<Of>().nest(reading).done();
    const auto add_read = [&](const char* name) { rows.add(*find_row(of_file, name)); };
    add_read("items");
    rows.row("features", matrix(&Of::feature_names), "Names of the features (words, genes), one per line")
        .as(OptionKind::file);
    rows.row("item_names", matrix(&Of::item_names), "Names of the items, one per line").as(OptionKind::file);
    rows.row("truth", matrix(&Of::truth),
             "The true class of each item, one per line: adds quality measures to the result")
        .as(OptionKind::file);
    for (const char* name : {"header", "row_names", "layer", "cell_labels"}) add_read(name);
    rows.headed(input, "Input");
    rows.nest(&Of::prepare);
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<JointInput>() {
  static const OptionRows table = [] {
    using Of = JointInput;
    RowsOf<Of> rows;
    rows.row("links", &Of::links,
             "Links between documents, by their ids: a line for each, \"from to [weight]\"; also METIS, GraphML or a "
             "matrix")
        .as(OptionKind::file);
    rows.row("vectors", &Of::vectors,
             "A vector for every document: a .npy file whose rows are in the order of the documents")
        .as(OptionKind::file);
    rows.row("neighbour_graph", &Of::neighbours,
             "Join each document to those that are most similar to it by their words; automatic: where there are no "
             "links or vectors and it does not take long");
    for (const char* name : {"links", "vectors", "neighbour_graph"}) {
      rows[name]
          .needs_all("a graph of the items (`links`, `vectors`)")
          .not_with("loss=kl", "links, vectors and neighbours have the Frobenius loss only")
          .not_with("consensus", "a consensus is one of components alone")
          .not_with("flat=false",
                    "links, vectors and neighbours have their say when all items are fitted to the leaves")
          .not_with("device", "a graph beside the words runs on the CPU only")
          .not_with("explain", "no plan knows of a graph beside the words");
    }
    rows.row("graph_weight", &Of::weight, "How much links and neighbours count: at 1 as much as words")
        .within(0, 1e6)
        .otherwise("1; 0.3 for neighbours by words");
    return rows.headed(0, "Graph").done();
  }();
  return table;
}

template <>
const OptionRows& rows<GraphInputOptions>() {
  static const OptionRows table = [] {
    using Of = GraphInputOptions;
    RowsOf<Of> rows;
    constexpr const char* items_group = "Graph of items";
    const auto of_graph = [](const Of& options) { return !options.has_items(); };
    const auto of_items = [](const Of& options) { return options.has_items(); };
    rows.row("similarity", &Of::similarity,
             "none: the input is the graph. Else it has items, each of which is joined to those nearest to it: cosine, "
             "for counts of words; gaussian: exp(-d^2 / sigma^2); self-tuning: the same at the scale of both items")
        .only_with("sigma", "the distance must be above zero", "gaussian")
        .in(items_group);
    rows.row(
            "graph", [](Of & options) -> auto& { return options.items.path; }, "The graph")
        .as(OptionKind::file)
        .where<Of>(of_graph);
    rows.row("format", &Of::format, "What the file of a graph is")
        .otherwise("by its content and name")
        .not_with("similarity", "it is for a graph, not for the items of a matrix")
        .where<Of>(of_graph)
        .in("Input");
    rows.row("nodes", &Of::nodes,
             "All nodes in the order wanted, those without edges among them; or names for nodes 0, 1, ...")
        .as(OptionKind::file)
        .not_with("similarity", "it is for a graph; `item_names` names the items of a matrix")
        .where<Of>(of_graph)
        .in("Input");
    const std::size_t items = rows.size();
    rows.nest(&Of::items);
    for (std::size_t i = items; i < rows.size(); ++i) {
      Option& row = rows[i];
      // A graph, too, has names and classes of its nodes.
      if (row.name == "item_names" || row.name == "truth") continue;
      row.where<Of>(of_items);
      if (row.name != "matrix" && row.name != "documents")
        row.only_with("similarity", "it is for the items of a matrix");
    }
    rows.row("neighbours", &Of::neighbours, "Nearest items that each is joined to; 0: floor(log2 n) + 1")
        .at_least(0)
        .only_with("similarity", "it is for the items of a matrix")
        .where<Of>(of_items)
        .in(items_group);
    rows.row("sigma", &Of::sigma, "gaussian: the distance at which similarity is 1/e")
        .at_least(0)
        .only_with("similarity=gaussian")
        .where<Of>(of_items)
        .in(items_group);
    rows.row("scale_neighbour", &Of::scale_neighbour,
             "self-tuning: the scale of an item is the distance to this neighbour")
        .at_least(1)
        .only_with("similarity=self-tuning")
        .where<Of>(of_items)
        .in(items_group);
    return rows.done();
  }();
  return table;
}

}  // namespace copse
