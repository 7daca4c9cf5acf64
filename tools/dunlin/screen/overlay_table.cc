// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/overlay_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sched/resources.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// `dunlin node overlay`: the nodes that a node knows. A neighbour may be known by chance, by its
// rank or by both, so the two have a column each, and "-" says that this view has it not.
namespace dunlin::cli {
namespace {

/// "0.75": two digits, so that a column of them can be compared.
std::string utility_text(const Json& of) {
  const double part = std::clamp(value<double>(of, "utility"), 0.0, 1.0);
  std::string text = std::to_string(std::lround(part * 100));
  text.insert(0, text.size() < 3 ? 3 - text.size() : 0, '0');
  return text.insert(text.size() - 2, ".");
}

/// "350 us", "2.1 ms"; "-" if none was measured.
std::string trip_text(const Json& neighbour) {
  const Json& trip = member(neighbour, "rtt_ns");
  if (!trip.is_number()) return "-";
  const auto ns = std::max<std::int64_t>(as<std::int64_t>(trip), 0);
  return ns < 950'000 ? std::to_string((ns + 500) / 1000) + " us"
                      : span_text(static_cast<double>(ns) / 1e9);
}

std::string link_text(const Json& neighbour) {
  const bool linked = member(neighbour, "link_age_ns").is_number();
  return linked ? age_text(seconds_of(neighbour, "link_age_ns")) : "-";
}

std::string rank_text(const Json& neighbour) {
  const Json& rank = member(neighbour, "rank");
  return rank.is_number() ? std::to_string(as<std::uint32_t>(rank)) : "-";
}

/// "3.5/8": free of all.
std::string room_cpus(const Json& neighbour) {
  const auto text = [&](const char* key) {
    return sched::cpu_text(value<std::uint32_t>(member(neighbour, key), "cpu_milli"));
  };
  return text("free") + "/" + text("total");
}

std::string room_memory(const Json& neighbour) {
  const auto text = [&](const char* key) {
    return sched::memory_text(value<std::uint64_t>(member(neighbour, key), "memory_mib"));
  };
  return text("free") + "/" + text("total");
}

/// "free CPU x free memory".
std::string utility_words(const Json& overlay) {
  const auto of = value<std::string>(overlay, "utility_of");
  if (of == "cpu_memory") return "free CPU x free memory";
  return of == "cpu" ? "free CPU" : of == "memory" ? "free memory" : printable(of);
}

/// "osprey, wren".
std::string place_names(const Json& places) {
  std::string names;
  for (const Json& place : places) {
    names += (names.empty() ? "" : ", ") + printable(value<std::string>(place, "name"));
  }
  return names;
}

/// Nothing where nodes form no cells.
std::string cell_lines(const Json& overlay) {
  const Json& cell = member(overlay, "cell");
  std::string text;
  if (cell.is_object()) {
    const auto manager = value<std::string>(member(cell, "manager"), "name");
    const std::string voters = place_names(member(cell, "voters"));
    text += "cell " + printable(value<std::string>(cell, "cell")) + ": " +
        printable(value<std::string>(cell, "standing")) + ", epoch " +
        std::to_string(value<std::uint64_t>(cell, "epoch")) +
        (manager.empty() ? ", no manager is known" : ", managed by " + printable(manager)) +
        (voters.empty() ? "" : "; its books are kept by " + voters + ", too") + "\n";
  }
  for (const Json& books : member(overlay, "books")) {
    const auto parent = value<std::string>(books, "parent");
    text += std::string(value<bool>(books, "manages") ? "manages" : "keeps the books of") +
        " cell " + printable(value<std::string>(books, "cell")) + " of level " +
        std::to_string(value<std::uint32_t>(books, "level")) +
        (parent.empty() ? "" : ", below " + printable(parent)) + "\n";
  }
  return text;
}

/// "node osprey knows 23 nodes: 20 by chance, 12 by rank".
std::string overlay_head(const Json& overlay) {
  std::size_t by_chance = 0;
  std::size_t by_rank = 0;
  const Json& neighbours = member(overlay, "neighbours");
  for (const Json& each : neighbours) {
    by_chance += member(each, "link_age_ns").is_number() ? 1u : 0u;
    by_rank += member(each, "rank").is_number() ? 1u : 0u;
  }
  const std::size_t all = neighbours.is_array() ? neighbours.size() : 0;
  return "node " + printable(value<std::string>(overlay, "node_name")) + " knows " +
      count_text(all, "node") + ": " + std::to_string(by_chance) + " by chance, " +
      std::to_string(by_rank) + " by rank; its utility is " + utility_text(overlay) + " (" +
      utility_words(overlay) + ")\n";
}

std::string nobody_text(const Json& overlay) {
  return value<bool>(overlay, "seeks")
      ? "it looks for others: none of its contacts (agent.join) has answered yet\n"
      : "it is alone: an agent that joins it (dunlin agent --join) will be its neighbour\n";
}

}  // namespace

Result<std::string> overlay_text(
    const Json& overlay, const ColumnChoice& columns, const Terminal& terminal) {
  Table table({{"NODE"}, {"STATE"}, {"RANK", Align::right}, {"UTILITY", Align::right},
      {"LINK", Align::right}, {"SEEN", Align::right}, {"ROUND TRIP", Align::right},
      {"CPUS free/all", Align::right, 4}, {"MEMORY free/all", Align::right, 3},
      {.header = "ID", .extra = true, .whole = true}});
  if (auto fine = table.choose(columns); !fine) return tl::unexpected(fine.error());
  for (const Json& each : member(overlay, "neighbours")) {
    const auto state = value<std::string>(each, "state");
    table.add({value<std::string>(each, "name"), {state, colour_of_state(state)}, rank_text(each),
        utility_text(each), link_text(each), age_text(seconds_of(each, "age_ns")), trip_text(each),
        room_cpus(each), room_memory(each), value<std::string>(each, "node")});
  }
  std::string text = overlay_head(overlay) + cell_lines(overlay);
  if (table.empty()) return text + nobody_text(overlay);
  return text + "\n" + table.render(terminal) +
      "RANK: how much it is wanted as a neighbour, 1 most; LINK: the age of the link by chance\n";
}

Error overlay_error(const Error& told, const std::string& node) {
  if (told.kind != ErrorKind::usage || !told.text.starts_with("unknown verb")) return told;
  return {ErrorKind::refused,
      (node.empty() ? "this agent" : printable(node)) +
          " is of an earlier build, which does not tell which nodes it knows"};
}

}  // namespace dunlin::cli
