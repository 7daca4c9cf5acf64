// SPDX-License-Identifier: MIT
#include <dunlin/client.hpp>
#include <future>
#include <gmock/gmock.h>
#include <memory>
#include <pthread.h>
#include <stdexcept>

#include "tests/unit/client/threaded_agent.h"

// What a program may do in the calls that it asked for. The address and the thread sanitizer run
// these, too.
namespace dunlin::client {
namespace {

using std::chrono::milliseconds;

class ClientCallbacks : public ::testing::Test {
 protected:
  static constexpr std::chrono::seconds kLong{60};

  static std::string job_of_true() {
    const std::vector<std::string> command = {"true"};
    return command_job(command);
  }
  static void expect_set(std::promise<void>& promise) {
    ASSERT_EQ(promise.get_future().wait_for(kLong), std::future_status::ready);
  }

  ThreadedAgent agent{1'000'000};  ///< It does not hang up.
};

TEST_F(ClientCallbacks, EachOfAJobIsCalledOnceInOrder) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  std::string called;
  std::promise<void> last;
  job.on_end([&] { called += 'a'; });
  auto future = job.future();
  job.on_end([&] { called += 'b'; });
  job.on_end([&] { last.set_value(); });
  expect_set(last);
  EXPECT_EQ(called, "ab");
  EXPECT_EQ(future.wait_for(kLong), std::future_status::ready);
}

TEST_F(ClientCallbacks, MayBeAskedForWhileOneRuns) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  std::promise<void> runs;
  std::promise<void> go_on;
  std::promise<void> second;
  const std::string kept(100, 'x');
  std::string seen;
  job.on_end([&, kept] {
    runs.set_value();
    go_on.get_future().wait();
    seen = kept;
  });
  expect_set(runs);
  job.on_end([&] { second.set_value(); });
  go_on.set_value();
  expect_set(second);
  EXPECT_EQ(seen, kept);
}

TEST_F(ClientCallbacks, MayBeAskedForWithinOne) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  std::promise<void> second;
  const std::string kept(100, 'x');
  std::string seen;
  job.on_end([&, kept] {
    job.on_end([&] { second.set_value(); });
    seen = kept;
  });
  expect_set(second);
  EXPECT_EQ(seen, kept);
}

TEST_F(ClientCallbacks, MayFreeTheirJobAndTheirClient) {
  auto client = std::make_unique<dunlin::Client>(std::vector<std::string>{agent.path()});
  auto job = std::make_unique<dunlin::Job>(client->submit(job_of_true()));
  std::promise<void> over;
  const std::string kept(100, 'x');
  std::string seen;
  job->on_end([&, kept] {
    job.reset();
    client.reset();
    seen = kept;
    over.set_value();
  });
  expect_set(over);
  EXPECT_EQ(seen, kept);
}

// A program in C frees `data` when it has taken the call back.
TEST_F(ClientCallbacks, ToTakeOneBackIsToWaitForIt) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  struct Data {
    std::promise<void> runs;
    std::atomic<bool> over = false;
  } data;
  dunlin_job_on_end(
      job.handle(),
      [](auto*, void* given) {
        auto& of_call = *static_cast<Data*>(given);
        of_call.runs.set_value();
        std::this_thread::sleep_for(milliseconds(50));
        of_call.over = true;
      },
      &data);
  expect_set(data.runs);
  dunlin_job_on_end(job.handle(), nullptr, nullptr);
  EXPECT_TRUE(data.over);
}

// So does an interpreter that ends, with threads that want its lock.
TEST_F(ClientCallbacks, AThreadThatEndsInOneEndsTheClientAlone) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  std::promise<void> runs;
  job.on_end([&] {
    runs.set_value();
    ::pthread_exit(nullptr);
  });
  expect_set(runs);
  EXPECT_TRUE(job.wait(kLong).succeeded());
  EXPECT_THROW(client.submit(job_of_true()).wait(kLong), ClientError) << "and none waits for ever";
}

TEST_F(ClientCallbacks, OneThatThrowsLeavesNothingWaiting) {
  dunlin::Client client({agent.path()});
  dunlin::Job job = client.submit(job_of_true());
  std::promise<void> runs;
  job.on_end([&] {
    runs.set_value();
    throw std::runtime_error("forbidden");
  });
  expect_set(runs);
  EXPECT_TRUE(job.wait(kLong).succeeded());
}

// Another thread of the program waits for events without end.
TEST_F(ClientCallbacks, AWaitBesideAPollKeepsItsTime) {
  dunlin::Client client({"/nowhere/agent.sock"}, /*own_loop=*/true);
  const dunlin::Job job = client.submit(job_of_true());
  std::atomic<bool> over = false;
  std::thread poller([&] {
    while (!over) client.poll(milliseconds(-1));
  });
  std::this_thread::sleep_for(milliseconds(600));  // The pauses between two tries have grown.
  const auto since = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) EXPECT_THROW(job.wait(milliseconds(20)), ClientError);
  EXPECT_LT(std::chrono::steady_clock::now() - since, milliseconds(250));
  over = true;
  (void)client.submit(job_of_true());  // Wakes it.
  poller.join();
}

TEST_F(ClientCallbacks, AWaitMayBeLongerThanAnyIntSays) {
  dunlin::Client client({agent.path()});
  EXPECT_EQ(dunlin::detail::ms(milliseconds((std::int64_t{1} << 32) + 1)), 0x7fff'ffff);
  EXPECT_EQ(dunlin::detail::ms(milliseconds(-(std::int64_t{1} << 32))), -1);
  EXPECT_EQ(dunlin::detail::ms(milliseconds(7)), 7);
  EXPECT_TRUE(client.submit(job_of_true()).wait(milliseconds((std::int64_t{1} << 32) + 1)).ended);
}

}  // namespace
}  // namespace dunlin::client
