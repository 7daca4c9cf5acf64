// SPDX-License-Identifier: MIT
#include <cstdio>
#include <dunlin/client.hpp>
#include <vector>

// A parameter sweep: one job with a task for each value, and the results as the tasks end.
int main(int argc, char** argv) {
  try {
    dunlin::Client client(std::vector<std::string>(argv + 1, argv + argc));
    const std::vector<std::string> command = {"sh", "-c", "exit $(( $DUNLIN_TASK_INDEX % 3 ))"};
    const dunlin::Job job = client.submit(
        dunlin::command_job(command, R"("count":9,"demand":{"cpu_milli":500})"), true);

    int good = 0;
    // In the order in which tasks end, not in that of their numbers.
    while (const auto result = job.next_result()) {
      good += result->shell_status == 0 ? 1 : 0;
      std::fprintf(stderr, "value %u: %s %d on %s\n", result->task, result->outcome, result->status,
          result->worker);
    }
    std::printf("%d of %u values are good\n", good, job.info().tasks);
    return 0;
  } catch (const dunlin::ClientError& error) {
    std::fprintf(stderr, "sweep: %s\n", error.what());
    return 1;
  }
}
