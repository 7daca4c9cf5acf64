// SPDX-License-Identifier: MIT
#include <iostream>

#include "tests/client/python_world.h"

// What programs in Python do: tests/client/python_uses.py and python_functions.py have the cases.
namespace dunlin::node {
namespace {

class LibraryPython : public PythonWorld, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Runs the case that the parameter names. What it leaves out, it says.
  void run(const std::string& file) {
    const std::string command = python("client/" + file);
    if (command.empty()) GTEST_SKIP() << "LEFT OUT: the run time of the address sanitizer";
    const std::string told =
        shell(command + " " + GetParam() + " " + agent().socket() + " && echo well ended");
    EXPECT_THAT(told, ::testing::EndsWith("good\nwell ended\n"));
    std::cout << told;
  }
};

std::string name_of(const ::testing::TestParamInfo<const char*>& each) {
  return each.param;
}

TEST_P(LibraryPython, Works) {
  run("python_uses.py");
}

INSTANTIATE_TEST_SUITE_P(Each,
    LibraryPython,
    ::testing::Values("exits_while_calls_are_due",
        "exits_while_a_loop_waits",
        "calls_each_once",
        "exceptions_are_copied",
        "errors_are_seen_though_no_agent_answers",
        "ctrl_c_ends_each_wait",
        "commands_are_lists",
        "jobs_start_where_the_program_is",
        "commands_may_be_large",
        "words_are_those_of_a_job_file",
        "agents_are_asked",
        "a_child_is_told"),
    name_of);

using PythonFunctions = LibraryPython;

TEST_P(PythonFunctions, Work) {
  run("python_functions.py");
}

INSTANTIATE_TEST_SUITE_P(Each,
    PythonFunctions,
    ::testing::Values("functions_of_any_kind",
        "what_functions_print_is_apart",
        "calls_are_quick",
        "workers_stay",
        "dead_workers_are_replaced",
        "a_second_attempt_does_the_call_again",
        "calls_are_cancelled",
        "ctrl_c_says_what_runs_on",
        "futures_are_cancelled",
        "threads_and_loops"),
    name_of);

INSTANTIATE_TEST_SUITE_P(Large,
    PythonFunctions,
    ::testing::Values("arguments_and_answers_are_large", "arrays_of_numpy"),
    name_of);

}  // namespace
}  // namespace dunlin::node
