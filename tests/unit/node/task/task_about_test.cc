// SPDX-License-Identifier: MIT
#include "node/task/task_about.h"

#include <gtest/gtest.h>

#include "node/utf8.h"

namespace dunlin::node {
namespace {

TaskSpec spec_of(std::vector<std::string> words) {
  TaskSpec spec;
  spec.owner = "anna";
  for (std::string& word : words) {
    spec.command.emplace_back();
    spec.command.back().text = std::move(word);
  }
  return spec;
}

TaskAbout about_words(std::vector<std::string> words) {
  sched::Launch launch;
  launch.job_name = "train";
  return about_task(launch, spec_of(std::move(words)));
}

TEST(TaskAbout, HasWhatPeopleAskFor) {
  const TaskAbout about = about_words({"sh", "-c", "sleep 10"});
  EXPECT_EQ(about.owner, "anna");
  EXPECT_EQ(about.job_name, "train");
  EXPECT_EQ(about.command, (std::vector<std::string>{"sh", "-c", "sleep 10"}));
}

TEST(TaskAbout, OfAScriptItHasTheFirstLine) {
  TaskSpec spec{.script = "#!/bin/sh -e\nrm -r old\n", .arguments = {{"a"}}};
  EXPECT_EQ(about_task({}, spec).command, (std::vector<std::string>{"#!/bin/sh -e", "a"}));
}

// A command may be megabytes, and lies in memory as long as its task runs.
TEST(TaskAbout, ALongCommandIsCutOff) {
  const TaskAbout about = about_words({std::string(kCommandShown - 1, 'x'), "\u00e9\u00e9", "y"});
  ASSERT_EQ(about.command.size(), 3u);
  EXPECT_EQ(about.command[1], "...") << "no part of a character";
  EXPECT_EQ(about.command[2], "...");
  const TaskAbout many = about_words(std::vector<std::string>(100, "a"));
  EXPECT_EQ(many.command.size(), kWordsShown + 1);
  EXPECT_EQ(many.command.back(), "...");
  for (const std::string& word : about.command) EXPECT_TRUE(is_utf8(word));
}

}  // namespace
}  // namespace dunlin::node
