// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"

namespace dunlin::cli {

Result<int> nodes(const Globals& globals, bool quiet) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("nodes");
  if (!reply) return tl::unexpected(reply.error());
  const Json& nodes = member(*reply, "nodes");
  if (globals.json) {
    print_json("dunlin.nodes/1", published(*reply));
  } else if (quiet) {
    for (const Json& node : nodes) std::printf("%s\n", value<std::string>(node, "name").c_str());
  } else {
    print(node_table(nodes).render(globals.out()));
    print(node_totals(nodes, value<std::string>(*reply, "self")));
    print(node_troubles(nodes));
    print(address_notes(*reply));
    print(not_joined_line(*reply));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
