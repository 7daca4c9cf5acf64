// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"
#include "tools/dunlin/screen/users_table.h"

namespace dunlin::cli {
namespace {

// One agent, by its own words: nothing here comes by gossip, so it holds even where nobody else
// hears it.
std::string status_text(const Json& status) {
  const auto text = [&](const char* key) { return printable(value<std::string>(status, key)); };
  const auto number = [&](const char* key) { return value<std::uint64_t>(status, key); };
  const std::string sick = text("sick");
  const std::string store_error = text("store_error");
  std::string out = "agent    " + text("name") + " (" + text("node") + ") at " + text("address") +
      " of cluster " + text("cluster") + ", dunlin " + text("version") + "\n";
  out += "state    " + text("state") + (sick.empty() ? "" : ": " + sick) + ", up for " +
      span_text(value<double>(status, "uptime_ns") / 1e9) + "\n";
  out += "work     " + count_text(number("running"), "task") + " running, " +
      std::to_string(number("queued")) + " queued, " + count_text(number("jobs"), "job") +
      " unfinished here\n";
  out += "data     " + text("data_dir") + ", output kept " + bytes_text(number("output_bytes")) +
      (store_error.empty() ? "" : ", records cannot be written: " + store_error) + "\n";
  return out;
}

}  // namespace

Result<int> status(const Globals& globals, bool users) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // The charges of users are asked for only if they are shown.
  const auto reply = agent->ask("status", {{"users", users}});
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.status/1", published(*reply));
  } else {
    print(users ? users_text(*reply, globals.out()) : status_text(*reply));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
