// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dunlin/client.hpp>
#include <memory>
#include <thread>

// stress SOCKET: what programs in C++ do with libdunlin beside what the one in C does: calls within
// calls, futures, handles that move and go, clients that end while calls are due. Somebody kills
// the agent in each phase meanwhile. Prints "good" at its end.
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLong{60};

void need(bool holds, const char* what) {
  if (holds) return;
  std::printf("%s\n", what);
  std::exit(1);
}

void phase(const char* name) {
  std::printf("phase %s\n", name);
  std::fflush(stdout);
}

std::string job_of(const char* script, const char* more = "") {
  const std::vector<std::string> command = {"sh", "-c", script};
  return dunlin::command_job(command, R"("demand":{"cpu_milli":100})" + std::string(more));
}

/// A job that is asked for again and again, and freed by its own last call.
struct Chain {
  explicit Chain(dunlin::Job given) : job(std::make_unique<dunlin::Job>(std::move(given))) {}
  static void go_on(const std::shared_ptr<Chain>& chain, std::atomic<int>& done) {
    chain->job->on_end([chain, &done] {
      if (--chain->left > 0) return go_on(chain, done);
      const auto last = std::move(chain->job);
      ++done;
    });
  }
  std::unique_ptr<dunlin::Job> job;
  int left = 5;
};

void calls_phase(dunlin::Client& client) {
  std::atomic<int> done = 0;
  phase("calls");
  for (int i = 0; i < 30; ++i) {
    Chain::go_on(std::make_shared<Chain>(client.submit(job_of("true"))), done);
    std::this_thread::sleep_for(5ms);
  }
  for (int i = 0; i < 6000 && done < 30; ++i) std::this_thread::sleep_for(10ms);
  need(done == 30, "a call of a chain is missing");
}

void futures_phase(dunlin::Client& client) {
  phase("futures");
  std::vector<dunlin::Job> jobs = client.submit(std::vector<std::string>(30, job_of("true")), true);
  std::vector<std::future<dunlin::JobInfo>> futures;
  for (dunlin::Job& job : jobs) futures.push_back(job.future());
  std::vector<dunlin::Job> moved;
  for (dunlin::Job& job : jobs) moved.push_back(std::move(job));
  for (auto& future : futures) {
    need(future.wait_for(kLong) == std::future_status::ready, "a future is not ready");
    need(future.get().succeeded(), "a job has not succeeded");
  }
  for (const dunlin::Job& job : moved) {
    int results = 0;
    while (job.next_result(kLong)) ++results;
    need(results == 1, "not one result");
  }
}

/// Clients and jobs go while calls are due, and while threads wait.
void ends_phase(const std::string& address) {
  phase("ends");
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> called = 0;
    std::vector<dunlin::Job> jobs;
    std::vector<std::thread> waiting;
    {
      dunlin::Client client({address});
      for (int job = 0; job < 4; ++job) jobs.push_back(client.submit(job_of("true")));
      for (dunlin::Job& job : jobs) {
        job.on_end([&called] { ++called; });
        waiting.emplace_back([&job] {
          try {
            job.wait(kLong);
          } catch (const dunlin::ClientError& error) {
            need(error.status() == DUNLIN_CLOSED, "another end than that of the client");
          }
        });
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(i * 3));
    }
    for (std::thread& thread : waiting) thread.join();
    need(called <= 4, "called twice");
  }
}

void beside(dunlin::Client& client, std::atomic<bool>& over) {
  for (int i = 0; !over && i < 60; ++i) {
    dunlin::Job job = client.submit(job_of("echo beside; sleep 0.01"), true);
    if (i % 3 == 0) {
      job.on_end([] {});
    } else if (i % 3 == 1) {
      need(job.wait(kLong).succeeded(), "a job beside has not succeeded");
      need(job.output().read_all() == "beside\n", "another output");
    } else {
      dunlin::Job other = client.submit(job_of("true"));
      job = std::move(other);  // What was asked of the first goes with it.
    }
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string address = argv[1];
  {
    dunlin::Client client({address});
    std::atomic<bool> over = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { beside(client, over); });
    calls_phase(client);
    futures_phase(client);
    ends_phase(address);
    over = true;
    for (std::thread& thread : threads) thread.join();
  }
  std::printf("good\n");
  return 0;
}
