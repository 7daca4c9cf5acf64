// SPDX-License-Identifier: MIT
#include <cstdio>
#include <dunlin/client.hpp>
#include <vector>

// A program that has work done elsewhere, goes on with work of its own, and waits where it needs
// the results: Example Code 1 of the thesis that the client library follows.
int main(int argc, char** argv) {
  try {
    dunlin::Client client(std::vector<std::string>(argv + 1, argv + argc));

    // The jobs run in the background from here on.
    std::vector<dunlin::Job> jobs;
    for (int part = 0; part < 4; ++part) {
      const std::vector<std::string> command = {
          "sh", "-c", "echo $(( $0 * $0 ))", std::to_string(part)};
      jobs.push_back(client.submit(dunlin::command_job(command)));
    }

    long local = 0;
    for (long i = 0; i < 1'000'000; ++i) local += i % 7;

    // The chosen point: what follows needs all of them.
    long sum = 0;
    for (const dunlin::Job& job : jobs) {
      const dunlin::JobInfo info = job.wait();
      if (!info.succeeded()) {
        std::fprintf(stderr, "job %s is %s\n", info.id.c_str(), info.state.c_str());
        return 1;
      }
      sum += std::stol(job.output().read_all());
    }
    std::printf("local %ld, squares %ld\n", local, sum);
    return 0;
  } catch (const dunlin::ClientError& error) {
    std::fprintf(stderr, "background: %s\n", error.what());
    return 1;
  }
}
