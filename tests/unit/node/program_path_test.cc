// SPDX-License-Identifier: MIT
#include "node/program_path.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

constexpr const char* kVariable = "DUNLIN_TEST_PROGRAM";

class ProgramPath : public ::testing::Test {
 protected:
  ~ProgramPath() override { ::unsetenv(kVariable); }

  /// Where this test is.
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const test::Scratch scratch;
};

TEST_F(ProgramPath, IsBesideTheProgramThatAsks) {
  const auto found = find_program("unit_node", kVariable);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(*found, here / "unit_node");
}

TEST_F(ProgramPath, IsWhatTheVariableSaysAndNothingElse) {
  ::setenv(kVariable, "/bin/true", 1);
  EXPECT_EQ(find_program("unit_node", kVariable).value(), "/bin/true");
  EXPECT_EQ(find_program("unit_node").value(), here / "unit_node") << "it has no variable";
  test::write_file(scratch / "file", "no program");
  ::setenv(kVariable, (scratch / "file").c_str(), 1);
  const auto found = find_program("unit_node", kVariable);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::not_found);
  EXPECT_EQ(found.error().text,
      "there is no executable " + (scratch / "file") +
          "; reinstall Dunlin, or name it in $DUNLIN_TEST_PROGRAM");
}

}  // namespace
}  // namespace dunlin::node
