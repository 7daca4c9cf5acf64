// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/masters_table.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/share_table.h"

namespace dunlin::cli {

// The answers that came are printed in any case; the status says whether that was all.
Result<int> masters(const Globals& globals) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("masters", Json::object());
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.masters/1", published(*reply));
  } else {
    print(masters_text(*reply, globals.out()));
  }
  // What is incomplete must not pass for the whole in a script.
  return all_answered(*reply) ? kSuccess : kFailure;
}

}  // namespace dunlin::cli
