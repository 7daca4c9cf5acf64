// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/job_pictures.h"

#include <utility>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/bins_view.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"
#include "tools/dunlin/screen/timeline_view.h"

// A person at a terminal gets a picture as wide as it; elsewhere come lines that other programs can
// read.
namespace dunlin::cli {

Result<int> print_timeline(const Globals& globals, Connection& agent, const Json& request) {
  const auto reply = agent.ask("timeline", request);
  if (!reply) return tl::unexpected(reply.error());
  const Terminal out = globals.out();
  if (globals.json) {
    print_json("dunlin.timeline/1", published(*reply));
  } else {
    print(out.interactive ? timeline_bars(*reply, out) : timeline_text(*reply));
  }
  return kSuccess;
}

Result<int> print_bins(const Globals& globals, Connection& agent, Json request) {
  const Terminal out = globals.out();
  const bool strip = out.interactive && !globals.json;
  if (strip) request["bins"] = strip_columns(out);
  const auto reply = agent.ask("task_bins", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.task_bins/1", published(*reply));
  } else {
    print(strip ? bins_strip(*reply, out) : bins_text(*reply));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
