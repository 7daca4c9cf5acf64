// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// Below the table stands what an operator has to act on: who is in trouble, and why, and whether
// this node has found its cluster at all. With --quiet there are names alone, for scripts.
namespace dunlin::cli {

Result<int> nodes(const Globals& globals, const NodesOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  // Nodes that are gone are asked for only on demand: a cluster whose nodes come and go may have
  // many.
  const auto reply = agent->ask("nodes", options.all ? Json{{"all", true}} : Json::object());
  if (!reply) return tl::unexpected(reply.error());
  const Json& nodes = member(*reply, "nodes");
  if (globals.json) {
    print_json("dunlin.nodes/1", published(*reply));
    // No `printable` here: scripts take names from this, and must get them as they are.
  } else if (options.quiet) {
    // Without --all the answer has none that are gone.
    for (const char* const each : {"nodes", "gone"}) {
      for (const Json& node : member(*reply, each)) {
        std::printf("%s\n", value<std::string>(node, "name").c_str());
      }
    }
  } else {
    Table table = node_table(nodes);
    if (const auto fine = table.choose(options.columns); !fine) return tl::unexpected(fine.error());
    print(table.render(globals.out()));
    // Below the table, not above: on a long list the last lines are what remains in view.
    print(node_totals(nodes, value<std::string>(*reply, "self")));
    print(node_troubles(nodes));
    print(address_notes(*reply));
    print(not_joined_line(*reply));
    if (options.all) print(gone_text(member(*reply, "gone"), globals.out()));
  }
  return kSuccess;
}

Result<int> forget_node(const Globals& globals, const std::string& node) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("node_forget", {{"node", node}});
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.node_forget/1", published(*reply));
  } else {
    std::printf("%s is listed no more, until it is heard again\n", printable(node).c_str());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
