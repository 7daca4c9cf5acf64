// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/dry_run.h"

#include <filesystem>
#include <gmock/gmock.h>

#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

// Tasks ran in "/", and files that they named went there.
TEST(CurrentDirectory, ThatIsGoneIsAUsageError) {
  const auto before = std::filesystem::current_path();
  const test::Scratch scratch;
  const std::string gone = scratch / "gone";
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  EXPECT_EQ(current_directory().value(), std::filesystem::canonical(gone).string());
  std::filesystem::remove(gone);
  const auto here = current_directory();
  std::filesystem::current_path(before);
  ASSERT_FALSE(here);
  EXPECT_EQ(here.error().kind, ErrorKind::usage);
  EXPECT_THAT(here.error().text, ::testing::HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace dunlin::cli
