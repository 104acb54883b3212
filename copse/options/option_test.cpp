#include "copse/options/option.h"

#include <gmock/gmock.h>

#include "copse/base/error.h"

namespace copse {
namespace {

enum class Colour { red, blue };

struct Inner {
  double share = 0.5;
  std::vector<std::string> names = {};
};

struct Outer {
  int count = 3;
  std::uint64_t seed = 0;
  bool loud = true;
  Colour colour = Colour::red;
  std::string file = {};
  std::optional<double> level = {};
  Inner inner = {};
  std::optional<Inner> maybe = {};
  bool shared = false;
};

}  // namespace

template <>
const Choices<Colour>& choices() {
  static const Choices<Colour> table = {{"red", Colour::red}, {"blue", Colour::blue}};
  return table;
}

template <>
const OptionRows& rows<Inner>() {
  static const OptionRows table = [] {
    RowsOf<Inner> rows;
    rows.row("share", &Inner::share, "A share").within(0, 1).not_with("colour=blue", "blue things have no share");
    rows.row("names", &Inner::names, "Names");
    return rows.done();
  }();
  return table;
}

template <>
const OptionRows& rows<Outer>() {
  static const OptionRows table = [] {
    using Of = Outer;
    RowsOf<Of> rows;
    rows.row("count", &Of::count, "How many").at_least(1).needs_all("`count`");
    rows.row("seed", &Of::seed, "Seed").not_stored();
    rows.row("loud", &Of::loud, "Do not whisper").only_with("colour=red", "", "false");
    rows.row("colour", &Of::colour, "Of what");
    rows.row("file", &Of::file, "Where").as(OptionKind::file).not_with("processes", "one file, one process");
    rows.row("level", &Of::level, "How far").only_with("file").newer();
    rows.nest(&Of::inner, [](const Of& of) { return of.count > 1; });
    rows.row(
        "deep", [](Of& of) { return of.maybe ? &of.maybe->share : nullptr; }, "Of what may be there");
    rows.computed(
            "engine", OptionKind::choice, [](const Of& of) { return std::string(of.seed == 7 ? "disk" : "memory"); },
            [](Of& of, const Setting& value) {
              of.seed = value == Setting("disk") ? 7 : 0;
              return true;
            },
            "Where", {"memory", "disk"})
        .not_stored();
    rows.row("processes", &Of::shared, "").not_stored().hidden("several processes");
    return rows.done();
  }();
  return table;
}

namespace {

std::string reason(const std::function<void()>& work) {
  try {
    work();
  } catch (const WrongOption& error) {
    return error.what();
  }
  return "";
}

TEST(Options, SettingsGoThereAndBack) {
  Outer outer;
  outer.count = 5, outer.colour = Colour::blue, outer.level = 2.5, outer.inner.names = {"a", "b"};
  Settings settings;
  add_settings(outer, settings);
  std::vector<std::string> names = {};
  for (const auto& [name, value] : settings) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("count", "loud", "colour", "file", "level", "share", "names"));
  Outer again;
  take_settings(settings, again);
  EXPECT_EQ(again.count, 5);
  EXPECT_EQ(again.colour, Colour::blue);
  EXPECT_EQ(again.level, 2.5);
  EXPECT_EQ(again.inner.names, outer.inner.names);
}

TEST(Options, OlderResultsLackWhatIsNewer) {
  Settings settings;
  add_settings(Outer(), settings);
  std::erase_if(settings, [](const auto& setting) { return setting.first == "level"; });
  Outer outer;
  take_settings(settings, outer);
  std::erase_if(settings, [](const auto& setting) { return setting.first == "colour"; });
  EXPECT_THROW(take_settings(settings, outer), InvalidArgument);
}

TEST(Options, WhatSaysNothingIsNotStored) {
  Outer outer;
  outer.count = 1;
  Settings settings;
  add_settings(outer, settings);
  EXPECT_EQ(find_setting(settings, "share"), nullptr);
  find_row(rows<Outer>(), "share")->set(&outer, 0.25);  // it can be set all the same
  EXPECT_EQ(outer.inner.share, 0.25);
}

TEST(Options, TypedValuesAreRead) {
  Outer outer;
  const auto read = [&](const char* name, const char* text) { find_row(rows<Outer>(), name)->read(&outer, text); };
  read("count", "12");
  read("seed", "18446744073709551615");
  read("colour", "blue");
  read("share", "1e-1");
  read("names", "x,y");
  EXPECT_EQ(outer.count, 12);
  EXPECT_EQ(outer.seed, ~std::uint64_t(0));
  EXPECT_EQ(outer.colour, Colour::blue);
  EXPECT_EQ(outer.inner.share, 0.1);
  EXPECT_THAT(outer.inner.names, testing::ElementsAre("x", "y"));
  EXPECT_EQ(reason([&] { read("count", "0"); }), "`count`: 0 is out of range: it must be at least 1");
  EXPECT_EQ(reason([&] { read("count", "3.5"); }), "`count`: '3.5' is not a whole number");
  EXPECT_EQ(reason([&] { read("count", "3000000000"); }), "`count`: it cannot be 3000000000");
  EXPECT_EQ(reason([&] { read("count", "99999999999999999999"); }),
            "`count`: 99999999999999999999 is out of range: it must be 1 to 9223372036854775807");
  EXPECT_EQ(reason([&] { read("share", "2"); }), "`share`: 2 is out of range: it must be 0 to 1");
  EXPECT_EQ(reason([&] { read("share", "nan"); }), "`share`: 'nan' is not a number");
  EXPECT_EQ(reason([&] { read("colour", "green"); }), "`colour`: 'green' is not one of red, blue");
  EXPECT_EQ(reason([&] { read("deep", "1"); }), "`deep`: it has no place here");
}

TEST(Options, WhatDoesNotGoTogetherIsRefused) {
  const auto found = [](const Outer& outer) { return reason([&] { check_conflicts(outer); }); };
  EXPECT_EQ(found({}), "");
  EXPECT_EQ(found({.colour = Colour::blue}), "");
  EXPECT_EQ(found({.colour = Colour::blue, .inner = {.share = 0.1, .names = {}}}),
            "`share`: it does not go with `colour` blue: blue things have no share");
  EXPECT_EQ(found({.loud = false, .colour = Colour::blue}), "`loud`: false: it requires `colour` red");
  EXPECT_EQ(found({.level = 1}), "`level`: it requires `file`");
  EXPECT_EQ(found({.file = "x", .level = 1}), "");
  EXPECT_EQ(found({.file = "x", .shared = true}),
            "`file`: it does not go with several processes: one file, one process");
}

TEST(Options, TellsWhatKeepsFromSomething) {
  EXPECT_EQ(reason_against(Outer{.count = 4}, "engine=disk"), "`count` needs all entries in memory");
  EXPECT_EQ(reason_against(Outer{}, "engine=disk"), "");
}

TEST(Options, SentencesAreSpelled) {
  const auto spell = [](const std::string& name) { return name == "min_words" ? "--min-words" : std::string(); };
  EXPECT_EQ(with_spelling("a `min_words` b `copse show` c", spell), "a --min-words b `copse show` c");
  EXPECT_EQ(with_spelling("an open ` quote", spell), "an open ` quote");
}

}  // namespace
}  // namespace copse
