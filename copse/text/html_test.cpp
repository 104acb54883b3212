#include "copse/text/html.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace copse {
namespace {

// Words with single spaces between.
std::string words(std::string_view html) {
  std::string result;
  bool gap = false;
  for (const char c : text_of_html(html).text) {
    if (c == ' ' || c == '\n') {
      gap = !result.empty();
    } else {
      if (gap) result += ' ';
      gap = false;
      result += c;
    }
  }
  return result;
}

TEST(Html, TagsAreNoText) {
  EXPECT_EQ(words("<p>one<br>two<div class=\"a>b\">three</div>f<b>ou</b>r"), "one two three four");
  EXPECT_EQ(words("<li>a</li><li>b</li><table><td>c<td>d"), "a b c d");
  EXPECT_EQ(words("x<!-- comment <p> -->y<!DOCTYPE html>z<?php x ?>"), "xy z");
}

TEST(Html, ScriptsAndStylesAreNoText) {
  EXPECT_EQ(words("a<SCRIPT>if (x < y) { '</b>' }</Script>b<style>p > a {}</style>c<script>never closed"), "a b c");
}

TEST(Html, EntitiesAreDecoded) {
  EXPECT_EQ(words("&lt;b&gt; &amp; &eacute;&#233;&#xE9; &Omega;&omega; &szlig;&yuml; &euro; &hellip;"),
            "<b> & ééé Ωω ßÿ € …");
  EXPECT_EQ(words("AT&T R&D; &unknown; &#0; &#x110000; &#xD800; &"), "AT&T R&D; &unknown; \uFFFD \uFFFD \uFFFD &");
}

TEST(Html, WhatIsNoTagStays) { EXPECT_EQ(words("a < b <3 >c <"), "a < b <3 >c <"); }

TEST(Html, TheTitleIsKeptApart) {
  const HtmlText page = text_of_html("<title> A &amp; B\n</title><body>text");
  EXPECT_EQ(page.title, "A & B");
  EXPECT_EQ(page.text.find("A & B"), std::string::npos);
}

TEST(Html, HostilePagesTakeLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* piece : {"<a ='", "<!--", "<script", "<script>", "</", "&", "<b =\"\">", "&#x", "<title>"}) {
    std::string html;
    while (html.size() < 2000000) html += piece;
    text_of_html(html);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace copse
