// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/plan_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/share_table.h"
#include "tools/dunlin/screen/text.h"

// A rule of plans travels as an edit of the class table does, with a version, and counts once a
// cell's books have it. A term that the user did not say is left out of the request: defaults are
// the agent's.
namespace dunlin::cli {
namespace {

/// In thousandths, as the control protocol has it.
Result<std::int64_t> parse_reserve(const std::string& text) {
  double part = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, part);
  // NaN fails both comparisons, and is refused with the rest.
  if (read.ec == std::errc{} && read.ptr == end && part >= 0 && part <= 1) {
    return static_cast<std::int64_t>(part * 1000 + .5);
  }
  return failure(ErrorKind::usage,
      "--reserve: '" + text + "' is no part of all slots; give a number from 0 to 1, such as 0.1");
}

Result<int> set_rule(const Globals& globals, Json request) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("plan_set", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  // What no books have yet may be lost with this node, so it is not done.
  const auto keeper = value<std::string>(*reply, "kept_by");
  const int status = keeper.empty() ? kFailure : kSuccess;
  if (globals.json) {
    print_json("dunlin.plan_rule/1", published(*reply));
    return status;
  }
  print(plan_title(*reply) +
      (keeper.empty() ? "; this node knows, and no cell keeps it in its books yet\n"
                      : "; in the books of cell " + printable(keeper) + "\n"));
  return status;
}

}  // namespace

Result<int> plan_set(const Globals& globals, const PlanOptions& options) {
  // What was not said is left out, so that the agent's default applies and not one of this program,
  // which may be of another version.
  Json request = {{"policy", options.policy}};
  if (!options.spare.empty()) request["spare"] = options.spare;
  if (!options.reserve.empty()) {
    const auto reserve = parse_reserve(options.reserve);
    if (!reserve) return tl::unexpected(reserve.error());
    request["reserve"] = *reserve;
  }
  if (!options.horizon.empty()) {
    const auto horizon = parse_time_limit(options.horizon);
    if (!horizon) return failure(ErrorKind::usage, "--horizon: " + horizon.error().text);
    request["horizon_ns"] = horizon->count();
  }
  return set_rule(globals, std::move(request));
}

Result<int> plan_off(const Globals& globals) {
  // A rule like any other: it has a version, and is kept in the books.
  return set_rule(globals, Json{{"policy", "off"}});
}

Result<int> plan_show(const Globals& globals) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("plan", Json::object());
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.plan/1", published(*reply));
  } else {
    print(plan_text(*reply, globals.out()));
  }
  // As with `masters`: cells that did not answer are told by the status, too.
  return all_answered(*reply) ? kSuccess : kFailure;
}

}  // namespace dunlin::cli
