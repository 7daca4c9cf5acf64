// SPDX-License-Identifier: MIT
#include "config/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <gtest/gtest.h>
#include <iostream>
#include <string>

#include "tests/support/full_stdout.h"

namespace dunlin::config {
namespace {

TEST(StandardOutput, PassesAllThatIsPrintedInOrder) {
  ::testing::internal::CaptureStdout();
  {
    StandardOutput output;
    std::printf("one %d\n", 1);
    std::cout << "two " << 2 << '\n';
    std::puts("three");
    std::cout << std::string(100'000, 'x') << std::flush;
    EXPECT_EQ(output.finish(), 0);
  }
  std::cout << "\nafter it\n";
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
      "one 1\ntwo 2\nthree\n" + std::string(100'000, 'x') + "\nafter it\n");
}

TEST(StandardOutput, RemembersWhyTheFirstWriteFailed) {
  const auto printed = [](const std::string& text, bool by_cout) {
    const test::FullStdout full;
    StandardOutput output;
    if (by_cout) {
      std::cout << text;
    } else {
      std::fputs(text.c_str(), stdout);
    }
    errno = 0;
    return output.finish();
  };
  for (const bool by_cout : {false, true}) {
    EXPECT_EQ(printed("", by_cout), 0) << "nothing to write, nothing lost";
    EXPECT_EQ(printed("short", by_cout), ENOSPC);
    EXPECT_EQ(printed(std::string(1'000'000, 'x'), by_cout), ENOSPC) << "it failed long ago";
  }
  EXPECT_EQ(unwritten_text("stdout", ENOSPC), "cannot write to stdout: No space left on device");
}

}  // namespace
}  // namespace dunlin::config
