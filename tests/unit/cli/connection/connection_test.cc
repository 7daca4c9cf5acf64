// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/connection.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/cli/connection/fake_agent.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_request.h"
#include "tools/dunlin/jobs/submission.h"

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

TEST(Connection, AsksAndIsAnswered) {
  FakeAgent agent([](FakeAgent& on) {
    const Json request = on.request();
    EXPECT_EQ(request["verb"], "status");
    on.reply(request, {{"name", "merlin"}});
  });
  auto connection = agent.connect();
  const auto reply = connection.ask("status");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ((*reply)["name"], "merlin");
}

TEST(Connection, RepliesToOthersAreKept) {
  FakeAgent agent([](FakeAgent& on) {
    const Json watch = on.request();
    const Json cancel = on.request();
    on.reply(watch, {{"n", 1}}, false);
    on.reply(cancel, {{"n", 2}});
    on.reply(watch, {{"n", 3}});
  });
  auto connection = agent.connect();
  const auto watch = connection.start("watch");
  EXPECT_EQ((*connection.ask("cancel"))["n"], 2);
  EXPECT_EQ(connection.next()->ok["n"], 1);
  const auto last = connection.next();
  EXPECT_EQ(last->id, *watch);
  EXPECT_TRUE(last->end);
}

JobRequest one_task() {
  JobRequest request;
  GroupRequest& group = request.groups.emplace_back();
  group.spec.command.emplace_back().text = "true";
  return request;
}

const Terminal kNoTerminal{};

TEST(Submission, IsSaidAgainToAnAgentThatWentAwayBeforeItAnswered) {
  Json first;
  FakeAgent dying([&](FakeAgent& on) { first = on.request(); });
  FakeAgent next([&](FakeAgent& on) {
    Json second = on.request();
    EXPECT_EQ(second["verb"], "submit");
    EXPECT_EQ(second["key"].get<std::string>().size(), 32u);
    EXPECT_EQ(second["key"], first["key"]);
    EXPECT_EQ(second["groups"], first["groups"]);
    on.reply(second, {{"number", 7}, {"tasks", 1}});
  });
  int dials = 0;
  Connection agent = dying.connect([&]() -> Result<std::unique_ptr<Channel>> {
    if (++dials == 1) return failure(ErrorKind::io, "it is not up yet");
    return next.channel();
  });
  const auto job = submit(agent, one_task(), kNoTerminal);
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->number, 7u);
  EXPECT_EQ(dials, 2);
}

TEST(Submission, ARefusalIsNotSaidAgain) {
  FakeAgent agent([](FakeAgent& on) { on.fail(on.request(), "io", "the disk is full"); });
  bool dialled = false;
  Connection connection = agent.connect([&]() -> Result<std::unique_ptr<Channel>> {
    dialled = true;
    return failure(ErrorKind::io, "gone");
  });
  const auto job = submit(connection, one_task(), kNoTerminal);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().text, "the disk is full");
  EXPECT_FALSE(dialled);
}

TEST(Submission, TwoHaveTwoKeys) {
  std::vector<std::string> keys;
  FakeAgent agent([&](FakeAgent& on) {
    for (int i = 0; i < 2; ++i) {
      const Json request = on.request();
      keys.push_back(request["key"]);
      on.reply(request, {{"number", i}, {"tasks", 1}});
    }
  });
  Connection connection = agent.connect();
  ASSERT_TRUE(submit(connection, one_task(), kNoTerminal));
  ASSERT_TRUE(submit(connection, one_task(), kNoTerminal));
  agent.join();
  EXPECT_NE(keys.at(0), keys.at(1));
}

TEST(Connection, ErrorsKeepTheirKind) {
  FakeAgent agent([](FakeAgent& on) {
    const Json request = on.request();
    on.raw(frame_of(compact(
        {{"id", request["id"]}, {"error", {{"kind", "not_found"}, {"text", "no job 9"}}}})));
  });
  auto connection = agent.connect();
  const auto reply = connection.ask("job");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::not_found);
  EXPECT_EQ(reply.error().text, "no job 9");
}

TEST(Connection, AnAgentGoneMidReplyIsTold) {
  FakeAgent agent([](FakeAgent& on) {
    on.request();
    on.raw(frame_of("{\"id\": 1, \"ok\": {}}").substr(0, 9));
  });
  auto connection = agent.connect();
  const auto reply = connection.ask("jobs");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::io);
  EXPECT_THAT(reply.error().text, HasSubstr("the agent is gone"));
}

TEST(Connection, OversizeAnswersAreRefusedUnread) {
  FakeAgent agent([](FakeAgent& on) {
    on.request();
    on.raw("\xff\xff\xff\x7fgarbage");
  });
  auto connection = agent.connect();
  const auto reply = connection.ask("jobs");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::corrupt);
}

TEST(Connection, GarbageIsRefused) {
  for (const std::string text :
      {"", "no json", "[]", "{}", "{\"id\": 1}", "{\"ok\": {}}", "{\"id\": -1, \"ok\": {}}",
          "{\"id\": \"1\", \"ok\": {}}", "\xff\xff", "{\"id\": 1, \"ok\""}) {
    FakeAgent agent([&](FakeAgent& on) {
      on.request();
      on.raw(frame_of(text));
    });
    auto connection = agent.connect();
    const auto reply = connection.ask("jobs");
    ASSERT_FALSE(reply) << text;
    EXPECT_EQ(reply.error().kind, ErrorKind::corrupt) << text;
  }
}

TEST(Connection, OddErrorsDoNotTripIt) {
  FakeAgent agent([](FakeAgent& on) {
    on.request();
    on.raw(frame_of("{\"id\": 1, \"error\": 7}"));
  });
  auto connection = agent.connect();
  const auto reply = connection.ask("jobs");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::io);
}

TEST(Connection, SlowAnswersTimeOutAndAreNotLost) {
  FakeAgent agent([](FakeAgent& on) {
    const Json request = on.request();
    on.request();  // Comes only after the client has lost its patience.
    on.reply(request, {{"late", true}});
  });
  auto connection = agent.connect();
  ASSERT_TRUE(connection.start("wait"));
  const auto early = connection.next(Clock::now() + std::chrono::milliseconds(20));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().kind, ErrorKind::timeout);
  ASSERT_TRUE(connection.start("stop"));
  EXPECT_EQ(connection.next()->ok["late"], true);
}

TEST(Connection, WakesUp) {
  FakeAgent agent([](FakeAgent& on) { on.request(); });
  auto connection = agent.connect();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(write(pipe_ends[1], "x", 1), 1);
  connection.wake_by(pipe_ends[0]);
  const auto reply = connection.next();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::timeout);
  ASSERT_TRUE(connection.start("stop"));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

TEST(Connection, NobodyThereNamesTheCure) {
  const auto connection = Connection::open({.address = "/nonexistent/agent.sock", .key = ""});
  ASSERT_FALSE(connection);
  EXPECT_EQ(exit_status(connection.error()), kFailure);
  EXPECT_THAT(connection.error().text, HasSubstr("no agent listens at /nonexistent/agent.sock"));
}

/// A file of `count` lines, removed at the end.
class LinesFile {
 public:
  explicit LinesFile(std::size_t count, const std::string& last = "") {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    for (std::size_t i = 0; i < count; ++i) std::fprintf(file, "line %zu\n\n", i);
    std::fwrite(last.data(), 1, last.size(), file);
    std::fclose(file);
  }
  ~LinesFile() { std::remove(path.c_str()); }
  const std::string path = ::testing::TempDir() + "/lines." + std::to_string(getpid());
};

JobRequest each_line_job(const std::string& lines) {
  JobRequest request;
  request.groups.emplace_back();
  request.groups[0].spec.command = {{"gzip"}};
  request.groups[0].each_line = lines;
  EXPECT_TRUE(complete(request));
  return request;
}

TEST(Submission, FewLinesTakeOneRoundTrip) {
  const LinesFile file(3, "no newline");
  FakeAgent agent([](FakeAgent& on) {
    const Json request = on.request();
    EXPECT_EQ(request["verb"], "submit");
    EXPECT_EQ(request["groups"][0]["entries"], Json({"line 0", "line 1", "line 2", "no newline"}));
    EXPECT_EQ(request["groups"][0]["command"], Json({"gzip", "%{ENTRY}"}));
    on.reply(request, {{"number", 7}, {"job", "a.7"}, {"tasks", 4}});
  });
  auto connection = agent.connect();
  const auto job = submit(connection, each_line_job(file.path), Terminal{});
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->number, 7u);
  EXPECT_EQ(job->tasks, 4u);
}

TEST(Submission, ManyLinesAreSentInChunks) {
  constexpr std::size_t kLines = 300'000;
  const LinesFile file(kLines);
  std::size_t lines = 0;
  std::size_t chunks = 0;
  FakeAgent agent([&](FakeAgent& on) {
    Json request = on.request();
    EXPECT_EQ(request["verb"], "submit_begin");
    EXPECT_FALSE(request["groups"][0].contains("entries"));
    on.reply(request, {{"upload", 5}});
    while ((request = on.request())["verb"] == "submit_lines") {
      EXPECT_EQ(request["upload"], 5);
      ++chunks;
      lines += request["lines"].size();
      on.reply(request, {{"lines", lines}});
    }
    EXPECT_EQ(request["verb"], "submit_end");
    on.reply(request, {{"number", 1}, {"job", "a.1"}, {"tasks", lines}});
  });
  auto connection = agent.connect();
  const auto job = submit(connection, each_line_job(file.path), Terminal{});
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->tasks, kLines);
  EXPECT_GE(chunks, 3u);
}

TEST(Submission, AnUploadThatWasAcceptedIsFoundWhenTheAgentIsBack) {
  const LinesFile file(300'000);
  std::string key;
  FakeAgent dying([&](FakeAgent& on) {
    while (true) {
      const Json request = on.request();
      if (request["verb"] == "submit_end") return;
      if (request["verb"] == "submit_begin") key = request["key"];
      on.reply(request, {{"upload", 3}, {"lines", 1}});
    }
  });
  FakeAgent next([&](FakeAgent& on) {
    const Json request = on.request();
    EXPECT_EQ(request["verb"], "submitted");
    EXPECT_EQ(request["key"], key);
    on.reply(request, {{"number", 8}, {"tasks", 20000}});
  });
  Connection agent =
      dying.connect([&] { return Result<std::unique_ptr<Channel>>(next.channel()); });
  const auto job = submit(agent, each_line_job(file.path), kNoTerminal);
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->number, 8u);
}

TEST(Submission, LinesKeepTheirBytes) {
  const LinesFile file(1, "caf\xe9\n[a,b]\n");
  FakeAgent agent([](FakeAgent& on) {
    const Json request = on.request();
    EXPECT_EQ(request["groups"][0]["entries"][1], Json({{"base64", "Y2Fm6Q=="}}));
    EXPECT_EQ(request["groups"][0]["entries"][2], "[a,b]");
    on.reply(request, {{"number", 7}, {"job", "a.7"}, {"tasks", 3}});
  });
  auto connection = agent.connect();
  EXPECT_TRUE(submit(connection, each_line_job(file.path), Terminal{}));
}

TEST(Submission, LinesThatCannotBeSentAreNamed) {
  const LinesFile file(2, std::string("caf\0e\n", 6));
  FakeAgent agent([](FakeAgent&) {});
  auto connection = agent.connect();
  const auto job = submit(connection, each_line_job(file.path), Terminal{});
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().text, HasSubstr(":5: holds a zero byte"));
  const LinesFile empty(0, "\n\n");
  EXPECT_THAT(submit(connection, each_line_job(empty.path), Terminal{}).error().text,
      HasSubstr("no lines"));
}

}  // namespace
}  // namespace dunlin::cli
