// SPDX-License-Identifier: MIT
#include "node/task/task_script.h"

#include <gmock/gmock.h>

#include "node/task/placeholders.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problem(const std::string& script) {
  const auto read = check_script({.script = script});
  return read ? "" : read.error().text;
}

TEST(TaskScript, ItsFirstLineIsReadAsLinuxReadsIt) {
  const auto words = [](const std::string& script) {
    const auto read = interpreter_of(script);
    return read ? read->program + "|" + read->argument : read.error().text;
  };
  EXPECT_EQ(words("#!/bin/bash\necho\n"), "/bin/bash|");
  EXPECT_EQ(words("#! \t/usr/bin/env python3\nprint(1)"), "/usr/bin/env|python3");
  EXPECT_EQ(words("#!/usr/bin/awk  -v x=1 -f \t\n"), "/usr/bin/awk|-v x=1 -f") << "one word";
  EXPECT_EQ(words("#!/bin/true"), "/bin/true|") << "without a line end";
}

TEST(TaskScript, WhatCannotRunIsRefusedWithItsCure) {
  EXPECT_EQ(problem(""), "") << "there is none";
  EXPECT_EQ(problem("#!/bin/sh\n"), "");
  for (const char* const script :
      {"echo hello\n", "\xef\xbb\xbf#!/bin/sh\n", "#", "\n#!/bin/sh\n"}) {
    EXPECT_THAT(problem(script), StartsWith("the script has no #! line: begin it with")) << script;
  }
  for (const char* const script : {"#!\n", "#! \t \n/bin/sh", "#!python3\n", "#!./run x\n"}) {
    EXPECT_THAT(problem(script), HasSubstr("names no absolute path: begin it with")) << script;
  }
  EXPECT_THAT(problem("#!/bin/sh\r\necho\r\n"), HasSubstr("dos2unix"));
  EXPECT_THAT(problem(std::string("#!/bin/sh\n\0", 11)), HasSubstr("zero byte"));
  EXPECT_EQ(problem("#!/" + std::string(4093, 'x') + "\n"), "");
  EXPECT_EQ(problem("#!/" + std::string(4094, 'x') + "\n"),
      "the #! line of the script has 4097 bytes, and may have 4096");
}

TEST(TaskScript, PeopleSeeItsFirstLine) {
  EXPECT_EQ(first_line_of("#!/bin/sh -e\necho secret\n"), "#!/bin/sh -e");
  EXPECT_EQ(first_line_of(""), "");
  EXPECT_EQ(first_line_of(std::string(1000, 'x')).size(), kScriptLineShown);
  const std::string wide = std::string(kScriptLineShown - 1, 'x') + "\u00e9";
  EXPECT_EQ(first_line_of(wide).size(), kScriptLineShown - 1) << "no part of a character";
}

// "sh -c 'echo %{ENTRY}'" is an injection where it is a command.
TEST(TaskScript, ItsArgumentsHavePlaceholdersAndItsTextHasNone) {
  TaskSpec spec{.script = "#!/bin/sh\ndate +%{unknown}\n"};
  EXPECT_TRUE(check_placeholders(spec));
  spec.arguments = {{"sh"}, {"-c"}, {"%{ENTRY}"}};
  EXPECT_TRUE(check_placeholders(spec));
  spec.arguments = {{"%{unknown}"}};
  EXPECT_THAT(check_placeholders(spec).error().text, HasSubstr("unknown placeholder"));
}

}  // namespace
}  // namespace dunlin::node
