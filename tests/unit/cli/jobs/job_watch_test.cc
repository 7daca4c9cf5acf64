// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_watch.h"

#include <csignal>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/unit/cli/connection/fake_agent.h"
#include "tools/dunlin/screen/interrupts.h"

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Json kRunning = {{"progress", {{"counts", {{"running", 1}}}}}};
const Json kDone = {{"progress", {{"finished", true}, {"counts", {{"done", 1}}}}},
    {"finished", {{{"index", 0}, {"attempt", 1}, {"state", "done"}}}}};

class JobWatchTest : public ::testing::Test {
 protected:
  /// What is printed on stdout while a job of one task is followed.
  std::string follow(Connection& agent, bool keep = false) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    {
      JobWatch watch(agent, 5, globals_, true);
      if (keep) {
        watch.keep_job();
        watch.call_job("merlin.5");
      }
      auto ending = watch.follow(true);
      EXPECT_TRUE(ending) << ending.error().text;
      if (ending) ending_ = std::move(*ending);
    }
    said_ = ::testing::internal::GetCapturedStderr();
    return ::testing::internal::GetCapturedStdout();
  }

  Globals globals_;
  JobEnding ending_;
  std::string said_;
};

// An upgrade of the agent in the middle of a job: the client goes on at the byte where it was.
TEST_F(JobWatchTest, GoesOnWhereItWasWhenItsAgentIsBack) {
  FakeAgent dying([](FakeAgent& on) {
    const Json watch = on.request();
    const Json out = on.request();
    on.request();
    on.reply(watch, kRunning, false);
    on.reply(out, {{"data", "QUE="}, {"attempt", 1}}, false);
  });
  FakeAgent next([](FakeAgent& on) {
    const Json watch = on.request();
    EXPECT_EQ(watch["verb"], "watch");
    EXPECT_EQ(watch["number"], 5);
    const Json out = on.request();
    EXPECT_EQ(out["stream"], "out");
    EXPECT_EQ(out["offset"], 2);
    EXPECT_EQ(out["offset_attempt"], 1);
    const Json err = on.request();
    EXPECT_EQ(err["stream"], "err");
    EXPECT_EQ(err["offset"], 0);
    on.reply(out, {{"data", "Qg=="}, {"attempt", 1}});
    on.reply(err, {{"data", ""}});
    on.reply(watch, kDone);
  });
  int dials = 0;
  Connection agent = dying.connect([&]() -> Result<std::unique_ptr<Channel>> {
    if (++dials == 1) return failure(ErrorKind::io, "it is not up yet");
    return next.channel();
  });
  agent.be_patient(10s, false);
  EXPECT_EQ(follow(agent), "AAB");
  EXPECT_FALSE(ending_.failed);
  EXPECT_EQ(ending_.signal, 0);
  EXPECT_EQ(dials, 2);
}

TEST_F(JobWatchTest, EndsWithItsAgentWithoutPatience) {
  FakeAgent dying([](FakeAgent& on) { on.request(); });
  Connection agent = dying.connect([]() -> Result<std::unique_ptr<Channel>> {
    ADD_FAILURE() << "nobody asked for it";
    return failure(ErrorKind::io, "");
  });
  JobWatch watch(agent, 5, globals_, true);
  const auto ending = watch.follow(true);
  ASSERT_FALSE(ending);
  EXPECT_THAT(ending.error().text, HasSubstr("the agent is gone"));
}

// `timeout 60 dunlin run`, or a terminal that is closed.
TEST_F(JobWatchTest, ASignalCancelsTheJob) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    // A shell ignores some of them for what runs beside it, and then the command does, too.
    std::signal(signal, SIG_DFL);
    FakeAgent home([signal](FakeAgent& on) {
      const Json watch = on.request();
      const Json out = on.request();
      const Json err = on.request();
      on.reply(watch, kRunning, false);
      ::kill(::getpid(), signal);
      const Json cancel = on.request();
      EXPECT_EQ(cancel["verb"], "cancel");
      EXPECT_EQ(cancel["number"], 5);
      on.reply(cancel, {{"cancelled", 1}});
      on.reply(out, {{"data", ""}});
      on.reply(err, {{"data", ""}});
      on.reply(watch, {{"progress", {{"finished", true}, {"counts", {{"cancelled", 1}}}}}});
    });
    Connection agent = home.connect();
    follow(agent);
    EXPECT_EQ(ending_.signal, signal);
    EXPECT_FALSE(ending_.goes_on);
    EXPECT_THAT(said_, HasSubstr("cancelling job 5"));
  }
}

TEST_F(JobWatchTest, ASignalLeavesAJobThatIsToBeKept) {
  FakeAgent home([](FakeAgent& on) {
    const Json watch = on.request();
    on.request();
    on.request();
    on.reply(watch, kRunning, false);
    ::kill(::getpid(), SIGTERM);
    EXPECT_TRUE(on.request().is_null()) << "it leaves without a word";
  });
  {
    Connection agent = home.connect();
    follow(agent, true);
  }
  EXPECT_EQ(ending_.signal, SIGTERM);
  EXPECT_TRUE(ending_.goes_on);
  EXPECT_THAT(said_, HasSubstr("job 5 goes on"));
  EXPECT_THAT(said_, HasSubstr("dunlin wait merlin.5; dunlin logs -f merlin.5"));
}

// Two tasks write halves of lines in turn, while both run.
TEST_F(JobWatchTest, PrintsWholeLinesOfAllTasksWhileTheyRun) {
  const auto piece = [](const char* base64) { return Json{{"data", base64}}; };
  FakeAgent home([&](FakeAgent& on) {
    const Json watch = on.request();
    EXPECT_EQ(watch["running"], true);
    on.reply(watch, {{"started", {{{"index", 0}, {"attempt", 1}}, {{"index", 1}, {"attempt", 1}}}}},
        false);
    Json out[2];
    for (Json& each : out) {
      each = on.request();
      EXPECT_EQ(each["follow"], true);
      on.reply(on.request(), piece(""));  // Standard error.
    }
    on.reply(out[0], piece("b25l"), false);      // "one"
    on.reply(out[1], piece("dHdvCg=="), false);  // "two\n"
    on.reply(out[0], piece("Cg=="));
    on.reply(out[1], piece(""));
    on.reply(watch,
        {{"progress", {{"finished", true}, {"counts", {{"done", 2}}}}},
            {"finished",
                {{{"index", 0}, {"attempt", 1}, {"state", "done"}, {"out_bytes", 4}},
                    {{"index", 1}, {"attempt", 1}, {"state", "done"}, {"out_bytes", 4}}}}});
  });
  Connection agent = home.connect();
  ::testing::internal::CaptureStdout();
  JobWatch watch(agent, 5, globals_, true);
  watch.label_lines();
  watch.buffer_lines();
  const auto ending = watch.follow(false);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  ASSERT_TRUE(ending) << ending.error().text;
  EXPECT_EQ(printed, "1: two\n0: one\n") << "each once, and while the other runs";
}

TEST(Interrupts, LeaveAnIgnoredSignalIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    const Interrupts interrupts;
    ::raise(SIGHUP);
    EXPECT_FALSE(interrupts.seen());
    ::raise(SIGTERM);
    EXPECT_EQ(interrupts.signal(), SIGTERM);
  }
  struct sigaction now{};
  sigaction(SIGHUP, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
  std::signal(SIGHUP, SIG_DFL);
  sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace dunlin::cli
