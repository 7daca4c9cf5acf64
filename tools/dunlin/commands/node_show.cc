// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/node_view.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"

// `dunlin node show`: the agent at hand says what is known of the node, and the node itself which
// tasks run there. One that is down says nothing: what is known of it is shown all the same.
namespace dunlin::cli {
namespace {

/// Pages of tasks that are read: 1,000 tasks, more than any node should have.
constexpr int kTaskPagesMax = 5;
constexpr int kTaskPage = 200;

/// The tasks of all pages in one answer. Fails like a request does.
Result<Json> ask_tasks(Connection& agent, const std::string& id) {
  Json request = {{"at", id}, {"limit", kTaskPage}};
  Json told;
  for (int page = 0; page < kTaskPagesMax; ++page) {
    auto reply = agent.ask("node_tasks", request);
    if (!reply) return tl::unexpected(reply.error());
    if (page == 0) {
      told = *reply;
    } else {
      for (const Json& task : member(*reply, "tasks")) told["tasks"].push_back(task);
      told["next"] = member(*reply, "next");
    }
    const Json& next = member(*reply, "next");
    if (!next.is_string() || !member(told, "tasks").is_array()) break;
    request["after"] = next;
  }
  return told;
}

/// The last hour of it; null if its agent is of a build before, or has no past yet.
Json ask_past(Connection& agent, const std::string& id) {
  const auto reply = agent.ask("past",
      {{"at", id}, {"since_at_ns", 1},
          {"figures", {"cpu_free_milli", "memory_free_mib", "running", "queued", "failed"}}});
  return reply ? *reply : Json(nullptr);
}

/// True if the node can answer by itself.
bool is_there(const Json& node) {
  const auto state = value<std::string>(node, "state");
  return state == "up" || state == "draining" || state == "sick" || state == "unreachable";
}

}  // namespace

Result<int> show_node(const Globals& globals, const NodeShowOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  auto known = agent->ask("node", {{"node", options.node}});
  if (!known) return tl::unexpected(known.error());
  NodeLook look{.node = std::move(*known), .tasks = {}, .tasks_error = {}};
  const Json& node = member(look.node, "node");
  if (is_there(node)) {
    auto tasks = ask_tasks(*agent, value<std::string>(node, "node"));
    if (tasks) {
      look.tasks = std::move(*tasks);
      look.past = ask_past(*agent, value<std::string>(node, "node"));
    } else {
      look.tasks_error = tasks.error().text;
    }
  }
  if (globals.json) {
    Json all = look.node;
    all["tasks"] = look.tasks;
    all["past"] = look.past;
    if (!look.tasks_error.empty()) all["tasks_error"] = look.tasks_error;
    print_json("dunlin.node/1", published(all));
  } else {
    print(node_view(look, options.tasks, globals.out()));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
