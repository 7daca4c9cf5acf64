// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/past_moment.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"
#include "tools/dunlin/screen/usage_table.h"

// Times are made absolute here: "since yesterday" must mean one moment, whichever agents are asked,
// and their clocks and time zones differ. Sums are as good as the nodes that answered, so those
// that did not are named on stderr.
namespace dunlin::cli {
namespace {

std::int64_t wall_ns(WallTime moment) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

Result<Json> usage_request(const UsageOptions& options) {
  Json request = {{"cluster", !options.here}, {"by", options.by}, {"limit", options.limit}};
  if (!options.user.empty()) request["user"] = options.user;
  if (!options.service_class.empty()) request["class"] = options.service_class;
  const WallTime now = std::chrono::system_clock::now();
  // One `now` for both ends, so that "1h" to now is an hour.
  WallTime until = now;
  if (!options.until.empty()) {
    const auto moment = parse_past_moment(options.until, now);
    if (!moment) return failure(ErrorKind::usage, "--until: " + moment.error().text);
    until = *moment;
    request["until_at_ns"] = wall_ns(until);
  }
  // Without a begin the agents go back as far as they keep it.
  if (options.since == "all") return request;
  const auto since = parse_past_moment(options.since, now);
  if (!since) return failure(ErrorKind::usage, "--since: " + since.error().text);
  if (*since >= until) {
    return failure(ErrorKind::usage, "--until: it must be after --since");
  }
  // Before 1970 there is nothing, and the protocol has no such times.
  request["since_at_ns"] = std::max<std::int64_t>(wall_ns(*since), 0);
  return request;
}

}  // namespace

Result<int> usage(const Globals& globals, const UsageOptions& options) {
  const auto request = usage_request(options);
  if (!request) return tl::unexpected(request.error());
  if (globals.json && options.csv) {
    return failure(ErrorKind::usage, "--csv and --json: choose one of them");
  }
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("usage", *request);
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.usage/1", published(*reply));
  } else if (options.csv) {
    print(usage_csv(*reply));
  } else {
    const auto text = usage_text(*reply, options.columns, globals.out());
    if (!text) return tl::unexpected(text.error());
    print(*text);
    print(quotas_text(*reply));
  }
  if (const auto silent = silent_nodes_text(*reply); !silent.empty()) {
    // So that the warning stands below the table, where both are one terminal.
    std::fflush(stdout);
    std::fprintf(stderr, "dunlin: what they know is missing: %s\n", printable(silent).c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
