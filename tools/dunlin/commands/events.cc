// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/put.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// The agent keeps a bounded number of events for each reader. A slow reader loses some instead of
// slowing the agent down, and is told how many: so that is printed where they are missing, and not
// at the end.
namespace dunlin::cli {
namespace {

Colour colour_of_level(std::string_view level) {
  if (level == "error") return Colour::red;
  return level == "warn" ? Colour::yellow : Colour::none;
}

/// "2026-11-24T06:39:23Z info  job_finished job=... succeeded=3".
std::string line_of(const Json& event, const Terminal& out) {
  auto level = value<std::string>(event, "level");
  const Colour colour = colour_of_level(level);
  level.resize(5, ' ');
  std::string line = iso_time(value<std::int64_t>(event, "at_ns")) + " " +
      out.paint(printable(level), colour) + " " + printable(value<std::string>(event, "event"));
  for (const auto& [key, field] : member(event, "fields").items()) {
    // Quoted as a shell would, so that a line can be cut at its blanks.
    line += " " + printable(key) + "=" +
        (field.is_string() ? shell_word(field.get<std::string>()) : compact(field));
  }
  return line + "\n";
}

// The agent keeps only so many for a reader that is slow, and counts what it had to drop.
std::string line_of_dropped(std::uint64_t count) {
  return "... " + count_text(count, "event") +
      " left out here: they came faster than they were read\n";
}

/// One line for each event, as programs like a stream.
std::string json_line(const Json& event) {
  Json line = {{"schema", "dunlin.event/1"}};
  const Json fields = published(event);
  for (const auto& [key, field] : fields.items()) line[key] = field;
  return compact(line) + "\n";
}

Result<void> print_batch(const Globals& globals, const Json& batch) {
  const auto dropped = value<std::uint64_t>(batch, "dropped");
  std::string text;
  // Told first: they are missing before the events of this batch.
  if (dropped > 0)
    text = globals.json ? json_line({{"dropped", dropped}}) : line_of_dropped(dropped);
  for (const Json& event : member(batch, "events")) {
    text += globals.json ? json_line(event) : line_of(event, globals.out());
  }
  return put(stdout, text);
}

// Until the agent or the user ends it. Printed batch by batch, as a reader of a pipe wants it.
Result<int> follow(const Globals& globals, Connection& agent, Json request) {
  request["follow"] = true;
  const auto id = agent.start("events", std::move(request));
  if (!id) return tl::unexpected(id.error());
  while (true) {
    const auto reply = agent.next();
    if (!reply) return tl::unexpected(reply.error());
    if (reply->error) return tl::unexpected(*reply->error);
    if (auto printed = print_batch(globals, reply->ok); !printed) {
      return tl::unexpected(printed.error());
    }
    if (reply->end) return kSuccess;
  }
}

}  // namespace

Result<int> events(const Globals& globals, const EventsOptions& options) {
  Json request = {{"names", options.names}};
  if (!options.level.empty()) request["level"] = options.level;
  if (!options.node.empty()) request["at"] = options.node;
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  if (options.follow) return follow(globals, *agent, std::move(request));
  const auto reply = agent->ask("events", std::move(request));
  if (!reply) return tl::unexpected(reply.error());
  // All in one document; --follow cannot, as it has no end, and prints a line for each.
  if (globals.json) {
    print_json("dunlin.events/1", {{"events", published(member(*reply, "events"))}});
  } else if (auto printed = print_batch(globals, *reply); !printed) {
    return tl::unexpected(printed.error());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
