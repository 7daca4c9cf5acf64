// SPDX-License-Identifier: MIT
#include "config/text.h"

#include <gtest/gtest.h>

namespace dunlin::config {
namespace {

TEST(EditDistance, CountsChangedAddedAndMissingLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("load", "load"), 0u);
  EXPECT_EQ(edit_distance("load", "laod"), 2u);
  EXPECT_EQ(edit_distance("load", "loads"), 1u);
  EXPECT_EQ(edit_distance("load", "oad"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(ShellWord, IsQuotedIfItMustBe) {
  EXPECT_EQ(shell_word("./a-b_c=1"), "./a-b_c=1");
  EXPECT_EQ(shell_word("%{ENTRY}"), "%{ENTRY}");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

// A shell makes two words of {a,b}, and nine of {1..9}.
TEST(ShellWord, BracesThatExpandAreQuoted) {
  EXPECT_EQ(shell_word("{a,b}"), "'{a,b}'");
  EXPECT_EQ(shell_word("{1..9}"), "'{1..9}'");
  EXPECT_EQ(shell_word("a,b"), "a,b");
  EXPECT_EQ(shell_word("../a"), "../a");
}

TEST(Columns, CountCodePoints) {
  EXPECT_EQ(columns_of("größe"), 5u);
  EXPECT_EQ(shortened("größe", 5), "größe");
  EXPECT_EQ(shortened("größer", 5), "größ…");
  EXPECT_EQ(columns_of("日本語"), 6u) << "wide characters take two columns";
  EXPECT_EQ(columns_of("e\u0301"), 1u) << "an accent takes none of its own";
  EXPECT_EQ(columns_of("a\xff\xfe"), 3u) << "bytes that are no UTF-8";
  EXPECT_EQ(shortened("日本語", 5), "日本…");
  EXPECT_EQ(shortened("日本語", 4), "日…");
  EXPECT_EQ(shortened("abc", 0), "");
  EXPECT_EQ(shortened("abc", 1), "…");
}

TEST(Wrapped, BreaksAtBlanksAndIndentsTheRest) {
  EXPECT_EQ(wrapped("one two three", 0, 2), "one two three") << "no limit";
  EXPECT_EQ(wrapped("one two three", 13, 2), "one two three");
  EXPECT_EQ(wrapped("one two three", 12, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one two three", 6, 2), "one\n  two\n  three");
  EXPECT_EQ(wrapped("  label  one two", 12, 9), "  label  one\n         two") << "blanks stay";
  EXPECT_EQ(wrapped("a incomprehensible b", 8, 1), "a\n incomprehensible\n b") << "never cut";
  EXPECT_EQ(wrapped("日本 日本 日本", 9, 0), "日本 日本\n日本") << "wide characters take two";
  EXPECT_EQ(wrapped("", 5, 2), "");
}

TEST(ProgressBar, NeverClaimsTooMuch) {
  EXPECT_EQ(progress_bar(566, 1000, 20), "[###########.........]");
  EXPECT_EQ(progress_bar(999, 1000, 10), "[#########.]");
  EXPECT_EQ(progress_bar(7, 7, 10), "[##########]");
  EXPECT_EQ(progress_bar(0, 0, 4), "[....]");
}

}  // namespace
}  // namespace dunlin::config
