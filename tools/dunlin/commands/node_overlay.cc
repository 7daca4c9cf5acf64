// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/overlay_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"

// `dunlin node overlay`: the agent at hand passes the question on, and the node itself says which
// nodes it knows.
namespace dunlin::cli {
Result<int> show_overlay(const Globals& globals, const OverlayOptions& options) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  Json request = Json::object();
  if (!options.node.empty()) request["at"] = options.node;
  const auto reply = agent->ask("overlay", request);
  if (!reply) return tl::unexpected(overlay_error(reply.error(), options.node));
  if (globals.json) {
    print_json("dunlin.overlay/1", published(*reply));
    return kSuccess;
  }
  const auto text = overlay_text(*reply, options.columns, globals.out());
  if (!text) return tl::unexpected(text.error());
  print(*text);
  return kSuccess;
}

}  // namespace dunlin::cli
