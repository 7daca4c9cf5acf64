// SPDX-License-Identifier: MIT
#include "node/agent_options.h"
#include "overlay/param_entries.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/screen/param_table.h"
#include "tools/dunlin/screen/report.h"

// The same list from two origins: the table that this program was built with, or the values that an
// agent runs with. It is also where the page of parameters in the guide comes from (--markdown).
namespace dunlin::cli {
namespace {

/// The defaults in the form of the control protocol, so that both origins print alike.
Json defaults() {
  // A fresh one, no file read: what is shown without --agent is what the program has by itself.
  node::Configuration configuration;
  Json params = Json::array();
  for (const overlay::ParamEntry& entry : node::all_entries(configuration)) {
    params.push_back(
        {{"key", entry.key()}, {"type", entry.type}, {"range", entry.range}, {"value", entry.get()},
            {"default", entry.fallback}, {"meaning", entry.meaning}, {"source", entry.source}});
  }
  return params;
}

Result<Json> of_agent(const Globals& globals) {
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto reply = agent->ask("params");
  if (!reply) return tl::unexpected(reply.error());
  return member(*reply, "params");
}

// A bar would begin another column.
std::string in_table_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string markdown(const Json& params) {
  std::string text;
  std::string section;
  for (const Json& param : params) {
    const auto key = value<std::string>(param, "key");
    const auto dot = key.find('.');
    // Entries come section by section, so a new name begins a new table.
    if (const auto name = key.substr(0, dot); name != section) {
      section = name;
      text += (text.empty() ? "" : "\n") + ("## " + section) +
          "\n\n| parameter | default | range | meaning |\n|---|---|---|---|\n";
    }
    const auto cell = [&](const char* of) { return in_table_cell(value<std::string>(param, of)); };
    const auto source = cell("source");
    text += "| `" + key.substr(dot + 1) + "` | " + cell("default") + " | " + cell("range") + " | " +
        cell("meaning") + (source.empty() ? "" : " *(" + source + ")*") + " |\n";
  }
  return text;
}

}  // namespace

Result<int> params(const Globals& globals, const ParamsOptions& options) {
  auto all = options.agent ? of_agent(globals) : Result<Json>(defaults());
  if (!all) return tl::unexpected(all.error());
  Json shown = Json::array();
  for (Json& param : *all) {
    // A section, or the beginning of a key: "worker", "worker.disc".
    if (value<std::string>(param, "key").starts_with(options.section)) {
      shown.push_back(std::move(param));
    }
  }
  if (shown.empty()) {
    return failure(ErrorKind::usage, "no parameter begins with '" + options.section + "'");
  }
  if (globals.json) {
    print_json("dunlin.params/1", {{"params", std::move(shown)}});
  } else if (options.markdown) {
    print(markdown(shown));
  } else {
    print(param_table(shown, options.agent ? "VALUE" : "DEFAULT", globals.out()));
  }
  return kSuccess;
}

}  // namespace dunlin::cli
