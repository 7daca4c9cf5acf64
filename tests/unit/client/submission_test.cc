// SPDX-License-Identifier: MIT
#include "node/client/submission.h"

#include <optional>
#include <utility>

#include "tests/unit/client/scripted_agent.h"

// How jobs are read, and how those that are larger than a message are submitted in pieces.
namespace dunlin::client {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kLines = 300;

/// Messages are small here, and so are the jobs that are too large for one.
constexpr std::size_t kSmall = std::size_t{64} << 10;

/// The text of a job of two groups with lines that are larger than that.
std::string large_job() {
  Json lines = Json::array();
  for (std::size_t i = 0; i < kLines; ++i) {
    lines.push_back(std::to_string(i) + std::string(600, 'x'));
  }
  const Json first = {{"command", {"true"}}};
  const Json second = {{"command", {"echo"}}, {"entries", lines}};
  return Json{{"name", "large"}, {"groups", {first, second}}}.dump();
}

class LargeJob : public ScriptedAgent {
 protected:
  LargeJob() {
    EXPECT_EQ(read_submission(large_job(), *job, kSmall).status, DUNLIN_OK);
    job->handles = 1;
    engine.submit(job);
  }
  /// Answers what comes up to the request `submit_end`, which is returned.
  Json upload(int number) {
    const Json begin = next_request("submit_begin");
    EXPECT_EQ(begin["key"], job->key);
    EXPECT_EQ(begin["groups"].size(), 2u);
    EXPECT_FALSE(begin["groups"][1].contains("entries"));
    reply(begin, {{"upload", number}});
    lines.clear();
    while (!requests.empty() && requests.front()["verb"] == "submit_lines") {
      EXPECT_LE(requests.size(), Upload::kUnderWayMax);
      const Json piece = next_request("submit_lines");
      EXPECT_EQ(piece["upload"], number);
      EXPECT_EQ(piece["group"], 1);
      for (const Json& line : piece["lines"]) lines.push_back(line);
      reply(piece, {{"lines", lines.size()}});
    }
    return next_request("submit_end");
  }

  JobPtr job = std::make_shared<Job>();
  std::vector<std::string> lines;
};

TEST_F(LargeJob, GoesInPieces) {
  connect();
  const Json end = upload(3);
  EXPECT_EQ(end["upload"], 3);
  ASSERT_EQ(lines.size(), kLines);
  for (std::size_t i = 0; i < kLines; ++i) EXPECT_EQ(std::stoul(lines[i]), i);
  reply(end, taken(7, 301));
  EXPECT_EQ(job->phase, Job::Phase::known);
  EXPECT_TRUE(job->pieces.empty()) << "their memory is not needed any more";
  EXPECT_TRUE(engine.submits().idle());
}

TEST_F(LargeJob, IsGivenToAnyAgentUntilItsEndIsSaid) {
  connect();
  reply(next_request("submit_begin"), {{"upload", 1}});
  next_request("submit_lines");
  lose();
  connect(kOther);
  const Json end = upload(1);
  EXPECT_EQ(lines.size(), kLines) << "it begins anew";
  reply(end, taken(7, 301));
  EXPECT_EQ(job->phase, Job::Phase::known);
}

TEST_F(LargeJob, IsSaidAgainToTheNodeThatMayHaveIt) {
  connect();
  upload(1);
  lose();
  connect(kOther);
  const Json asked = next_request("submitted");
  EXPECT_EQ(asked["at"], kNode);
  EXPECT_EQ(asked["key"], job->key);
  refuse(asked, "timeout", "it does not answer");
  lose();
  connect();
  reply(upload(1), taken(7, 301));
  EXPECT_EQ(job->phase, Job::Phase::known);
}

TEST_F(LargeJob, FailsWithItsFirstWrongLine) {
  connect();
  reply(next_request("submit_begin"), {{"upload", 1}});
  next_request("submit_lines");
  refuse(next_request("submit_lines"), "usage", "line 12 holds a zero byte");
  EXPECT_EQ(job->phase, Job::Phase::failed);
  EXPECT_EQ(job->problem.text, "line 12 holds a zero byte");
  const JobPtr next = submit();
  requests.clear();
  EXPECT_EQ(next_request("submit")["key"], next->key) << "and the next one goes on";
}

TEST_F(ScriptedAgent, AnAgentThatIsAboutToStopIsAskedLater) {
  const JobPtr job = submit();
  connect();
  refuse(next_request("submit"), "stopping", "it is about to stop");
  EXPECT_EQ(job->phase, Job::Phase::queued);
  lose();
  connect(kOther);
  pass(std::chrono::seconds(2));
  const Json again = next_request("submit");
  EXPECT_EQ(again["key"], job->key);
  EXPECT_FALSE(again.contains("at")) << "the node that refused it does not have it";
}

TEST_F(ScriptedAgent, ANodeThatMayHaveAJobIsAskedAgainThoughItStops) {
  const JobPtr job = submit();
  connect();
  next_request("submit");
  lose();
  connect();
  refuse(next_request("submit"), "stopping", "it is about to stop");
  lose();
  connect(kOther);
  pass(std::chrono::seconds(2));
  EXPECT_EQ(next_request("submit")["at"], kNode) << "it may have taken the job before it was lost";
}

TEST(Submission, OfALineThatIsTooLongIsRefused) {
  Json job = Json::parse(large_job());
  job["groups"][1]["entries"][7] = std::string(kSmall / 8, 'x');
  Job read;
  const Problem problem = read_submission(job.dump(), read, kSmall);
  EXPECT_EQ(problem.status, DUNLIN_USAGE);
  EXPECT_THAT(problem.text, HasSubstr("groups[1]"));
}

TEST(Submission, OfMoreThanAMessageWithoutItsLinesIsRefused) {
  Json job = Json::parse(large_job());
  job["groups"][0]["command"][0] = std::string(kSmall, 'x');
  Job read;
  EXPECT_THAT(read_submission(job.dump(), read, kSmall).text, HasSubstr("larger than 16 MiB"));
}

// `make all` finds no rule in a scratch directory, which no program asked for.
TEST(Submission, RunsWhereTheProgramIsUnlessItSaysWhere) {
  const std::string text = R"({"groups":[{"command":["make"]},{"command":["a"],"directory":""},
      {"command":["b"],"directory":"/tmp","submit_directory":"/"},{"command":["c"],"literal":true},
      7]})";
  const auto read = [&](std::optional<std::string> here) {
    Job job;
    job.directory = std::move(here);
    EXPECT_EQ(read_submission(text, job).status, DUNLIN_OK);
    return Json::parse("{" + job.members + "}")["groups"];
  };
  const Json groups = read("/data/sp%{NODE}x");
  EXPECT_EQ(groups[0]["directory"], "/data/sp%%{NODE}x") << "its name is no template";
  EXPECT_EQ(groups[0]["submit_directory"], "/data/sp%{NODE}x");
  EXPECT_EQ(groups[1]["directory"], "") << "a scratch directory, if that is what it says";
  EXPECT_EQ(groups[2]["directory"], "/tmp");
  EXPECT_EQ(groups[2]["submit_directory"], "/");
  EXPECT_EQ(groups[3]["directory"], "/data/sp%{NODE}x") << "it has no placeholders";
  EXPECT_EQ(groups[4], 7) << "the agent says what is wrong with it";
  EXPECT_EQ(read("/data/\xff")[0]["directory"], Json({{"base64", "L2RhdGEv/w=="}}));
  EXPECT_FALSE(read(std::nullopt)[0].contains("directory"));
}

TEST(Submission, OfAProgramWhoseDirectoryIsGoneMustSayWhere) {
  Job job;
  job.directory = "";
  const Problem problem =
      read_submission(R"({"groups":[{"command":["a"],"directory":"/"},{"command":["b"]}]})", job);
  EXPECT_EQ(problem.status, DUNLIN_USAGE);
  EXPECT_THAT(problem.text, HasSubstr("cannot be named"));
  EXPECT_THAT(problem.text, HasSubstr("groups[1]"));
}

// The library's own members must not make a job too large that fits without them.
TEST(Submission, IsCutWhereItsDirectoriesNeedTheRoom) {
  Json job = Json::parse(large_job());
  Job read;
  read.directory = "/" + std::string(4000, 'd');
  while (job.dump().size() > kSmall - 1000) job["groups"][1]["entries"].erase(std::size_t{0});
  EXPECT_EQ(read_submission(job.dump(), read, kSmall).status, DUNLIN_OK);
  EXPECT_FALSE(read.pieces.empty());
}

TEST(Submission, IsLookedAtBeforeItIsRead) {
  for (const char* const fine : {"{}", " {\"a\": 1}\n", "{broken}"})
    EXPECT_TRUE(may_be_object(fine));
  for (const char* const wrong : {"", " ", "no json", "{", "[1]", "{\"a\": 1"}) {
    EXPECT_FALSE(may_be_object(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dunlin::client
