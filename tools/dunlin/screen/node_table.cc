// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/node_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sched/resources.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// A node is known by gossip, so any part of it may be missing: then the table says "?", and never
// 0, which would be a fact. Nodes of an older build leave members out, and count as such. Names,
// drains and troubles come from other machines, so each goes through printable() or the table,
// which does the same.
namespace dunlin::cli {
namespace {

/// "3.5/8", or "?/16" if the free part is unknown.
std::string cpus_text(const Json& node) {
  const Json& free = member(node, "free");
  const auto text = [](const Json& of) {
    return sched::cpu_text(value<std::uint32_t>(of, "cpu_milli"));
  };
  return (free.is_object() ? text(free) : "?") + "/" + text(member(node, "total"));
}

/// "31.3", of a number of the unit below.
std::string in_larger_unit(std::uint64_t number) {
  const auto tenths = (number * 10 + 512) / 1024;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string memory_text(const Json& node) {
  const Json& free = member(node, "free");
  const auto total = value<std::uint64_t>(member(node, "total"), "memory_mib");
  // 256 MiB are 0.3 GiB, of which 230 are 0.2: of a small node people want to know more.
  const bool small = total < 1024;
  const auto text = [&](std::uint64_t mib) {
    return small ? std::to_string(mib) : in_larger_unit(mib);
  };
  return (free.is_object() ? text(value<std::uint64_t>(free, "memory_mib")) : "?") + "/" +
      text(total) + (small ? " MiB" : " GiB");
}

/// The attribute that says which user tasks run as.
constexpr std::string_view kRunAs = "run_as";

/// "owner", if tasks run as the users who submitted them; else the user that all run as. "?" if it
/// is not known.
std::string run_as_text(const Json& node) {
  const auto user = value<std::string>(member(node, "attributes"), kRunAs);
  return user.empty() ? "?" : user;
}

/// "80/100M/s", of KiB/s.
std::string rate_text(const Json& free, std::uint64_t total) {
  return (free.is_number() ? in_larger_unit(as<std::uint64_t>(free)) : "?") + "/" +
      in_larger_unit(total) + "M/s";
}

/// "arch=x86_64 gpu=2/2 net_in=80.0/100.0M/s".
std::string attributes_text(const Json& node) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  const Json& free = member(member(node, "free"), "custom");
  for (const auto& [name, count] : member(member(node, "total"), "custom").items()) {
    const bool known = member(node, "free").is_object();
    add(name + "=" + (known ? std::to_string(value<std::uint32_t>(free, name)) : "?") + "/" +
        count.dump());
  }
  const Json& free_rates = member(member(node, "free"), "rates");
  for (const auto& [name, rate] : member(member(node, "total"), "rates").items()) {
    add(name + "=" + rate_text(member(free_rates, name), as<std::uint64_t>(rate)));
  }
  for (const auto& [key, of] : member(node, "attributes").items()) {
    if (key == "cpus" || key == "memory_mib" || key == kRunAs)
      continue;  // They have columns of their own.
    const std::string held = of.is_string() ? of.get<std::string>() : of.dump();
    add(held.empty() ? key : key + "=" + held);
  }
  return text;
}

constexpr std::array<std::string_view, 4> kSlotStates = {"available", "occupied", "busy", "down"};

/// "3/0/5/0": how many slots are available, occupied, busy, down. "?" if it is not known.
std::string slots_text(const Json& node) {
  const Json& slots = member(node, "slots");
  if (!slots.is_object()) return "?";
  std::string text;
  for (const auto state : kSlotStates) {
    text += (text.empty() ? "" : "/") + std::to_string(value<std::uint32_t>(slots, state));
  }
  return text;
}

/// "slots: 3 available, 5 busy", of all nodes that tell; empty if none does, or nothing is to tell.
std::string slot_totals(const Json& nodes) {
  std::string text;
  for (const auto state : kSlotStates) {
    std::uint64_t sum = 0;
    for (const Json& node : nodes) sum += value<std::uint32_t>(member(node, "slots"), state);
    if (sum == 0) continue;
    text += (text.empty() ? "slots: " : ", ") + std::to_string(sum) + " " + std::string(state);
  }
  return text;
}

// Not in the order of ids, which is chance to a reader; nodes of one name stay as they came.
std::vector<const Json*> by_name(const Json& nodes) {
  std::vector<const Json*> sorted;
  for (const Json& node : nodes) sorted.push_back(&node);
  std::ranges::stable_sort(sorted, [](const Json* a, const Json* b) {
    return value<std::string>(*a, "name") < value<std::string>(*b, "name");
  });
  return sorted;
}

/// "merlin: drained by anna@wren on 2026-11-27T09:30:00Z: new disk". Empty if it is not drained, or
/// nothing is known of that.
std::string drain_text(const std::string& name, const Json& drain) {
  if (!drain.is_object()) return "";
  const auto by = value<std::string>(drain, "by");
  const auto reason = value<std::string>(drain, "reason");
  const auto since = value<std::int64_t>(drain, "since_ns");
  const auto until = value<std::int64_t>(drain, "until_ns");
  std::string text = name + ": drained";
  if (!by.empty()) text += " by " + printable(by);
  if (since != 0) text += " on " + iso_time(since);
  if (until != 0) text += ", until " + iso_time(until);
  if (!reason.empty()) text += ": " + printable(reason);
  return text + "\n";
}

}  // namespace

Table node_table(const Json& nodes) {
  Table table({{"NODE"}, {"STATE"}, {"CPUS free/all", Align::right},
      {"MEMORY free/all", Align::right, 9}, {"RUN", Align::right, 7}, {"QUEUED", Align::right, 6},
      {"ADDRESS", Align::left, 8, false, true}, {"SEEN", Align::right, 4, true},
      {"LIMITS", Align::left, 2, true}, {"TASKS AS", Align::left, 3, true},
      {"SLOTS free/held/busy/down", Align::right, 1, true}, {"ATTRIBUTES", Align::left, 5, true}});
  for (const Json* const each : by_name(nodes)) {
    const Json& node = *each;
    const auto state = value<std::string>(node, "state");
    const bool facts = value<bool>(node, "facts", true);
    const auto number = [&](const char* key) {
      return facts ? std::to_string(value<std::uint32_t>(node, key)) : std::string("?");
    };
    table.add({value<std::string>(node, "name"), {state, colour_of_state(state)}, cpus_text(node),
        memory_text(node), number("running"), number("queued"), value<std::string>(node, "address"),
        age_text(seconds_of(node, "age_ns")), value<std::string>(node, "limits", "?"),
        run_as_text(node), slots_text(node), attributes_text(node)});
  }
  return table;
}

std::string gone_text(const Json& gone, const Terminal& terminal) {
  if (!gone.is_array() || gone.empty()) return "no other node left without a good-bye\n";
  Table table(
      {{"GONE"}, {"LAST HEARD"}, {"AGO", Align::right}, {"ADDRESS", Align::left, 1}, {"ID"}});
  for (const Json* const node : by_name(gone)) {
    table.add({value<std::string>(*node, "name"),
        iso_time(value<std::int64_t>(*node, "heard_at_ns")), age_text(seconds_of(*node, "age_ns")),
        value<std::string>(*node, "address"), value<std::string>(*node, "node")});
  }
  return table.render(terminal) +
      "these left without a good-bye; if one does not come back: dunlin node forget NAME\n";
}

std::string node_troubles(const Json& nodes) {
  std::string text;
  for (const Json* const node : by_name(nodes)) {
    const auto name = printable(value<std::string>(*node, "name"));
    const auto sick = value<std::string>(*node, "sick");
    const auto trouble = value<std::string>(*node, "trouble");
    // All that is wrong with one node stands together, its own words first.
    text += drain_text(name, member(*node, "drain"));
    if (!sick.empty()) text += name + ": sick: " + printable(sick) + "\n";
    if (!trouble.empty()) text += name + ": " + printable(trouble) + "\n";
    const auto unreachable = value<std::string>(member(*node, "unreachable"), "what");
    // Its own word, where it has one, says the same and more.
    if (!unreachable.empty() && trouble.empty())
      text += name + ": " + printable(unreachable) + "\n";
  }
  return text;
}

std::string address_notes(const Json& answer) {
  std::string text;
  for (const Json& note : member(answer, "address_notes")) {
    if (note.is_string()) text += printable(note.get<std::string>()) + "\n";
  }
  return text;
}

std::string node_totals(const Json& nodes, const std::string& self) {
  constexpr std::array<std::string_view, 6> kStates = {
      "up", "unreachable", "draining", "sick", "suspect", "down"};
  std::string text = count_text(nodes.size(), "node");
  bool first = true;
  std::uint32_t free = 0;
  std::uint32_t total = 0;
  for (const auto state : kStates) {
    std::size_t count = 0;
    for (const Json& node : nodes) {
      if (value<std::string>(node, "state") != state) continue;
      ++count;
      // Free CPUs of a node that takes no tasks are of no use to anybody; one that is unreachable
      // to some takes part all the same.
      if (state != "up" && state != "unreachable") continue;
      free += value<std::uint32_t>(member(node, "free"), "cpu_milli");
      total += value<std::uint32_t>(member(node, "total"), "cpu_milli");
    }
    if (count == 0) continue;
    text += (first ? ": " : ", ") + std::to_string(count) + " " + std::string(state);
    first = false;
  }
  text += "; " + sched::cpu_text(free) + " of " + sched::cpu_text(total) + " CPUs free";
  if (const std::string slots = slot_totals(nodes); !slots.empty()) text += "; " + slots;
  for (const Json& node : nodes) {
    if (self.empty() || value<std::string>(node, "node") != self) continue;
    text += "; seen from " + printable(value<std::string>(node, "name"));
  }
  return text + "\n";
}

}  // namespace dunlin::cli
