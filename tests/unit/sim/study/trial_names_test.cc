// SPDX-License-Identifier: MIT
#include "sim/study/trial_names.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>
#include <unistd.h>

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string name_of(const std::string& text, const Settings& settings = {}, std::uint64_t run = 1) {
  const Study study{.file = "x.toml", .text = text, .build = "cafe0001"};
  return TrialNames(study).of(settings, run);
}

const std::string kText = "[cluster]\npeers = 10\n[workload]\nload = 0.5\n";

// A comment in the file reran all trials of a sweep.
TEST(TrialNames, DoNotChangeWithHowTheScenarioIsWritten) {
  const std::string name = name_of(kText);
  EXPECT_THAT(name, MatchesRegex("cafe0001-[0-9a-f]+\\.json"));
  EXPECT_EQ(name_of("# Why.\ntitle = \"new\"\n" + kText), name);
  EXPECT_EQ(name_of("[workload]\nload = 0.50\n\n[cluster]\npeers=10   # Few.\n"), name);
  EXPECT_EQ(name_of(kText + "[sweep]\nreplications = 7\naxes = [\"hops_max=1,2\"]\n"), name);
  EXPECT_EQ(name_of(kText + "[simulation]\nduration = \"60s\"\n"), name) << "60 s is the default";
  EXPECT_EQ(name_of("", {"peers=10", "workload.load=.5"}), name);
  EXPECT_EQ(name_of(kText, {"load=0.9", "load=0.5"}), name) << "the last setting counts";
}

TEST(TrialNames, ChangeWithAllThatARunDependsOn) {
  const std::string name = name_of(kText);
  EXPECT_NE(name_of(kText, {"load=0.6"}), name);
  EXPECT_NE(name_of(kText, {"seed=2"}), name);
  EXPECT_NE(name_of(kText, {}, 2), name);
  EXPECT_NE(name_of(kText, {"scale=2"}), name);
  EXPECT_NE(name_of(kText, {"ns3::UdpSocket::RcvBufSize=65536"}), name);
  const Study rebuilt{.file = "x.toml", .text = kText, .build = "cafe0002"};
  EXPECT_NE(TrialNames(rebuilt).of({}, 1), name);
}

TEST(TrialNames, WhatCannotBeReadHasANameOfItsOwn) {
  EXPECT_NE(name_of(kText, {"beauty=1"}), name_of(kText, {"beauty=2"}));
  EXPECT_NE(name_of(kText, {"beauty=1"}), name_of(kText, {"beauty=1"}, 2));
}

// The file may move; what it holds may not change.
TEST(TrialNames, ATraceCountsByItsBytes) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("dunlin-names-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "other");
  std::ofstream(folder / "a.tr") << "0 1 1 1\n";
  std::ofstream(folder / "other/b.tr") << "0 1 1 1\n";
  const auto name = [&](const std::string& data, const std::string& file) {
    return name_of("", {"kind=tr", "trace.data=" + (folder / data).string(), "trace.file=" + file});
  };
  const std::string before = name("", "a.tr");
  EXPECT_EQ(name("other", "b.tr"), before);
  std::ofstream(folder / "a.tr") << "0 1 2 2\n";
  EXPECT_NE(name("", "a.tr"), before);
  std::filesystem::remove_all(folder);
}

TEST(TrialNames, ABuildIsNamedByTheProgram) {
  EXPECT_THAT(build_of_this_program(), MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(build_of_this_program().size(), 8u);
  EXPECT_EQ(build_of_this_program(), build_of_this_program());
  EXPECT_NE(build_of_this_program(), "00000000");
}

// The event loop is ns-3's: another ns-3 is another program.
TEST(TrialNames, TheLibrariesOfTheEventLoopCount) {
  std::istringstream maps(
      "7f00-7f10 r-xp 00000000 08:01 12 /usr/lib/libns3.37-core.so\n"
      "7f10-7f20 r--p 00000000 08:01 12 /usr/lib/libns3.37-core.so\n"
      "7f20-7f30 r-xp 00000000 08:01 13 /usr/lib/libc.so.6\n"
      "7f30-7f40 rw-p 00000000 00:00 0\n");
  EXPECT_THAT(libraries_in(maps), ElementsAre("/usr/lib/libns3.37-core.so"));
}

}  // namespace
}  // namespace dunlin::sim
