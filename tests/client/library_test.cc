// SPDX-License-Identifier: MIT
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

#include "tests/client/library_world.h"

// libdunlin with a real agent.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using LibraryTest = LibraryWorld;

TEST_F(LibraryTest, RunsAJobAndTellsItsResultsAndOutput) {
  dunlin::Client client = open();
  const dunlin::Job job =
      client.submit(job_of("echo out; echo err >&2; exit 3", R"("count":3)"), true);
  const dunlin::JobInfo info = job.wait(kLong);
  EXPECT_EQ(info.state, "failed");
  EXPECT_EQ(info.failed, 3u);
  std::set<std::uint32_t> tasks;
  while (const auto result = job.next_result(kLong)) {
    EXPECT_EQ(result->status, 3);
    EXPECT_STREQ(result->worker, "a");
    EXPECT_TRUE(tasks.insert(result->task).second) << "each is told once";
  }
  EXPECT_EQ(tasks.size(), 3u);
  EXPECT_EQ(job.output(1).read_all(), "out\n");
  EXPECT_EQ(job.output(2, 2).read_all(), "err\n");
  EXPECT_EQ(client.trouble(), "");
}

// All that a job says comes back from the agent as it was said.
TEST_F(LibraryTest, AJobArrivesAsItWasSaid) {
  const Json group =
      Json::parse(R"({"name": "first", "count": 2, "command": ["/bin/echo", "ä", "%{TASK_INDEX}"],
      "constraints": ["arch=x86_64"], "priority": 61, "retries": 3, "time_limit_ns": 60000000000,
      "demand": {"cpu_milli": 250, "memory_mib": 16}, "at_once": 1, "duration_ns": 1000000000})");
  Json second = group;
  second["name"] = "second";
  const Json said = {{"name", "round trip"}, {"deadline_ns", 3'600'000'000'000}, {"hold", true},
      {"groups", {group, second}}};
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(said.dump());
  const Json told = agent().client().ok(request("job", {{"job", job.id(kLong)}}));
  for (const char* const member : {"name", "deadline_ns"}) {
    EXPECT_EQ(told[member], said[member]) << member;
  }
  EXPECT_EQ(told["state"], "held");
  ASSERT_EQ(told["groups"].size(), 2u);
  for (const auto& [name, value] : said["groups"][1].items()) {
    if (name == "demand") {
      EXPECT_EQ(told["groups"][1][name]["cpu_milli"], 250);
    } else {
      EXPECT_EQ(told["groups"][1][name], value) << name;
    }
  }
  job.cancel(kLong);
}

// More than one message may hold, and an upload that fails does not stand in the way of the next.
TEST_F(LibraryTest, SubmitsAJobThatIsLargerThanAMessage) {
  Json lines = Json::array();
  for (int i = 0; i < 600; ++i) lines.push_back(std::to_string(i) + std::string(40'000, 'x'));
  Json said = {{"hold", true}, {"groups", {{{"command", {"true"}}, {"entries", lines}}}}};
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(said.dump());
  for (int i = 0; i < 3; ++i) {
    Json wrong = said;
    wrong["groups"][0]["entries"][500] = std::string(70'000, 'x');
    const dunlin::Job refused = client.submit(wrong.dump());
    try {
      refused.id(kLong);
      ADD_FAILURE() << "it was taken";
    } catch (const dunlin::ClientError& error) {
      EXPECT_THAT(error.what(), HasSubstr("line 501 is longer than 64 KiB"));
    }
  }
  const dunlin::Job again = client.submit(said.dump());
  again.id(kLong);
  EXPECT_EQ(job.info().tasks, 600u);
  const Json asked = {{"job", job.id()}, {"from", 599}};
  EXPECT_EQ(agent().client().ok(request("tasks", asked))["tasks"][0]["entry"], lines[599]);
  EXPECT_EQ(job.cancel(kLong), 600u);
}

TEST_F(LibraryTest, AJobThatIsBrokenJsonFailsByItself) {
  dunlin::Client client = open();
  const dunlin::Job broken = client.submit("{broken}");
  const dunlin::Job fine = client.submit(job_of("true"));
  try {
    broken.id(kLong);
    ADD_FAILURE() << "it was taken";
  } catch (const dunlin::ClientError& error) {
    EXPECT_EQ(error.status(), DUNLIN_USAGE);
    EXPECT_THAT(error.what(), HasSubstr("JSON object"));
  }
  EXPECT_TRUE(fine.wait(kLong).succeeded());
}

TEST_F(LibraryTest, GivesATaskWhatItReads) {
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("wc -c; sleep 0.2", R"("input":"client")"));
  dunlin::Input input = job.input();
  std::size_t size = 0;
  for (int i = 0; i < 40; ++i) {
    const std::string piece(static_cast<std::size_t>(1000 * i), 'x');
    size += piece.size();
    EXPECT_TRUE(input.write(piece, kLong));
  }
  EXPECT_TRUE(input.end(kLong));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_EQ(job.output().read_all(), std::to_string(size) + "\n");
}

// It waited for a minute after its start.
TEST_F(LibraryTest, AnInputThatIsClosedBeforeItsTaskBeginsEndsTheTask) {
  dunlin::Client client = open();
  const std::string group = job_of("cat; sleep 1000", R"("input":"client")");
  const dunlin::Job job = client.submit(R"({"hold":true,)" + group.substr(1));
  {
    dunlin::Input input = job.input();
    EXPECT_TRUE(input.write("x", kLong));
  }
  const auto begun = std::chrono::steady_clock::now();
  agent().client().ok(request("release", {{"job", job.id()}}));
  EXPECT_EQ(job.wait(kLong).state, "failed");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(50));
}

TEST_F(LibraryTest, ACommandMayHaveAMebibyte) {
  dunlin::Client client = open();
  std::vector<std::string> command = {"/bin/sh", "-c", "echo ${#1} ${#7}", "x"};
  command.insert(command.end(), 7, std::string(131'071, 'w'));
  const dunlin::Job job = client.submit(dunlin::command_job(command));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_EQ(job.output().read_all(), "131071 131071\n");
  command.insert(command.end(), 2, std::string(131'071, 'w'));
  try {
    client.submit(dunlin::command_job(command)).wait(kLong);
    ADD_FAILURE() << "it is too large";
  } catch (const ClientError& error) {
    EXPECT_EQ(error.status(), DUNLIN_USAGE);
    EXPECT_THAT(error.what(), HasSubstr("bytes, and may have 1048576"));
  }
}

TEST_F(LibraryTest, ATaskThatReadsNoMoreEndsItsInput) {
  dunlin::Client client = open();
  const dunlin::Job job =
      client.submit(job_of("head -c 3; exec 0<&-; sleep 0.2", R"("input":"client")"));
  dunlin::Input input = job.input();
  while (input.write(std::string(100'000, 'y'), kLong)) {
  }
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_EQ(job.output().read_all(), "yyy");
}

TEST_F(LibraryTest, ATaskIsEndedIfItsInputBreaksOff) {
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("cat", R"("input":"client")"));
  {
    dunlin::Input input = job.input();
    EXPECT_TRUE(input.write("a part", kLong));
    EXPECT_TRUE(eventually([&] { return job.output().read_all() == "a part"; }));
  }
  EXPECT_EQ(job.wait(kLong).state, "failed");
}

TEST_F(LibraryTest, CancelsAndRetries) {
  dunlin::Client client = open();
  const std::string flag = agent().directory() + "/../flag";
  const dunlin::Job job = client.submit(job_of("test -e " + flag, R"("count":2)"), true);
  EXPECT_EQ(job.wait(kLong).failed, 2u);
  std::ofstream(flag).put('x');
  EXPECT_EQ(job.retry(true, kLong), 2u);
  EXPECT_TRUE(job.wait(kLong).succeeded());
  int results = 0;
  std::uint32_t attempt = 0;
  while (const auto result = job.next_result(kLong)) {
    ++results;
    attempt = std::max(attempt, result->attempt);
  }
  EXPECT_EQ(results, 4) << "two attempts of two tasks";
  EXPECT_EQ(attempt, 2u);
  std::remove(flag.c_str());
  const dunlin::Job endless = client.submit(job_of("sleep 1000"));
  endless.id(kLong);
  EXPECT_EQ(endless.cancel(kLong), 1u);
  EXPECT_EQ(endless.wait(kLong).state, "cancelled");
}

TEST_F(LibraryTest, ErrorsAreTheAgentsWords) {
  dunlin::Client client = open();
  const dunlin::Job wrong = client.submit(R"({"groups":[{"command":[]}]})");
  try {
    wrong.wait(kLong);
    FAIL() << "it was taken";
  } catch (const dunlin::ClientError& error) {
    EXPECT_EQ(error.status(), DUNLIN_USAGE);
    EXPECT_THAT(error.what(), HasSubstr("groups[0].command"));
  }
  EXPECT_THROW(client.submit("no json"), dunlin::ClientError);
  EXPECT_THROW(client.find("12"), dunlin::ClientError);
  const dunlin::Job job = client.submit(job_of("true"));
  job.wait(kLong);
  EXPECT_THROW(job.output(9).read(), dunlin::ClientError);
  EXPECT_EQ(client.find(job.id()).wait(kLong).state, "done");
}

TEST_F(LibraryTest, CallsBackAndKeepsPromises) {
  dunlin::Client client = open();
  dunlin::Job job = client.submit(job_of("true"));
  auto future = job.future();
  EXPECT_EQ(future.get().state, "done");
  dunlin::Job late = client.find(job.id());
  late.wait(kLong);
  std::promise<void> called;
  late.on_end([&called] { called.set_value(); });
  EXPECT_EQ(called.get_future().wait_for(kLong), std::future_status::ready);
  std::vector<dunlin::Job> jobs;
  jobs.push_back(client.submit(job_of("sleep 1000")));
  jobs.push_back(client.submit(job_of("true")));
  EXPECT_EQ(dunlin::wait_any(jobs, kLong), 1u);
  jobs[0].cancel(kLong);
}

TEST_F(LibraryTest, TellsAChildOfForkThatTheConversationIsNotItsOwn) {
  dunlin::Client client = open();
  dunlin::Job job = client.submit(job_of("sleep 1"));
  job.id(kLong);
  const pid_t child = ::fork();
  if (child == 0) {
    dunlin_job_info info{.size = sizeof(info)};
    const bool refused = dunlin_job_wait(job.handle(), -1) == DUNLIN_FORKED &&
        dunlin_job_look(job.handle(), &info) == DUNLIN_FORKED;
    {
      const dunlin::Job freed = std::move(job);
    }
    {
      const dunlin::Client closed = std::move(client);
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(job.wait(kLong).succeeded()) << "and the parent's goes on";
}

// Ten of each of a thousand jobs, which nothing runs.
TEST_F(LibraryTest, ServesTenThousandHandles) {
  dunlin::Client client = open();
  const std::string held = R"({"hold":true,"groups":[{"command":["true"]}]})";
  std::vector<dunlin::Job> jobs = client.submit(std::vector<std::string>(1000, held));
  ASSERT_TRUE(client.flush(std::chrono::seconds(120)));
  std::set<std::string> ids;
  std::vector<dunlin::Job> more;
  for (const dunlin::Job& job : jobs) {
    const std::string id = job.id(kLong);
    ids.insert(id);
    for (int i = 0; i < 9; ++i) more.push_back(client.find(id));
  }
  EXPECT_EQ(ids.size(), jobs.size());
  EXPECT_TRUE(eventually([&] { return jobs.back().info().state == "held"; }));
  more.front().cancel(kLong);
  EXPECT_EQ(jobs.front().wait(kLong).state, "cancelled");
  EXPECT_EQ(more[8].wait(kLong).state, "cancelled") << "they tell of the same job";
  EXPECT_EQ(more[9].info().state, "held");
}

/// The resident memory of a process, in MiB.
long resident(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6)) / 1024;
  }
  return -1;
}

TEST_F(LibraryTest, ASlowReaderFillsNoMemory) {
  dunlin::Client client = open();
  constexpr std::size_t kSize = std::size_t{24} << 20;
  const dunlin::Job job = client.submit(job_of("head -c " + std::to_string(kSize) + " /dev/zero"));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  [[maybe_unused]] const long agent_before = resident(agent().pid());
  [[maybe_unused]] const long here_before = resident(::getpid());
  dunlin::Output output = job.output(0, 1, true);
  std::size_t size = output.read(kLong).size();
  std::this_thread::sleep_for(std::chrono::seconds(1));
#if !defined(DUNLIN_SANITIZED)  // It keeps what was freed.
  EXPECT_LT(resident(agent().pid()) - agent_before, 8);
  EXPECT_LT(resident(::getpid()) - here_before, 8);
#endif
  for (std::string piece = output.read(kLong); !piece.empty(); piece = output.read(kLong)) {
    size += piece.size();
  }
  EXPECT_EQ(size, kSize);
}

TEST(LibrarySymbols, ShowsItsOwnFunctionsAlone) {
  std::istringstream symbols([] {
    std::FILE* const pipe = ::popen("nm -D --defined-only " DUNLIN_LIBRARY, "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
    ::pclose(pipe);
    return text;
  }());
  int functions = 0;
  for (std::string line; std::getline(symbols, line);) {
    if (line.ends_with(" A DUNLIN_1") || line.ends_with(" A DUNLIN_2")) continue;
    EXPECT_THAT(line, HasSubstr(" T dunlin_"));
    const bool newer = line.find("dunlin_ask") != line.npos || line.find("_answer_") != line.npos;
    EXPECT_TRUE(line.ends_with(newer ? "@@DUNLIN_2" : "@@DUNLIN_1")) << line;
    ++functions;
  }
  EXPECT_GE(functions, 24);
}

// A limit below 1 MiB acted as 1 MiB; and the disk was blamed.
TEST_F(LibraryTest, ATasksOutputIsKeptToTheByteOfItsLimit) {
  agent().give("--output-task-limit=100KiB");
  restart();
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("head -c 300000 /dev/zero"));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  dunlin::Output output = job.output();
  std::size_t kept = 0;
  try {
    for (std::string piece = output.read(kLong); !piece.empty(); piece = output.read(kLong)) {
      kept += piece.size();
    }
    ADD_FAILURE() << "nothing is said of what is missing";
  } catch (const ClientError& error) {
    EXPECT_THAT(error.what(), HasSubstr("as many as agent.output_task_limit there allows"));
  }
  EXPECT_EQ(kept, 102'400u);
}

}  // namespace
}  // namespace dunlin::node
