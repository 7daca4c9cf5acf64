// SPDX-License-Identifier: MIT
#include "config/manual/mdoc.h"

#include <gtest/gtest.h>

namespace dunlin::config {
namespace {

// A line that begins so would be a request, and be lost.
TEST(Mdoc, ALineNeverBeginsARequest) {
  EXPECT_EQ(mdoc_text(".Sh is a request"), "\\&.Sh is a request\n");
  EXPECT_EQ(mdoc_text("'br too"), "\\&'br too\n");
  EXPECT_EQ(mdoc_code(".profile"), "\\&.profile");
  // Where lines are broken, too: the second of these begins with a dot.
  const std::string text = mdoc_text(std::string(40, 'a') + " " + std::string(36, 'b') + " .toml");
  EXPECT_EQ(text, std::string(40, 'a') + " " + std::string(36, 'b') + "\n\\&.toml\n");
}

TEST(Mdoc, BackslashesAndControlCharactersAreHarmless) {
  EXPECT_EQ(mdoc_text("a\\fBb"), "a\\efBb\n");
  EXPECT_EQ(mdoc_code("printf '\\n'"), "printf \\(aq\\en\\(aq");
  EXPECT_EQ(mdoc_text("a\tb\x1b[1m"), "a b [1m\n");
}

// A printer of pages may turn a bare hyphen into one that no shell knows.
TEST(Mdoc, WhatIsTypedKeepsItsHyphensAndQuotes) {
  EXPECT_EQ(mdoc_text("as --each-line does, or -n"), "as \\-\\-each\\-line does, or \\-n\n");
  EXPECT_EQ(mdoc_text("well-known, 0-99"), "well-known, 0-99\n");
  EXPECT_EQ(
      mdoc_text("say `it's a-b` or (--off)'s"), "say \\fBit\\(aqs a\\-b\\fR or (\\-\\-off)'s\n");
  EXPECT_EQ(mdoc_code("a -- `b` ~/c ^d"), "a \\-\\- \\(gab\\(ga \\(ti/c \\(had");
  EXPECT_EQ(mdoc_name("dunlin-node-drain"), "dunlin-node-drain");
}

TEST(Mdoc, ASentenceEndsItsLineAndAnEmptyLineAParagraph) {
  EXPECT_EQ(
      mdoc_text("One. Two? Three of v1.2.\n\nFour"), "One.\nTwo?\nThree of v1.2.\n.Pp\nFour\n");
  EXPECT_EQ(mdoc_text(""), "");
  EXPECT_EQ(mdoc_text("ends in blanks.   "), "ends in blanks.\n");
}

TEST(Mdoc, AnArgumentIsNoMacroAndNoPunctuation) {
  EXPECT_EQ(mdoc_word("No"), "\\&No");
  EXPECT_EQ(mdoc_word("N"), "N");
  EXPECT_EQ(mdoc_word("FILE"), "FILE");
  EXPECT_EQ(mdoc_word("."), "\\&.");
  EXPECT_EQ(mdoc_word("[cyclon]"), "\\&[cyclon]");
  EXPECT_EQ(mdoc_word("NAME WEIGHT"), "NAME\\ WEIGHT");
  EXPECT_EQ(mdoc_word("\"a\""), "\\(dqa\\(dq");
  EXPECT_EQ(mdoc_word("-count"), "\\-count");
}

TEST(Mdoc, OtherLettersAreNamedByNumber) {
  EXPECT_EQ(mdoc_text("caf\xc3\xa9 \xe2\x88\x92 \xf0\x9f\x90\xa6"),
      "caf\\[u00E9] \\[u2212] \\[u1F426]\n");
  EXPECT_EQ(mdoc_text("a\xff\xc3"), "a??\n");
}

}  // namespace
}  // namespace dunlin::config
