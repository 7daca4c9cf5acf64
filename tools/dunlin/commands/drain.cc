// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>
#include <thread>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/deadline.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/text.h"

// A drain is asked for once, and looked at until the node is idle. The looks repeat the request,
// because its answer has the number of tasks that run; reason and end are said the first time only.
namespace dunlin::cli {
namespace {

// How often a node is looked at that empties: each look is a request to its agent.
constexpr std::chrono::milliseconds kPoll{500};
constexpr std::chrono::seconds kToldAfter{2};

// Without a node the agent that is asked drains itself.
Result<Json> request_of(const DrainOptions& options) {
  Json request = {{"on", !options.off}};
  if (!options.node.empty()) request["node"] = options.node;
  if (options.off && !(options.reason + options.until).empty()) {
    return failure(ErrorKind::usage, "--off ends a drain: it has no --reason and no --until");
  }
  if (!options.reason.empty()) request["reason"] = options.reason;
  if (options.until.empty()) return request;
  const auto left = parse_deadline(options.until, std::chrono::system_clock::now());
  if (!left) return failure(ErrorKind::usage, "--until: " + left.error().text);
  // How long, not when: the clocks of the two machines may differ.
  request["lasts_ns"] = left->count();
  return request;
}

/// Repeats the request, which changes nothing, until the node's last task has ended. `reply` is the
/// first answer. A wait that takes long says once what it waits for.
Result<std::uint32_t> wait_until_idle(
    Connection& agent, const Json& request, const Json& reply, Clock::time_point deadline) {
  auto running = value<std::uint32_t>(reply, "running");
  const auto begun = Clock::now();
  bool told = false;
  while (running != 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(kPoll);
    if (!told && Clock::now() - begun >= kToldAfter) {
      told = true;
      std::fprintf(stderr, "dunlin: waiting until %s %s ended on %s\n",
          count_text(running, "task").c_str(), running == 1 ? "has" : "have",
          printable(value<std::string>(reply, "name", "the node")).c_str());
    }
    // The request itself, as its answer has the number of tasks that run: no other verb is needed.
    const auto again = agent.ask("drain", request);
    if (!again) return tl::unexpected(again.error());
    running = value<std::uint32_t>(*again, "running");
  }
  return running;
}

}  // namespace

Result<int> drain(const Globals& globals, const DrainOptions& options) {
  // Past: without --deadline nothing is waited for.
  Clock::time_point deadline = Clock::time_point::min();
  if (!options.deadline.empty()) {
    const auto limit = parse_time_limit(options.deadline);
    if (!limit) return failure(ErrorKind::usage, "--deadline: " + limit.error().text);
    deadline = Clock::now() + *limit;
  }
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  auto request = request_of(options);
  if (!request) return tl::unexpected(request.error());
  const auto reply = agent->ask("drain", *request);
  if (!reply) return tl::unexpected(reply.error());
  // Said once: to repeat them with each look would begin the time anew.
  for (const char* const said : {"reason", "lasts_ns"}) request->erase(said);
  const auto left = wait_until_idle(*agent, *request, *reply, deadline);
  if (!left) return tl::unexpected(left.error());
  const auto name = printable(value<std::string>(*reply, "name", options.node));
  if (globals.json) {
    print_json("dunlin.drain/1",
        {{"name", name}, {"node", member(*reply, "node")}, {"draining", !options.off},
            {"running", *left}});
  } else if (options.off) {
    std::printf("%s takes tasks again\n", name.c_str());
  } else if (*left == 0) {
    std::printf("%s takes no more tasks, and none runs there\n", name.c_str());
  } else {
    std::printf("%s takes no more tasks; %s still run%s there\n", name.c_str(),
        count_text(*left, "task").c_str(), *left == 1 ? "s" : "");
  }
  // Without --deadline tasks that still run are no failure: nobody asked to wait for them.
  return *left != 0 && !options.deadline.empty() ? kTimeout : kSuccess;
}

}  // namespace dunlin::cli
