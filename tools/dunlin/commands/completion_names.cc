// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/completion_names.h"

#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <unistd.h>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// A shell waits for this while its user holds the tab key: whatever is wrong, it ends soon and says
// nothing.
namespace dunlin::cli {
namespace {

constexpr std::chrono::milliseconds kNamesWait{800};
/// After so many seconds the process ends, where an address or a network holds it up.
constexpr unsigned kNamesLimitS = 1;
constexpr int kNamesMax = 100;

std::string name_line(const std::string& name, const std::string& what) {
  // Control characters of a stranger's name would begin another line, or another column.
  return printable(name) + "\t" + printable(what) + "\n";
}

/// The whole reply to the request `id`; null if none comes in time, or it failed.
Json reply_to(Connection& agent, std::uint64_t id, Clock::time_point deadline) {
  while (true) {
    auto reply = agent.next(deadline);
    if (!reply) return {};
    if (reply->id == id && reply->end) return reply->error ? Json() : std::move(reply->ok);
  }
}

/// Asks, and waits for the reply.
Json told(Connection& agent, const char* verb, Json request, Clock::time_point deadline) {
  const auto id = agent.start(verb, std::move(request));
  return id ? reply_to(agent, *id, deadline) : Json();
}

std::string job_names(Connection& agent, Clock::time_point deadline) {
  std::string text;
  std::set<std::string> seen;
  // Its own first: those of others may take all the time that there is.
  for (const bool cluster : {false, true}) {
    const Json reply = told(agent, "jobs",
        {{"cluster", cluster}, {"all", false}, {"limit", kNamesMax}, {"sort", "newest"}}, deadline);
    for (const Json& job : member(reply, "jobs")) {
      if (!seen.insert(value<std::string>(job, "job")).second) continue;
      text += name_line(
          job_name(job), value<std::string>(job, "name") + ", " + value<std::string>(job, "state"));
    }
  }
  return text;
}

}  // namespace

std::string names_told(Connection& agent, const std::string& what, Clock::time_point deadline) {
  if (what == "jobs") return job_names(agent, deadline);
  std::string text;
  if (what == "nodes") {
    const Json reply = told(agent, "nodes", Json::object(), deadline);
    for (const Json& node : member(reply, "nodes")) {
      text += name_line(value<std::string>(node, "name"), value<std::string>(node, "state"));
    }
  } else if (what == "classes") {
    const Json reply = told(agent, "share_list", Json::object(), deadline);
    for (const Json& each : member(reply, "classes")) {
      text += name_line(value<std::string>(each, "name"),
          "weight " + std::to_string(value<std::uint64_t>(each, "weight")));
    }
  }
  return text;
}

Result<int> completion_names(const Globals& globals, const std::string& what) {
  std::signal(SIGALRM, [](int) { ::_exit(kSuccess); });
  ::alarm(kNamesLimitS);
  auto agent = Connection::open(globals.agent);
  if (agent) print(names_told(*agent, what, Clock::now() + kNamesWait));
  ::alarm(0);
  return kSuccess;
}

}  // namespace dunlin::cli
