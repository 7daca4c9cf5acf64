// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/commands/confirm.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/times/time_limit.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/share_table.h"
#include "tools/dunlin/screen/text.h"

// Commands about classes and cells. They succeed only if all that was asked answered: a sum over
// some of the cells is not a sum, and a change that no cell's books have yet may be lost with the
// node that took it.
namespace dunlin::cli {
namespace {

/// Sends an edit of the class table, and prints the table that holds then.
Result<int> change(const Globals& globals, Json request) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("share_set", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  // What no books have yet may be lost with this node, so it is not done.
  const auto keeper = value<std::string>(*reply, "kept_by");
  const int status = keeper.empty() ? kFailure : kSuccess;
  if (globals.json) {
    print_json("dunlin.share/1", published(*reply));
    return status;
  }
  print(table_title(*reply) +
      (keeper.empty() ? "; this node knows, and no cell keeps it in its books yet\n"
                      : "; in the books of cell " + printable(keeper) + "\n"));
  return status;
}

/// Asks `verb` and prints the answer as JSON or, by `text`, for people. `status` judges it.
template <typename Text, typename Status>
Result<int> show(const Globals& globals,
    const char* verb,
    Json request,
    std::string_view schema,
    Text&& text,
    Status&& status) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask(verb, std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json(schema, published(*reply));
  } else {
    // It may fail where a column is named that there is none of: then nothing is printed.
    const Result<std::string> words = text(*reply);
    if (!words) return tl::unexpected(words.error());
    print(*words);
  }
  return status(*reply);
}

/// A script must not take a part for the whole.
int status_of_reply(const Json& reply) {
  return all_answered(reply) ? kSuccess : kFailure;
}

}  // namespace

// Classes that are not named keep their weights: this edits the table, and does not replace it.
Result<int> share_set(const Globals& globals, const std::vector<std::string>& words) {
  const auto shares = parse_shares(words);
  if (!shares) return tl::unexpected(shares.error());
  Json set = Json::array();
  for (const auto& [name, weight] : *shares) set.push_back({{"name", name}, {"weight", weight}});
  return change(globals, {{"set", std::move(set)}});
}

Result<int> share_remove(const Globals& globals, const std::vector<std::string>& names) {
  return change(globals, {{"remove", names}});
}

Result<int> share_list(const Globals& globals) {
  return show(
      globals, "share_list", Json::object(), "dunlin.share/1",
      [&](const Json& reply) { return share_list_text(reply, globals.out()); },
      [](const Json&) { return kSuccess; });
}

Result<int> cells(const Globals& globals, const CellsOptions& options) {
  return show(
      globals, "cells", {{"members", options.members}}, "dunlin.cells/1",
      [&](const Json& reply) {
        return cells_text(reply, options.members, options.columns, globals.out());
      },
      status_of_reply);
}

Result<int> write_off(const Globals& globals, const WriteOffOptions& options) {
  // Before an agent is sought: a person that is asked must not be told afterwards that none
  // answers.
  if (!options.yes) {
    auto sure = confirm("cells write-off",
        "This cannot be taken back: if the nodes of cell " + printable(options.cell) +
            " ever come back, what is in its books counts no more.\nIts id once more: ",
        options.cell);
    if (!sure) return tl::unexpected(sure.error());
  }
  // The id must be typed whole and twice, so that a cell that only looks like it is not written
  // off.
  return show(
      globals, "cells_write_off", {{"cell", options.cell}, {"reissue", options.reissue}},
      "dunlin.write_off/1", [](const Json& reply) { return write_off_text(reply); },
      [](const Json& reply) {
        return value<bool>(reply, "written_off") && all_answered(reply) ? kSuccess : kFailure;
      });
}

Result<int> shares(const Globals& globals, const std::string& cell) {
  return show(
      globals, "shares", {{"cell", cell}}, "dunlin.shares/1",
      [&](const Json& reply) { return shares_text(reply, globals.out()); }, status_of_reply);
}

Result<int> audit(const Globals& globals, const std::string& timeout) {
  Json request = Json::object();
  if (!timeout.empty()) {
    const auto limit = parse_time_limit(timeout);
    if (!limit) return failure(ErrorKind::usage, "--timeout: " + limit.error().text);
    request["patience_ns"] = limit->count();
  }
  return show(
      globals, "audit", std::move(request), "dunlin.audit/1",
      [&](const Json& reply) { return audit_text(reply, globals.out()); },
      [](const Json& reply) {
        // No class was ever set, so there is no ticket to be missing.
        const bool nobody = value<int>(reply, "version") == 0 && value<int>(reply, "cells") == 0;
        return nobody || value<bool>(reply, "conserved") ? kSuccess : kFailure;
      });
}

}  // namespace dunlin::cli
