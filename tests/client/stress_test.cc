// SPDX-License-Identifier: MIT
#include <ostream>

#include "tests/client/python_world.h"

// The programs of tests/stress, in C, C++ and Python, under the sanitizers of the build and under
// that of threads. Each says what it is about to do, and is then left without its agent for a
// moment: in the midst of each phase.
namespace dunlin::node {
namespace {

struct Program {
  const char* name;
  bool threads;
};

void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

class LibraryStress : public PythonWorld, public ::testing::WithParamInterface<Program> {
 protected:
  static std::string command() {
    const Program& program = GetParam();
    if (std::string(program.name) == "python") {
      return python(
          "stress/stress.py", program.threads ? Sanitizer::of_threads : Sanitizer::of_build);
    }
    return std::string("timeout 120 " DUNLIN_BINARIES "/stress_") + program.name +
        (program.threads ? "_threads" : "");
  }
};

TEST_P(LibraryStress, OutlivesItsAgentInEachPhase) {
  if (command().empty()) GTEST_SKIP() << "LEFT OUT: the run time of a sanitizer for Python";
  std::FILE* const pipe = ::popen((command() + " " + agent().socket() + " 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string told;
  int phases = 0;
  std::array<char, 1024> line;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    told += line.data();
    if (std::string(line.data()).rfind("phase ", 0) != 0) continue;
    // Each time at another moment of it.
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + 37 * phases++ % 150));
    restart();
  }
  const int status = ::pclose(pipe);
  EXPECT_EQ(status, 0) << told;
  EXPECT_THAT(told, ::testing::EndsWith("good\n"));
  EXPECT_GE(phases, 3);
}

std::string name_of_program(const ::testing::TestParamInfo<Program>& each) {
  return each.param.threads ? "threads" : "build";
}

// A suite each: a suite has its time, and they run at once where there are processors.
INSTANTIATE_TEST_SUITE_P(
    C, LibraryStress, ::testing::Values(Program{"c", false}, Program{"c", true}), name_of_program);
INSTANTIATE_TEST_SUITE_P(Cxx,
    LibraryStress,
    ::testing::Values(Program{"cc", false}, Program{"cc", true}),
    name_of_program);
INSTANTIATE_TEST_SUITE_P(Python,
    LibraryStress,
    ::testing::Values(Program{"python", false}, Program{"python", true}),
    name_of_program);

}  // namespace
}  // namespace dunlin::node
