// SPDX-License-Identifier: MIT
#include "node/control/submit/script_json.h"

#include <gmock/gmock.h>
#include <span>
#include <string>
#include <vector>

#include "node/codec.h"
#include "node/control/job_json.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

std::string script_error(const char* text) {
  const auto job = parse_job(Json::parse(text));
  return job ? "" : job.error().text;
}

TaskSpec spec_of(const char* request) {
  const auto job = parse_job(Json::parse(request));
  EXPECT_TRUE(job) << job.error().text;
  if (!job) return {};
  const auto spec = decode_task_spec(std::as_bytes(std::span(job->groups[0].spec)));
  EXPECT_TRUE(spec);
  return spec.value_or(TaskSpec{});
}

TEST(ScriptJson, AScriptTakesTheCommandAsItsArguments) {
  const TaskSpec spec = spec_of(
      R"({"groups": [{"script": "#!/bin/sh\necho $1\n", "command": ["%{TASK_INDEX}", "b"]}]})");
  EXPECT_EQ(spec.script, "#!/bin/sh\necho $1\n");
  EXPECT_TRUE(spec.command.empty()) << "a build before refuses it, and runs no argument";
  EXPECT_EQ(spec.arguments, (std::vector<Word>{{"%{TASK_INDEX}"}, {"b"}}));
  EXPECT_TRUE(spec_of(R"({"groups": [{"script": "#!/bin/sh\n"}]})").arguments.empty());

  EXPECT_THAT(script_error(R"({"groups": [{"script": "echo", "command": ["a"]}]})"),
      HasSubstr("the script has no #! line: begin it with"));
  EXPECT_THAT(script_error(R"({"groups": [{"script": "", "command": ["a"]}]})"),
      HasSubstr("'groups[0].script' must be a text that begins with a #! line"));
  EXPECT_THAT(
      script_error(R"({"groups": [{"script": ["#!/bin/sh"]}]})"), HasSubstr("groups[0].script"));
  EXPECT_THAT(script_error(R"({"groups": [{"script": "#!/bin/sh", "command": ["%{x}"]}]})"),
      HasSubstr("unknown placeholder"));
  const Json large = {{"groups", {{{"script", "#!/bin/sh\n" + std::string(1 << 20, '#')}}}}};
  EXPECT_THAT(script_error(large.dump().c_str()), HasSubstr("groups[0].script"));
  const Json whole = {{"groups",
      {{{"script", "#!/bin/sh\n" + std::string((1 << 20) - 10, '#')}, {"command", {"one more"}}}}}};
  EXPECT_THAT(script_error(whole.dump().c_str()),
      HasSubstr("the script, its arguments and its environment have 1048584 bytes"));
}

TEST(ScriptJson, AListingShowsItsFirstLineAndItsSize) {
  Json group = Json::object();
  put_script_summary(group, {.script = "#!/bin/sh -e\nsecret\n"});
  EXPECT_EQ(group, (Json{{"script_line", "#!/bin/sh -e"}, {"script_bytes", 20}}));
  put_script_summary(group, {.command = {{"true"}}});
  EXPECT_EQ(group, (Json{{"script_line", ""}, {"script_bytes", 0}}));
}

}  // namespace
}  // namespace dunlin::node
