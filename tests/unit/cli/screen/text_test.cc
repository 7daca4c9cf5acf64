// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/text.h"

#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

TEST(Text, AgesGrowCoarser) {
  EXPECT_EQ(age_text(0.42), "0.4 s");
  EXPECT_EQ(age_text(12.9), "12 s");
  EXPECT_EQ(age_text(118), "1m58s");
  EXPECT_EQ(age_text(2 * 3600 + 180), "2h03m");
  EXPECT_EQ(age_text(3 * 86400 + 4 * 3600), "3d04h");
  EXPECT_EQ(age_text(-1), "0.0 s");
}

TEST(Text, SpansKeepTheirPrecision) {
  EXPECT_EQ(span_text(0.0021), "2.1 ms");
  EXPECT_EQ(span_text(0.041), "41 ms");
  EXPECT_EQ(span_text(1.25), "1.25 s");
  EXPECT_EQ(span_text(12.34), "12.3 s");
  EXPECT_EQ(span_text(192), "3m12s");
}

TEST(Text, Bytes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(12ull << 20), "12.0 MiB");
  EXPECT_EQ(bytes_text((1ull << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(1'048'268), "1.0 MiB") << "1023.7 KiB would print as 1024 KiB";
}

TEST(Text, TimesAreIsoInUtc) {
  EXPECT_EQ(iso_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(1'700'000'000'123'456'789), "2023-11-14T22:13:20Z");
}

TEST(Text, ExactTimesHaveNineDigitsOfASecond) {
  EXPECT_EQ(exact_iso_time(1'700'000'000'123'456'789), "2023-11-14T22:13:20.123456789Z");
  EXPECT_EQ(exact_iso_time(1'700'000'000'000'000'005), "2023-11-14T22:13:20.000000005Z");
  EXPECT_EQ(exact_iso_time(1'700'000'000'000'000'000), "2023-11-14T22:13:20.000000000Z");
}

// The name that a stranger gave a job must not move the cursor of a user that lists it.
TEST(Text, ControlCharactersAreDefused) {
  EXPECT_EQ(printable("a\033[2Jb\nc\x7f"), "a?[2Jb?c?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "1m"),
      "?1m");  // The one-character CSI.
  EXPECT_EQ(printable("größe → 3"), "größe → 3");
  EXPECT_EQ(printable("safe\u202egpj.exe\u2066x\u2069"), "safe?gpj.exe?x?");
  EXPECT_EQ(printable("a\u200eb\u061cc\u2028d\ufeffe"), "a?b?c?d?e");
  EXPECT_EQ(printable("\u0645\u06cc\u200c\u062e"), "\u0645\u06cc\u200c\u062e")
      << "a joiner is text";
  EXPECT_EQ(printable("\xff\xc3"), "??");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");  // A surrogate.
}

TEST(Text, WordsAreQuotedForShells) {
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("größe"), "'größe'");
  EXPECT_EQ(shell_word("caf\xe9's\n1\\"), R"($'caf\351\'s\0121\\')");
}

}  // namespace
}  // namespace dunlin::cli
