// SPDX-License-Identifier: MIT
#include "node/task/placeholders.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

constexpr PlaceholderValues kValues{.task_index = "3",
    .task_count = "10",
    .group_index = "2",
    .job_id = "12",
    .attempt = "1",
    .entry = "a b",
    .node = "kestrel",
    .cwd = "/w",
    .submit_dir = "/s"};

TEST(Placeholders, FillsAll) {
  EXPECT_EQ(fill_placeholders("%{TASK_INDEX}/%{TASK_COUNT} %{JOB_ID}.%{ATTEMPT} [%{ENTRY}] %{NODE} "
                              "%{CWD} %{SUBMIT_DIR} %{GROUP_INDEX}",
                kValues)
                .value(),
      "3/10 12.1 [a b] kestrel /w /s 2");
  EXPECT_EQ(fill_placeholders("%{ENTRY}%{ENTRY}", kValues).value(), "a ba b");
}

TEST(Placeholders, LeavesEverythingElseAlone) {
  for (const char* text : {"", "{}", "%", "100%", "% {", "${HOME}", "%%", "}", "%d %s"}) {
    EXPECT_TRUE(check_placeholders(text));
    EXPECT_EQ(fill_placeholders(text, kValues).value(), text);
  }
}

TEST(Placeholders, RefusesUnknownOnes) {
  for (const char* text : {"%{TASK}", "%{}", "%{task_index}", "%{ TASK_INDEX}"}) {
    const auto checked = check_placeholders(text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().kind, ErrorKind::usage);
    EXPECT_THAT(checked.error().text, HasSubstr(text));
    EXPECT_THAT(checked.error().text, HasSubstr("%{TASK_INDEX}")) << "names what there is";
    EXPECT_FALSE(fill_placeholders(text, kValues));
  }
  EXPECT_FALSE(check_placeholders("%{TASK_INDEX"));
}

// curl -w '%{http_code}', rpm --qf '%{NAME}' and bash's ${x%{a} have the letters themselves.
TEST(Placeholders, TwoPercentSignsStandForTheLettersThemselves) {
  EXPECT_EQ(fill_placeholders("%%{http_code}", kValues).value(), "%{http_code}");
  EXPECT_EQ(fill_placeholders("%%{NODE}=%{NODE}", kValues).value(), "%{NODE}=kestrel");
  EXPECT_EQ(fill_placeholders("${x%%{a}", kValues).value(), "${x%{a}");
  EXPECT_EQ(fill_placeholders("100%% %%{", kValues).value(), "100%% %{");
  const auto refused = check_placeholders("%{http_code}");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("write %%{"));
  EXPECT_THAT(refused.error().text, HasSubstr("--literal"));
  EXPECT_THAT(check_placeholders("${x%{a").error().text, HasSubstr("write %%{"));
  for (const char* text : {"sp%{NODE}x", "%{", "%%{", "a%{b}%{c", ""}) {
    EXPECT_EQ(fill_placeholders(escape_placeholders(text), kValues).value(), text);
  }
}

TEST(Placeholders, AreNoneInALiteralSpec) {
  TaskSpec spec{.command = {{"curl"}, {"-w"}, {"%{http_code}"}}};
  EXPECT_FALSE(check_placeholders(spec));
  spec.literal = true;
  EXPECT_TRUE(check_placeholders(spec));
}

// A line "$(touch pwned)" would run.
TEST(Placeholders, RefusesALineWithinAShellsScript) {
  const auto checked = [](std::vector<Word> command, bool number = false) {
    TaskSpec spec;
    spec.command = std::move(command);
    return check_placeholders(spec, number);
  };
  for (const auto& shell : std::vector<std::vector<Word>>{{{"sh"}, {"-c"}},
           {{"/bin/bash"}, {"-ec"}}, {{"dash"}, {"-e"}, {"-c"}}, {{"zsh"}, {"-lc"}}}) {
    auto words = shell;
    words.push_back({"echo %{ENTRY}"});
    const auto refused = checked(words);
    ASSERT_FALSE(refused) << shell.front().text;
    EXPECT_THAT(refused.error().text, HasSubstr("\"$DUNLIN_ENTRY\""));
    EXPECT_TRUE(checked(words, true)) << "an index is a number";
    words.back() = {"echo \"$1\""};
    words.insert(words.end(), {{"sh"}, {"%{ENTRY}"}});
    EXPECT_TRUE(checked(words)) << "its argument is safe";
  }
  EXPECT_TRUE(checked({{"echo"}, {"-c"}, {"%{ENTRY}"}})) << "no shell";
  EXPECT_TRUE(checked({{"sh"}, {"%{ENTRY}"}})) << "the name of a script";
}

TEST(Placeholders, DoesNotFillWhatItFilledIn) {
  auto values = kValues;
  values.entry = "%{NODE} %{WHAT}";
  EXPECT_EQ(fill_placeholders("%{ENTRY}", values).value(), "%{NODE} %{WHAT}");
}

TEST(Placeholders, BoundsTheOutcome) {
  auto values = kValues;
  const std::string long_entry(1000, 'x');
  values.entry = long_entry;
  EXPECT_TRUE(fill_placeholders("%{ENTRY}", values, 1000));
  EXPECT_FALSE(fill_placeholders("%{ENTRY}%{ENTRY}", values, 1999));
}

TEST(Placeholders, ChecksAllOfASpec) {
  TaskSpec good;
  good.command = {{"echo"}, {"%{ENTRY}"}};
  good.environment = {{"PS1", "%{whatever}"}};  // Not filled, so not checked.
  good.stdout_path = "%{JOB_ID}.txt";
  EXPECT_TRUE(check_placeholders(good));
  auto bad = good;
  bad.command.push_back({"%{X}"});
  EXPECT_FALSE(check_placeholders(bad));
  bad = good;
  bad.stderr_path = "%{X}";
  EXPECT_FALSE(check_placeholders(bad));
  bad = good;
  bad.directory = "%{CWD}/x";
  EXPECT_FALSE(check_placeholders(bad));
}

}  // namespace
}  // namespace dunlin::node
