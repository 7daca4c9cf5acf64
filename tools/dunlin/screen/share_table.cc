// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/share_table.h"

#include <charconv>

#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// What `share`, `shares`, `cells` and `audit` print. Tickets are milli-CPUs, and people think in
// CPUs: all tables show those, but the audit shows tickets, which must add up to the last one.
namespace dunlin::cli {
namespace {

constexpr const char* kNoClasses =
    "nobody shares: there are no classes. `dunlin share set NAME WEIGHT` makes one.\n";

/// "50", "33.3".
std::string percent_text(double percent) {
  const auto tenths = static_cast<std::int64_t>(percent * 10 + 0.5);
  const auto rest = tenths % 10;
  return std::to_string(tenths / 10) + (rest == 0 ? "" : "." + std::to_string(rest)) + " %";
}

/// Tickets as CPUs: "4.5".
std::string cpus_of(const Json& line, const char* key) {
  const auto milli = value<std::int64_t>(line, key);
  const auto tenths = (milli + 50) / 100;
  const auto rest = tenths % 10;
  return std::to_string(tenths / 10) + (rest == 0 ? "" : "." + std::to_string(rest));
}

/// As the agent says it; 0 if it does not.
std::string number_of(const Json& object, const char* key) {
  return std::to_string(value<std::int64_t>(object, key));
}

// As the agent says it; "-" for a cell without a parent.
std::string short_id(const Json& object, const char* key) {
  return printable(value<std::string>(object, key, "-"));
}

// Nothing for a cell that simply works: a column of one word says nothing.
std::string state_of(const Json& cell) {
  return value<bool>(cell, "dissolving") ? "dissolving" : "";
}

}  // namespace

Result<std::vector<std::pair<std::string, std::int64_t>>> parse_shares(
    const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::int64_t>> shares;
  if (words.empty() || words.size() % 2 != 0) {
    return failure(ErrorKind::usage,
        "share set: name each class with its weight, as in `dunlin share set gold 5 silver 3`");
  }
  // Names are checked by the agent, which knows the rule; weights here, as they are read here.
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& text = words[i + 1];
    std::int64_t weight = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || weight < 1 || weight > node::kWeightMax) {
      return failure(ErrorKind::usage,
          "share set: the weight of '" + words[i] + "' is '" + text +
              "'; give a whole number from 1 to " + std::to_string(node::kWeightMax));
    }
    shares.emplace_back(words[i], weight);
  }
  return shares;
}

/// To be shown with all that cells tell: sums without those that did not answer look like sums of
/// all.
std::string silent_text(const Json& reply) {
  std::string text;
  for (const Json& cell : member(reply, "silent")) {
    text += "cell " + printable(value<std::string>(cell, "cell")) +
        " did not answer: " + printable(value<std::string>(cell, "why")) + "\n";
  }
  return text;
}

// For the exit status of commands: a script must not take a part for the whole.
bool all_answered(const Json& reply) {
  return member(reply, "silent").empty();
}

/// "3 classes, version 7".
std::string table_title(const Json& table) {
  const auto size = member(table, "classes").size();
  return std::to_string(size) + (size == 1 ? " class" : " classes") + ", version " +
      number_of(table, "version");
}

// The shares that classes should have. Those that they do have are `shares`.
std::string share_list_text(const Json& table, const Terminal& terminal) {
  const Json& classes = member(table, "classes");
  if (classes.empty()) return kNoClasses;
  Table rows({{"CLASS"}, {"WEIGHT", Align::right}, {"SHARE", Align::right}});
  // The class of jobs that name none; without a weight it has no share.
  bool named = false;
  for (const Json& each : classes) {
    const auto name = value<std::string>(each, "name");
    named = named || name == "default";
    rows.add({name, number_of(each, "weight"), percent_text(value<double>(each, "percent"))});
  }
  std::string text = rows.render(terminal) + table_title(table) + "\n";
  if (!named) {
    text +=
        "Jobs without --class get what the others leave: `dunlin share set default N` gives "
        "them a share.\n";
  }
  return text;
}

// Weight, share and desired are the table's; granted, used and need are what cells found; a balance
// is what was saved.
std::string shares_text(const Json& shares, const Terminal& terminal) {
  const Json& classes = member(shares, "classes");
  // Version 0: no table was ever set. A table that was set and emptied is another thing.
  if (classes.empty() && value<std::int64_t>(shares, "version") == 0) return kNoClasses;
  Table rows({{"CLASS"}, {"WEIGHT", Align::right}, {"SHARE", Align::right},
      {"DESIRED", Align::right}, {"GRANTED", Align::right}, {"USED", Align::right},
      {"CPU USED", Align::right}, {"NEED", Align::right}, {"BALANCE", Align::right}});
  for (const Json& each : classes) {
    rows.add({value<std::string>(each, "name"), number_of(each, "weight"),
        percent_text(value<double>(each, "percent")), cpus_of(each, "desired"),
        cpus_of(each, "granted"), cpus_of(each, "used"), cpus_of(each, "cpu"),
        cpus_of(each, "need"), cpus_of(each, "balance")});
  }
  if (rows.empty()) return silent_text(shares) + "no cell has answered yet; try again\n";
  const auto cell = value<std::string>(shares, "cell");
  return rows.render(terminal) + "in CPUs, of " +
      (cell.empty() ? std::string("the whole cluster") : "cell " + printable(cell)) +
      "; balance: periods of a CPU saved\n" + silent_text(shares);
}

Result<std::string> cells_text(
    const Json& reply, bool members, const ColumnChoice& columns, const Terminal& terminal) {
  const Json& cells = member(reply, "cells");
  if (cells.empty() && value<std::int64_t>(reply, "version") == 0) return kNoClasses;
  int highest = 0;
  for (const Json& cell : cells) highest = std::max(highest, value<int>(cell, "level"));
  Table rows({{"CELL"}, {"LEVEL", Align::right}, {"MANAGER"}, {"EPOCH", Align::right, 2, true},
      {"MEMBERS", Align::right}, {"CPUS", Align::right}, {"VOTERS", Align::right, 3, true},
      {"AGE", Align::right, 1, true}, {"PARENT"}, {"STATE", Align::left, 4}});
  if (const auto fine = rows.choose(columns); !fine) return tl::unexpected(fine.error());
  std::int64_t nodes = 0;
  std::size_t open = 0;
  for (const Json& cell : cells) {
    // Closed books answer for a while for what they accepted, but have no members.
    if (value<bool>(cell, "closed")) continue;
    ++open;
    const int level = value<int>(cell, "level");
    // Cells above have cells as their members, not nodes.
    if (level == 0) nodes += value<std::int64_t>(cell, "size");
    // Parents stand before their children, so a tree can be read from the indents.
    const std::string indent(static_cast<std::size_t>(2 * (highest - level)), ' ');
    rows.add({indent + short_id(cell, "cell"), std::to_string(level),
        value<std::string>(cell, "manager_name"), number_of(cell, "epoch"),
        number_of(cell, "size") + "/" + number_of(cell, "size_max"), cpus_of(cell, "tickets"),
        number_of(cell, "voters"), age_text(seconds_of(cell, "age_ns")), short_id(cell, "parent"),
        state_of(cell)});
    if (!members || level != 0) continue;
    for (const Json& each : member(cell, "members")) {
      rows.add({indent + "  " + value<std::string>(each, "name"), "", "", "", "",
          cpus_of(each, "tickets"), "", "", "", value<bool>(each, "leaving") ? "leaving" : ""});
    }
  }
  if (rows.empty()) return silent_text(reply) + "no cell has answered yet; try again\n";
  const auto known = value<std::int64_t>(reply, "nodes_known");
  std::string text = rows.render(terminal) + count_text(open, "cell") + "; " +
      count_text(static_cast<std::uint64_t>(nodes), "node") + " in cells";
  // Nodes that just came are in none, until a cell takes them.
  if (known > nodes) text += ", " + std::to_string(known - nodes) + " in none";
  return text + "\n" + silent_text(reply);
}

// A write-off is done only when all cells that knew the lost one have heard of it.
std::string write_off_text(const Json& reply) {
  const std::string cell = "cell " + printable(value<std::string>(reply, "cell"));
  const auto holders = value<std::uint64_t>(reply, "holders");
  std::string text = silent_text(reply);
  if (!value<bool>(reply, "written_off")) {
    return text + cell + " is not in all books yet as written off; ask again\n";
  }
  // Asked again after it was done, which is no mistake.
  if (holders == 0) return text + cell + " was written off already\n";
  return text + cell + " is written off in the books of " + count_text(holders, "cell") + "; " +
      number_of(reply, "back") + " tickets that were under way to it are back\n";
}

// Three sums, each with the parts that it must equal; then what does not agree, and what could not
// be told.
std::string audit_text(const Json& audit, const Terminal& terminal) {
  if (value<std::int64_t>(audit, "version") == 0 && value<std::int64_t>(audit, "cells") == 0) {
    return kNoClasses;
  }
  const Json& sums = member(audit, "sums");
  const auto line = [&](const char* what, const char* key, std::string parts) {
    return std::string(what) + number_of(sums, key) + std::move(parts) + "\n";
  };
  std::string text = count_text(value<std::uint64_t>(audit, "nodes"), "node") + " in " +
      count_text(value<std::uint64_t>(audit, "cells"), "cell") + ", read " +
      count_text(value<std::uint64_t>(audit, "readings"), "time") + "\n";
  text += line("  capacity   ", "minted",
      " tickets = " + number_of(sums, "granted") + " granted + " + number_of(sums, "pools") +
          " in pools");
  // Each line is an equation that must hold, with both sides shown: if one does not, one sees where
  // to look.
  text += line("  savings    ", "saved",
      " tickets = " + number_of(sums, "accounts") + " in accounts + " +
          number_of(sums, "in_flight") + " under way");
  text += line(
      "  transfers  ", "received", " tickets accepted, " + number_of(sums, "sent") + " settled");
  for (const Json& lost : member(audit, "written_off")) {
    text += "written off: cell " + printable(value<std::string>(lost, "cell")) +
        ", which others had sent " + number_of(lost, "sent") + " tickets and had " +
        number_of(lost, "received") + " from\n";
  }
  for (const Json& each : member(audit, "off")) {
    if (each.is_string()) text += "off: " + printable(each.get<std::string>()) + "\n";
  }
  // Neither right nor wrong for certain: a later look may tell.
  for (const Json& each : member(audit, "undecided")) {
    if (each.is_string()) text += "not known: " + printable(each.get<std::string>()) + "\n";
  }
  text += silent_text(audit);
  if (value<bool>(audit, "conserved"))
    return text + terminal.paint("conserved", Colour::green) + "\n";
  // Red only for what is wrong for certain. What could not be asked proves nothing.
  const bool off = !member(audit, "off").empty();
  return text +
      terminal.paint(off ? "not conserved" : "not all could be asked: ask again",
          off ? Colour::red : Colour::yellow) +
      "\n";
}

}  // namespace dunlin::cli
