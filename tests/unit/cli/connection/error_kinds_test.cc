// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/connection/fake_agent.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_request.h"
#include "tools/dunlin/jobs/submission.h"

// What the command line makes of an agent's errors, and when it asks an agent again that is busy.
namespace dunlin::cli {
namespace {

using std::chrono::milliseconds;

constexpr const char* kWords[] = {"usage", "not_found", "refused", "forbidden", "busy", "quota",
    "conflict", "io", "corrupt", "timeout"};

std::string busy(const Json& id, std::chrono::nanoseconds pause) {
  Json error = {{"kind", "busy"}, {"text", "too much"}};
  if (pause.count() > 0) error["retry_ns"] = pause.count();
  return frame_of(compact({{"id", id}, {"error", std::move(error)}}));
}

TEST(CliErrorKinds, HaveTheWordsOfTheProtocol) {
  for (const char* const word : kWords) EXPECT_EQ(word_of(kind_of(word)), word);
  EXPECT_EQ(kind_of("stopping"), ErrorKind::refused);
  EXPECT_EQ(kind_of("of a later agent"), ErrorKind::io);
  EXPECT_EQ(kind_of("elsewhere"), ErrorKind::io) << "agents settle that among themselves";
}

TEST(CliErrorKinds, ExitStatusesStayThoseOfBefore) {
  for (const char* const word : kWords) {
    FakeAgent agent([&](FakeAgent& on) { on.fail(on.request(), word, "no"); });
    auto connection = agent.connect();
    const auto reply = connection.ask("hold");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, kind_of(word));
    EXPECT_EQ(exit_status(reply.error()), word == std::string("usage") ? kUsage : kFailure) << word;
  }
}

// A job that the agent will not have is the user's to mend.
TEST(CliErrorKinds, AJobThatIsNotTakenIsAMistake) {
  const auto status = [](const char* word) {
    FakeAgent agent([&](FakeAgent& on) { on.fail(on.request(), word, "no"); });
    auto connection = agent.connect();
    JobRequest request;
    request.groups.emplace_back().spec.command.emplace_back().text = "true";
    const auto job = submit(connection, request, Terminal{});
    return job ? kSuccess : exit_status(job.error());
  };
  for (const char* const word : {"usage", "refused", "forbidden", "quota", "conflict"}) {
    EXPECT_EQ(status(word), kUsage) << word;
  }
  for (const char* const word : {"busy", "io", "timeout"}) EXPECT_EQ(status(word), kFailure);
}

TEST(BusyAgent, IsAskedAgainWhenItSays) {
  FakeAgent agent([](FakeAgent& on) {
    const Json first = on.request();
    on.raw(busy(first["id"], milliseconds(20)));
    const Json second = on.request();
    EXPECT_EQ(second["verb"], "hold");
    EXPECT_EQ(second["number"], 7);
    EXPECT_NE(second["id"], first["id"]);
    on.reply(second, {{"held", true}});
  });
  auto connection = agent.connect();
  const auto begun = Clock::now();
  const auto reply = connection.ask("hold", {{"number", 7}});
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_GE(Clock::now() - begun, milliseconds(20));
}

TEST(BusyAgent, IsNotAskedForEver) {
  int asked = 0;
  FakeAgent agent([&](FakeAgent& on) {
    for (Json request = on.request(); request.is_object(); request = on.request()) {
      ++asked;
      on.raw(busy(request["id"], Connection::kBusyMax + milliseconds(1)));
    }
  });
  {
    auto connection = agent.connect();
    const auto reply = connection.ask("hold");
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().kind, ErrorKind::busy);
    EXPECT_GT(reply.error().retry_ns, 0) << "a script may wait for so long";
  }
  agent.join();
  EXPECT_EQ(asked, 1);
}

TEST(BusyAgent, ThatDoesNotSayWhenIsNotAskedAgain) {
  FakeAgent agent([](FakeAgent& on) { on.raw(busy(on.request()["id"], {})); });
  auto connection = agent.connect();
  const auto reply = connection.ask("hold");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().kind, ErrorKind::busy);
}

// It had too many clients, and said so to the connection itself.
TEST(BusyAgent, WithoutRoomForAConnectionGetsAnother) {
  FakeAgent full([](FakeAgent& on) {
    on.request();
    on.raw(busy(nullptr, milliseconds(10)));
  });
  FakeAgent next([](FakeAgent& on) {
    const Json hello = on.any_request();
    EXPECT_EQ(hello["verb"], "hello");
    EXPECT_EQ(hello["newest"], 2);
    on.reply(hello, {{"protocol", 2}});
    on.reply(on.request(), {{"held", true}});
  });
  Connection agent =
      full.connect([&]() -> Result<std::unique_ptr<Channel>> { return next.channel(); });
  const auto reply = agent.ask("hold");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ((*reply)["held"], true);
}

}  // namespace
}  // namespace dunlin::cli
