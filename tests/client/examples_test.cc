// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>

#include "tests/client/library_world.h"

// The examples of node/client/examples, built, and run with a real agent.
namespace dunlin::node {
namespace {

constexpr const char* kCounted = "3 the\n2 dunlin\n1 runs\n";

class LibraryExamples : public LibraryWorld {
 protected:
  /// A folder of texts.
  std::string texts() {
    const std::string folder = home + "/texts";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/a.txt") << "the owl and the dunlin\n";
    std::ofstream(folder + "/b.txt") << "the dunlin\nruns\n";
    return folder;
  }
};

TEST_F(LibraryExamples, OfCAndCxxRun) {
  const std::string folder = DUNLIN_BINARIES;
  const std::string there = " " + agent().socket();
  EXPECT_EQ(shell(folder + "/example_background" + there), "local 2999997, squares 14\n");
  EXPECT_THAT(
      shell(folder + "/example_sweep" + there), ::testing::EndsWith("3 of 9 values are good\n"));
  EXPECT_EQ(shell(folder + "/example_map_reduce " + texts() + there), kCounted);
  EXPECT_EQ(shell(folder + "/example_event_loop" + there), "6 tasks are done\n");
}

TEST_F(LibraryExamples, OfPythonRun) {
#if defined(DUNLIN_SANITIZED)
  GTEST_SKIP() << "the interpreter cannot load a library that is built with the address sanitizer";
#endif
  const std::string python =
      "cd " DUNLIN_SOURCE_DIR "/node/client/examples && DUNLIN_LIBRARY=" DUNLIN_LIBRARY
      " PYTHONPATH=../python PYTHONDONTWRITEBYTECODE=1 " DUNLIN_PYTHON " ";
  const std::string there = " " + agent().socket();
  EXPECT_EQ(shell(python + "background.py" + there), "local 2999997, squares 14\n");
  EXPECT_EQ(shell(python + "sweep.py" + there), "3 of 9 values are good\n");
  EXPECT_EQ(shell(python + "map_reduce.py " + texts() + there), kCounted);
  EXPECT_EQ(shell(python + "functions.py" + there), "154\na command, too\n");
}

}  // namespace
}  // namespace dunlin::node
