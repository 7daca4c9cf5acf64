// SPDX-License-Identifier: MIT
#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include "tests/client/library_world.h"

// Agents that die, stop and come back while a program speaks to them by libdunlin.
namespace dunlin::node {
namespace {

using LibraryFaults = LibraryWorld;

// The agent is killed a little later in each round: before, in and after the submit.
TEST_F(LibraryFaults, ASubmitIsDoneOnceWheneverTheAgentDies) {
  dunlin::Client client = open();
  std::set<std::string> ids;
  for (int round = 0; round < 8; ++round) {
    const dunlin::Job job = client.submit(job_of("true"), true);
    std::this_thread::sleep_for(std::chrono::microseconds(300 * round * round));
    restart();
    EXPECT_TRUE(job.wait(kLong).succeeded()) << round;
    int results = 0;
    while (job.next_result(kLong)) ++results;
    EXPECT_EQ(results, 1) << round;
    ids.insert(job.id());
  }
  EXPECT_EQ(ids.size(), 8u);
  EXPECT_EQ(jobs().size(), 8u) << "and there are no others";
}

TEST_F(LibraryFaults, AWaitOutlivesTheAgent) {
  dunlin::Client client = open();
  const dunlin::Job job =
      client.submit(job_of("sleep 0.2; exit 4", R"("count":12,"demand":{"cpu_milli":500})"), true);
  std::set<std::uint32_t> tasks;
  int told = 0;
  while (const auto result = job.next_result(kLong)) {
    tasks.insert(result->task);
    if (++told == 3) restart();
  }
  EXPECT_EQ(told, 12);
  EXPECT_EQ(tasks.size(), 12u);
}

TEST_F(LibraryFaults, OutputGoesOnWhereItWas) {
  dunlin::Client client = open();
  const dunlin::Job job = client.submit(job_of("seq 1 200000"));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  dunlin::Output output = job.output(0, 1, true);
  std::string all = output.read(kLong);
  restart();
  for (std::string piece = output.read(kLong); !piece.empty(); piece = output.read(kLong)) {
    all += piece;
  }
  EXPECT_EQ(all.size(), 1'288'895u);
  EXPECT_EQ(all.substr(all.size() - 7), "200000\n");
}

// SIGSTOP: it accepts connections and bytes, and says nothing.
TEST_F(LibraryFaults, SubmitsReturnWhileTheAgentStandsStill) {
  dunlin::Client client = open();
  client.submit(job_of("true")).wait(kLong);
  agent().signal(SIGSTOP);
  std::vector<dunlin::Job> jobs;
  for (int i = 0; i < 200; ++i) jobs.push_back(client.submit(job_of("true")));
  EXPECT_FALSE(client.flush(std::chrono::milliseconds(50)));
  agent().signal(SIGCONT);
  for (const dunlin::Job& job : jobs) EXPECT_TRUE(job.wait(kLong).succeeded());
}

// While a task runs an agent that is told to stop waits for it, and takes no job: those that come
// wait for the next agent.
TEST_F(LibraryFaults, SubmitsOutliveAPlannedStop) {
  dunlin::Client client = open();
  const dunlin::Job running = client.submit(job_of("sleep 1.5"));
  EXPECT_TRUE(eventually([&] { return running.info().state == "running"; }));
  agent().signal(SIGTERM);
  std::vector<dunlin::Job> jobs;
  for (int i = 0; i < 20; ++i) {
    jobs.push_back(client.submit(job_of("true"), true));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(agent().wait(), 0);
  agent().start();
  for (const dunlin::Job& job : jobs) {
    EXPECT_TRUE(job.wait(kLong).succeeded());
    int results = 0;
    while (job.next_result(kLong)) ++results;
    EXPECT_EQ(results, 1);
  }
  EXPECT_EQ(this->jobs().size(), jobs.size() + 1);
}

TEST_F(LibraryFaults, JobsAreSubmittedOnceWhileTheAgentDiesAgainAndAgain) {
  constexpr std::size_t kJobs = 150;
  dunlin::Client client = open();
  std::vector<dunlin::Job> submitted;
  for (std::size_t i = 0; i < kJobs; ++i) {
    submitted.push_back(client.submit(job_of("true", R"("demand":{"cpu_milli":200})"), true));
    if (i % 50 == 30) restart();
  }
  std::set<std::string> ids;
  for (const dunlin::Job& job : submitted) {
    EXPECT_TRUE(job.wait(kLong).succeeded());
    int results = 0;
    while (job.next_result(kLong)) ++results;
    EXPECT_EQ(results, 1);
    ids.insert(job.id());
  }
  EXPECT_EQ(ids.size(), kJobs);
  EXPECT_EQ(jobs().size(), kJobs);
}

TEST_F(LibraryFaults, AnotherAddressIsTriedAndTheJobFoundThere) {
  TestAgent& other = add("b");
  other.wait_until_up();
  wait_for_nodes(other, 2);
  dunlin::Client client({agent().directory() + "/nothing.sock", other.socket()});
  const dunlin::Job job = client.submit(job_of("true"));
  EXPECT_TRUE(job.wait(kLong).succeeded());
  // A job of another node: the agent that is asked finds its home.
  dunlin::Client second = open();
  EXPECT_TRUE(second.find(job.id()).wait(kLong).succeeded());
}

TEST_F(LibraryFaults, AJobSaysThatItsNodeDoesNotAnswer) {
  TestAgent& other = add("b");
  other.wait_until_up();
  wait_for_nodes(other, 2);
  dunlin::Client client({agent().socket(), other.socket()});
  const dunlin::Job job = client.submit(job_of("sleep 1"));
  EXPECT_EQ(job.id(kLong).substr(0, 16),
      agent().client().ok(request("status"))["node"].get<std::string>());
  agent().kill9();
  EXPECT_TRUE(eventually([&] { return !job.trouble().empty(); }));
  EXPECT_THAT(job.trouble(), ::testing::HasSubstr("does not answer"));
  EXPECT_EQ(client.trouble(), "") << "the other agent answers";
  agent().start();
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_EQ(job.trouble(), "");
}

// What the library does when it cannot reach the node that may have a job.
TEST_F(LibraryFaults, AnotherAgentPassesASubmitOn) {
  TestAgent& other = add("b");
  other.wait_until_up();
  wait_for_nodes(other, 2);
  const std::string here = agent().client().ok(request("status"))["node"];
  Json submit = Json::parse(job_of("true"));
  submit["at"] = here;
  submit["key"] = "00112233445566778899aabbccddeeff";
  const Json taken = other.client().ok(request("submit", submit));
  EXPECT_EQ(taken["job"].get<std::string>().substr(0, 16), here);
  EXPECT_EQ(other.client().ok(request("submit", submit))["job"], taken["job"]) << "one job";
  const Json asked = {{"key", submit["key"]}, {"at", here}};
  EXPECT_EQ(other.client().ok(request("submitted", asked))["job"], taken["job"]);
  agent().kill9();
  EXPECT_EQ(other.client().call(request("submit", submit))["error"]["kind"], "timeout");
}

}  // namespace
}  // namespace dunlin::node
