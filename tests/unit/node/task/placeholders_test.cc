// SPDX-License-Identifier: MIT
#include "node/task/placeholders.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

constexpr PlaceholderValues kValues{.task_index = "3",
    .task_count = "10",
    .job_id = "12",
    .attempt = "1",
    .entry = "a b",
    .node = "kestrel",
    .cwd = "/w",
    .submit_dir = "/s"};

TEST(Placeholders, FillsAll) {
  EXPECT_EQ(fill_placeholders("%{TASK_INDEX}/%{TASK_COUNT} %{JOB_ID}.%{ATTEMPT} [%{ENTRY}] %{NODE} "
                              "%{CWD} %{SUBMIT_DIR}",
                kValues)
                .value(),
      "3/10 12.1 [a b] kestrel /w /s");
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
