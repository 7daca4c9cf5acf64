// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_terms.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

void write_program(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), 0755);
}

TEST(LaunchTerms, ProgramsAreNamedByWhatTheyHold) {
  const test::Scratch scratch;
  for (const char* const name : {"dunlin", "dunlin-agent", "dunlin-warden"}) {
    write_program(scratch / "a/" + name, "abc");
    write_program(
        scratch / (name == std::string("dunlin") ? "b/bin/" : "b/lib/dunlin/") + name, "abc");
  }
  const auto build = read_programs(scratch / "a");
  ASSERT_TRUE(build) << build.error().text;
  ASSERT_EQ(build->files.size(), 3u);
  EXPECT_EQ(
      build->files[0].sum, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(build->hash.size(), 16u);
  EXPECT_NE(build->arch, "");
  const auto installed = read_programs(scratch / "b");
  ASSERT_TRUE(installed) << installed.error().text;
  EXPECT_EQ(installed->hash, build->hash);
  write_program(scratch / "a/dunlin-warden", "abd");
  EXPECT_NE(read_programs(scratch / "a")->hash, build->hash);
}

TEST(LaunchTerms, AMissingProgramIsNamed) {
  const test::Scratch scratch;
  const auto none = read_programs(scratch.path());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("holds no program dunlin"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::cli
