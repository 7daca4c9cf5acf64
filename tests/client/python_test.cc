// SPDX-License-Identifier: MIT
#include "tests/client/library_world.h"

// What programs in Python do: tests/client/python_uses.py has the cases.
namespace dunlin::node {
namespace {

class LibraryPython : public LibraryWorld, public ::testing::WithParamInterface<const char*> {};

TEST_P(LibraryPython, Works) {
#if defined(DUNLIN_SANITIZED)
  GTEST_SKIP() << "the interpreter cannot load a library that is built with the address sanitizer";
#endif
  const std::string python =
      "cd " DUNLIN_SOURCE_DIR "/tests/client && DUNLIN_LIBRARY=" DUNLIN_LIBRARY
      " PYTHONPATH=../../node/client/python PYTHONDONTWRITEBYTECODE=1"
      " timeout 120 " DUNLIN_PYTHON " python_uses.py ";
  const std::string told =
      shell(python + GetParam() + " " + agent().socket() + " && echo well ended");
  EXPECT_THAT(told, ::testing::EndsWith("good\nwell ended\n"));
}

INSTANTIATE_TEST_SUITE_P(Each,
    LibraryPython,
    ::testing::Values("exits_while_calls_are_due",
        "calls_each_once",
        "exceptions_are_copied",
        "errors_are_seen_though_no_agent_answers",
        "ctrl_c_ends_each_wait",
        "commands_are_lists",
        "a_child_is_told",
        "functions_of_any_kind",
        "futures_are_cancelled"),
    [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace dunlin::node
