// SPDX-License-Identifier: MIT
#include <dunlin/client.hpp>
#include <gmock/gmock.h>
#include <set>

#include "tests/unit/client/threaded_agent.h"

// Many threads use one client, while its own thread loses and finds the agent. The thread sanitizer
// runs these, too: see tests/CMakeLists.txt.
namespace dunlin::client {
namespace {

constexpr int kThreads = 4;
constexpr int kJobs = 60;
constexpr std::chrono::seconds kLong{60};

std::string job_of_true() {
  const std::vector<std::string> command = {"true"};
  return command_job(command);
}

TEST(ClientThreads, EachMaySubmitAndWait) {
  ThreadedAgent agent(101);
  dunlin::Client client({agent.path()});
  std::atomic<int> called = 0;
  std::atomic<int> results = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < kJobs; ++i) {
        dunlin::Job job = client.submit(job_of_true(), /*with_results=*/true);
        job.on_end([&] { ++called; });
        EXPECT_TRUE(job.wait(kLong).succeeded());
        while (job.next_result(kLong)) ++results;
        if (i % 20 != 0) continue;
        EXPECT_EQ(job.output().read_all(), "hello");
      }
    });
  }
  std::thread looker([&] {
    for (; !over; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      client.flush(std::chrono::milliseconds(0));
      (void)client.trouble();
    }
  });
  for (std::thread& thread : threads) thread.join();
  over = true;
  looker.join();
  EXPECT_EQ(agent.jobs(), kThreads * kJobs) << "each once";
  EXPECT_EQ(results, kThreads * kJobs) << "each result once";
  EXPECT_GT(agent.hang_ups(), 1);
}

TEST(ClientThreads, ManyJobsOfOneCallEndEachOnce) {
  ThreadedAgent agent(301);
  dunlin::Client client({agent.path()});
  const std::vector<dunlin::Job> jobs =
      client.submit(std::vector<std::string>(500, job_of_true()), /*with_results=*/true);
  std::set<std::string> ids;
  for (const dunlin::Job& job : jobs) {
    EXPECT_TRUE(job.wait(kLong).succeeded());
    ids.insert(job.id());
  }
  EXPECT_EQ(ids.size(), jobs.size());
  EXPECT_EQ(agent.jobs(), 500);
}

// It was told that the agent had closed the connection, for ever.
TEST(ClientThreads, AClientThatIsOneTooManyLearnsWhy) {
  const std::string why = "64 clients are connected, 64 of them of one user, anna";
  ThreadedAgent agent(1'000'000, why);
  dunlin::Client client({agent.path()});
  const dunlin::Job job = client.submit(job_of_true());
  const auto until = std::chrono::steady_clock::now() + kLong;
  while (
      client.trouble().find(why) == std::string::npos && std::chrono::steady_clock::now() < until) {
    EXPECT_THROW(job.wait(std::chrono::milliseconds(20)), ClientError);
  }
  EXPECT_THAT(client.trouble(), ::testing::HasSubstr(why));
}

TEST(ClientThreads, AWaitEndsWithTheClient) {
  std::vector<std::thread> waiting;
  std::vector<dunlin::Job> jobs;
  {
    dunlin::Client client({"/nowhere/agent.sock"});
    for (int i = 0; i < kThreads; ++i) jobs.push_back(client.submit(job_of_true()));
    for (dunlin::Job& job : jobs) {
      waiting.emplace_back([&job] {
        try {
          job.wait();
          ADD_FAILURE() << "there is no agent";
        } catch (const ClientError& error) {
          EXPECT_EQ(error.status(), DUNLIN_CLOSED);
        }
      });
    }
  }
  for (std::thread& thread : waiting) thread.join();
}

}  // namespace
}  // namespace dunlin::client
