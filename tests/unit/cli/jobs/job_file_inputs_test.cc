// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "tools/dunlin/jobs/input_list.h"
#include "tools/dunlin/jobs/job_file.h"

// What job files say of the inputs of tasks.
namespace dunlin::cli {
namespace {

// The protocol has a list of that name.
TEST(JobFileInputList, StandsInTheFile) {
  const std::string head = "[[group]]\ncommand = [\"x\"]\ncount = 2\n";
  const auto job = parse_job_file(head + "inputs = [\"1M@a\", \"2G@b,c\"]\n", "job.toml", "/");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->groups[0].inputs, (std::vector<std::string>{"1M@a", "2G@b,c"}));
  const auto refused = parse_job_file(head + "inputs = [\"a\"]\n", "job.toml", "/");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text.rfind("job.toml:4: inputs: ", 0), 0u) << refused.error().text;
}

Result<JobRequest> parse_inputs(std::string_view text) {
  return parse_job_file(text, "job.toml", "/here");
}

std::string input_problem(std::string_view text) {
  const auto request = parse_inputs(text);
  EXPECT_FALSE(request) << text;
  return request ? "" : request.error().text;
}

TEST(JobFileInputs, TasksMayHaveInputs) {
  const auto request = parse_inputs(R"(
[[group]]
command = "cat"
input = "2G@merlin,hobby"
[[group]]
command = "true"
)");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->groups[0].inputs, std::vector<std::string>{"2G@merlin,hobby"});
  EXPECT_EQ(to_json(*request)["groups"][0]["inputs"][0], "2G@merlin,hobby");
  EXPECT_FALSE(to_json(*request)["groups"][1].contains("inputs"));
}

TEST(JobFileInputs, AByteOrderMarkIsPartOfNoText) {
  const auto inputs = parse_input_list(
      "\xef\xbb\xbf"
      "2G@a\n1G@b\n",
      "x");
  ASSERT_TRUE(inputs) << inputs.error().text;
  EXPECT_EQ(*inputs, (std::vector<std::string>{"2G@a", "1G@b"}));
  const auto request = parse_inputs("\xef\xbb\xbf[[group]]\ncommand = \"true\"\n");
  EXPECT_TRUE(request) << request.error().text;
}

TEST(JobFileInputs, MistakesInInputsNameTheirLine) {
  const auto with = [](const std::string& line) {
    return input_problem("[[group]]\ncommand = \"true\"\n" + line + "\n");
  };
  EXPECT_EQ(with("input = 7"), "job.toml:3: input: must be a string such as \"2G@node1,node2\"");
  EXPECT_EQ(with("input = \"2G\""),
      "job.toml:3: input: '2G' is no input: it names no node; write its size and the nodes that "
      "have it, such as 2G@node1,node2");
  EXPECT_EQ(with("input = \"2G@a\"\ninputs = \"list\""),
      "job.toml:4: inputs: the group has an input for all its tasks already; leave out one of "
      "both");
}

// The list stands beside the job file, wherever the user is.
TEST(JobFileInputs, AListHasAnInputForEachTask) {
  const test::Scratch scratch;
  const auto write = [&](const std::string& name, const std::string& text) {
    test::write_file(scratch / name, text);
  };
  const std::string path = scratch / "job.toml";
  write("job.toml", "[[group]]\ncommand = \"true\"\ncount = 3\ninputs = \"list\"\n");
  write("list", "1M@a\n\n2M@b,c\r\n1M@a");
  auto request = read_job_file(path, "/elsewhere");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->groups[0].inputs, (std::vector<std::string>{"1M@a", "2M@b,c", "1M@a"}));
  EXPECT_TRUE(complete(*request));
  write("list", "1M@a\n2M\n");
  request = read_job_file(path, "/elsewhere");
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().text.find("/list:2: '2M' is no input"), std::string::npos)
      << request.error().text;
  EXPECT_EQ(request.error().text.find(path + ":1: inputs: "), 0u) << request.error().text;
  write("list", "\n");
  EXPECT_NE(read_job_file(path, "").error().text.find("list has no inputs"), std::string::npos);
  write("list", "1M@a\n1M@b\n");
  request = read_job_file(path, "/elsewhere");
  ASSERT_TRUE(request);
  const auto counted = complete(*request);
  ASSERT_FALSE(counted);
  EXPECT_NE(counted.error().text.find("2 inputs for 3 tasks"), std::string::npos);
}

TEST(JobFileInputs, AMissingListOfInputsSaysSo) {
  const test::Scratch scratch;
  const std::string path = scratch / "job.toml";
  test::write_file(path, "[[group]]\ncommand = \"true\"\ninputs = \"nowhere\"\n");
  const auto request = read_job_file(path, "/elsewhere");
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().text.find("nowhere: No such file"), std::string::npos);
  EXPECT_EQ(request.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace dunlin::cli
