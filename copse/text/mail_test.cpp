#include "copse/text/mail.h"

#include <gtest/gtest.h>

namespace copse {
namespace {

std::string stripped(std::string_view text, const MailOptions& options) {
  std::string kept = "left over";
  strip_mail(text, options, kept);
  return kept;
}

const std::string letter =
    "From: someone@example.org\n"
    "Subject: Re: a question\n"
    "X-Long: first\n second\n"
    "\n"
    "In article <1@x> another writes:\n"
    "> is this\n"
    "  > so?\n"
    "| or that\n"
    "Yes: it is.\n"
    "--\n"
    "Sincerely\n";

TEST(Mail, HeadersEndAtTheFirstBlankLine) {
  const std::string kept = stripped(letter, {.drop_headers = true});
  EXPECT_EQ(kept, letter.substr(letter.find("In article")));
  EXPECT_EQ(stripped("No header here.\n\nText", {.drop_headers = true}), "No header here.\n\nText");
  EXPECT_EQ(stripped("Note: this is a text\nof two lines\n\nand more", {.drop_headers = true}),
            "Note: this is a text\nof two lines\n\nand more");
  EXPECT_EQ(stripped("", {.drop_headers = true}), "");
}

TEST(Mail, QuotesGoWithTheLineThatAnnouncesThem) {
  EXPECT_EQ(stripped("Hello,\nX wrote:\n> old\nnew\n", {.drop_quotes = true}), "Hello,\nnew\n");
}

TEST(Mail, TheSignatureIsWhatFollowsTheLastDashes) {
  EXPECT_EQ(stripped("a\n--\nb\n-- \nc\n", {.drop_signature = true}), "a\n--\nb\n");
  EXPECT_EQ(stripped("a -- b\n---\nc", {.drop_signature = true}), "a -- b\n---\nc");
}

TEST(Mail, AllTogether) {
  EXPECT_EQ(stripped(letter, {.drop_headers = true, .drop_quotes = true, .drop_signature = true}), "Yes: it is.\n");
  EXPECT_EQ(stripped(letter, {}), letter);
}

}  // namespace
}  // namespace copse
