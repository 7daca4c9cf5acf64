// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/node_view.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "config/text.h"
#include "node/control/json.h"
#include "sched/resources.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/sparkline.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/text.h"

// `dunlin node show`, in the order of an operator's questions: is it well, who says so and since
// when; what machine is it; what of it is free; who has the rest.
namespace dunlin::cli {
namespace {

constexpr std::size_t kViewColumnsMax = 100;
/// Where the texts begin, behind their labels.
constexpr std::size_t kViewTexts = 11;

/// Longer lines are hard to read, however wide the terminal is.
std::size_t view_columns(const Terminal& terminal) {
  return terminal.columns == 0 ? kViewColumnsMax : std::min(terminal.columns, kViewColumnsMax);
}

/// "  LABEL    text"; nothing where there is nothing to say.
std::string view_line(std::string_view label, const std::string& text, const Terminal& terminal) {
  if (text.empty()) return "";
  std::string line = "  " + std::string(label);
  line.resize(std::max(line.size() + 1, kViewTexts), ' ');
  return config::wrapped(line + printable(text), view_columns(terminal), kViewTexts) + "\n";
}

/// MiB.
std::uint64_t mib_of(const Json& resources) {
  return value<std::uint64_t>(resources, "memory_mib");
}
/// Thousandths of a CPU.
std::uint32_t milli_of(const Json& resources) {
  return value<std::uint32_t>(resources, "cpu_milli");
}

/// What tasks that run use, as far as it was measured.
struct UsedByTasks {
  double cpu = 0;
  std::uint64_t memory = 0;
  bool known = false;
};

// Tasks that were not measured yet add nothing; `known` says that at least one was.
UsedByTasks used_by_tasks(const Json& tasks) {
  UsedByTasks sum;
  for (const Json& task : member(tasks, "tasks")) {
    const Json& used = member(task, "used");
    if (!used.is_object()) continue;
    sum.known = true;
    sum.cpu += value<double>(used, "cpu_milli");
    sum.memory += value<std::uint64_t>(used, "memory_bytes");
  }
  return sum;
}

/// "8: 3.5 free, 4.5 held; tasks use 2.1".
std::string share_line(const std::string& total,
    const std::string& free,
    const std::string& held,
    const std::string& used) {
  std::string text = total;
  text += free.empty() ? ": what is free is not known" : ": " + free + " free, " + held + " held";
  return used.empty() ? text : text + "; tasks use " + used;
}

/// The offer of the node, a line for each amount: all, free, held by tasks, and what they use of
/// it.
std::string offers(const Json& node, const Json& tasks, const Terminal& terminal) {
  const Json& total = member(node, "total");
  const Json& free = member(node, "free");
  const bool known = free.is_object();
  const UsedByTasks used = used_by_tasks(tasks);
  // Not below 0, whatever was told: the texts are of whole numbers without a sign.
  const auto held = [](auto all, auto left) { return all - std::min(all, left); };
  std::string text = view_line("cpus",
      share_line(sched::cpu_text(milli_of(total)), known ? sched::cpu_text(milli_of(free)) : "",
          sched::cpu_text(held(milli_of(total), milli_of(free))),
          used.known ? sched::cpu_text(static_cast<std::uint32_t>(used.cpu)) : ""),
      terminal);
  text += view_line("memory",
      share_line(sched::memory_text(mib_of(total)), known ? sched::memory_text(mib_of(free)) : "",
          sched::memory_text(held(mib_of(total), mib_of(free))),
          used.known ? bytes_text(used.memory) : ""),
      terminal);
  // Whatever the node offers: agents name custom resources as they like.
  for (const auto& [name, count] : member(total, "custom").items()) {
    const auto all = as<std::uint64_t>(count);
    const auto left = value<std::uint64_t>(member(free, "custom"), name);
    text += view_line(printable(name),
        share_line(std::to_string(all), known ? std::to_string(left) : "",
            std::to_string(held(all, left)), ""),
        terminal);
  }
  // Rates are told in KiB/s.
  constexpr std::uint64_t kKib = 1024;
  for (const auto& [name, rate] : member(total, "rates").items()) {
    const auto all = as<std::uint64_t>(rate);
    const auto left = value<std::uint64_t>(member(free, "rates"), name);
    text += view_line(printable(name),
        share_line(bytes_text(all * kKib) + "/s", known ? bytes_text(left * kKib) + "/s" : "",
            bytes_text(held(all, left) * kKib) + "/s", ""),
        terminal);
  }
  return text;
}

/// Nothing if the node has not told.
std::string slots_line(const Json& slots) {
  if (!slots.is_object()) return "";
  const auto count = [&](const char* key) {
    return std::to_string(value<std::uint32_t>(slots, key));
  };
  return count("all") + ": " + count("available") + " available, " + count("occupied") +
      " occupied, " + count("busy") + " busy, " + count("down") + " down";
}

/// "cgroup v2: cpu by weight, memory by limit": what holds tasks to their demands.
std::string limits_line(const Json& node) {
  const auto word = value<std::string>(node, "limits");
  if (word.empty()) return "";
  std::string text = word;
  std::string_view before = ": ";
  for (const auto& [name, by] : member(node, "enforced").items()) {
    text +=
        std::string(before) + name + " by " + (by.is_string() ? by.get<std::string>() : "nothing");
    before = ", ";
  }
  return text;
}

/// "arch=x86_64 rack=7".
std::string attributes_line(const Json& node) {
  std::string text;
  for (const auto& [key, of] : member(node, "attributes").items()) {
    const std::string held = of.is_string() ? of.get<std::string>() : of.dump();
    text += (text.empty() ? "" : " ") + (held.empty() ? key : key + "=" + held);
  }
  return text;
}

/// The drain: by which user, since when, until when and why, as far as that was said.
std::string drained_line(const Json& drain) {
  if (!drain.is_object()) return "";
  const auto by = value<std::string>(drain, "by");
  const auto reason = value<std::string>(drain, "reason");
  const auto since = value<std::int64_t>(drain, "since_ns");
  const auto until = value<std::int64_t>(drain, "until_ns");
  std::string text = by.empty() ? "by an administrator" : "by " + by;
  if (since != 0) text += " on " + iso_time(since);
  if (until != 0) text += ", until " + iso_time(until);
  return reason.empty() ? text : text + ": " + reason;
}

/// "node kestrel: draining since 2026-11-27T09:30:00Z".
std::string view_head(const NodeLook& look, const Terminal& terminal) {
  const Json& node = member(look.node, "node");
  const auto state = value<std::string>(node, "state", "?");
  const auto since = value<std::int64_t>(look.node, "since_at_ns");
  std::string text = "node " + printable(value<std::string>(node, "name")) + ": " +
      terminal.paint(printable(state), colour_of_state(state));
  // Nothing is told while it is up, and where it is not known.
  if (since > 0) text += " since " + iso_time(since);
  if (value<bool>(look.node, "farewell")) text += ", after a good-bye";
  if (value<bool>(look.node, "here")) text += "; it is the one that was asked";
  return text + "\n";
}

/// Where it is, which node it is, and of which build: what one compares when two look like one.
std::string identity_lines(const NodeLook& look, const Terminal& terminal) {
  const Json& node = member(look.node, "node");
  const auto version = value<std::string>(node, "version");
  const auto machine = value<std::string>(look.node, "machine");
  std::string text = view_line("seen",
      age_text(seconds_of(node, "age_ns")) + " ago, at " + value<std::string>(node, "address"),
      terminal);
  text += view_line("id",
      value<std::string>(node, "node") + ", life " +
          std::to_string(value<std::uint64_t>(look.node, "incarnation")) +
          (machine.empty() ? "" : ", machine " + machine),
      terminal);
  const auto run_as = value<std::string>(member(node, "attributes"), "run_as");
  // A node is known by its gossip before it has answered a question.
  if (version.empty()) return text + view_line("version", "it has not told yet", terminal);
  return text +
      view_line("version",
          version + (run_as.empty() ? "" : ", tasks run as " + run_as) +
              (value<bool>(look.node, "keeps_copies") ? ", keeps copies of jobs of others" : ""),
          terminal);
}

/// Only what is wrong: a node that is well has none of these lines.
std::string health_lines(const NodeLook& look, const Terminal& terminal) {
  const Json& node = member(look.node, "node");
  return view_line("drained", drained_line(member(node, "drain")), terminal) +
      view_line("sick", value<std::string>(node, "sick"), terminal) +
      view_line("trouble", value<std::string>(node, "trouble"), terminal) +
      view_line("address", value<std::string>(member(node, "unreachable"), "what"), terminal);
}

/// As it would be typed into a shell.
std::string view_command(const Json& task) {
  std::string text;
  for (const Json& word : member(task, "command")) {
    const auto bytes = node::text_bytes_of(word);
    text += (text.empty() ? "" : " ") + (bytes ? shell_word(*bytes) : "?");
  }
  return text;
}

/// "merlin.12.3"; of one that waits it is not decided which task it is.
std::string task_word(const Json& task) {
  const auto job = value<std::string>(task, "known_as");
  const Json& index = member(task, "index");
  return index.is_number() ? job + "." + std::to_string(as<std::uint32_t>(index)) : job;
}

/// "running", "running, attempt 2", "queued 3".
std::string task_state(const Json& task) {
  const auto state = value<std::string>(task, "state");
  const auto attempt = value<std::uint32_t>(task, "attempt");
  // Tasks that wait have a place in the queue, and no attempt yet.
  const auto place = value<std::uint32_t>(task, "place");
  if (place != 0) return state + " " + std::to_string(place);
  return attempt > 1 ? state + ", attempt " + std::to_string(attempt) : state;
}

/// "0.9/1.5": used of held, or what it asks for.
std::string task_cpus(const Json& task) {
  const Json& holds = member(task, "holds");
  const Json& lately = member(member(task, "used"), "cpu_milli");
  const std::string of =
      sched::cpu_text(milli_of(holds.is_object() ? holds : member(task, "demand")));
  return (lately.is_number() ? sched::cpu_text(as<std::uint32_t>(lately)) : "-") + "/" + of;
}

/// The same of memory.
std::string task_memory(const Json& task) {
  const Json& holds = member(task, "holds");
  const auto used = value<std::uint64_t>(member(task, "used"), "memory_bytes");
  const auto mib = mib_of(holds.is_object() ? holds : member(task, "demand"));
  return (used == 0 ? "-" : bytes_text(used)) + "/" + (mib == 0 ? "-" : sched::memory_text(mib));
}

/// The first `rows` of the tasks, as wide as the lines above them.
std::string tasks_table(const Json& tasks, std::size_t rows, const Terminal& terminal) {
  Table table({{"TASK"}, {"USER"}, {"STATE"}, {"CPUS used/held", Align::right},
      {"MEMORY used/held", Align::right, 6}, {"FOR", Align::right}, {"NAME", Align::left, 4},
      {"COMMAND", Align::left, 3}});
  for (std::size_t i = 0; i < rows; ++i) {
    const Json& task = tasks[i];
    const auto owner = value<std::string>(task, "owner");
    const auto state = value<std::string>(task, "state");
    table.add(
        {task_word(task), owner.empty() ? "?" : owner, {task_state(task), colour_of_state(state)},
            task_cpus(task), task_memory(task), age_text(seconds_of(task, "age_ns")),
            value<std::string>(task, "name"), view_command(task)});
  }
  // The same width as the lines above, so that all of it reads as one.
  Terminal narrow = terminal;
  narrow.columns = view_columns(terminal);
  return table.render(narrow);
}

/// The node's work of this moment. If it does not answer, what was last heard of that, and why no
/// more is known.
std::string tasks_lines(const NodeLook& look, bool all, const Terminal& terminal) {
  const Json& node = member(look.node, "node");
  if (!look.tasks.is_object()) {
    const Json& running = member(node, "running");
    std::string text = running.is_number()
        ? std::to_string(as<std::uint32_t>(running)) + " ran when it was last heard"
        : "not known";
    // The agent that was asked answered all else: so this is a line, and no failure of the command.
    if (!look.tasks_error.empty()) text += ": " + look.tasks_error;
    return view_line("tasks", text, terminal);
  }
  const auto count = [&](const char* key) { return value<std::uint64_t>(look.tasks, key); };
  std::string text = view_line("tasks",
      std::to_string(count("running")) + " here, " + std::to_string(count("asking")) +
          " asked for, " + count_text(count("queued"), "reservation") + " queued; " +
          count_text(value<std::uint64_t>(node, "jobs"), "unfinished job") + " of its own",
      terminal);
  const Json& tasks = member(look.tasks, "tasks");
  const std::size_t known = tasks.is_array() ? tasks.size() : 0;
  const std::size_t rows = all ? known : std::min(known, kNodeTasksShown);
  if (rows > 0) text += "\n" + tasks_table(tasks, rows, terminal);
  const std::size_t in_all = count("running") + count("asking") + count("queued");
  if (rows < in_all) {
    text += "... and " + std::to_string(in_all - rows) + " more" +
        (rows < known ? ": dunlin node show NAME --tasks" : "") + "\n";
  }
  return text;
}

/// The memory of a node that left without a good-bye.
std::string gone_view(const Json& gone) {
  return "node " + printable(value<std::string>(gone, "name")) +
      ": gone without a good-bye, last heard " +
      iso_time(value<std::int64_t>(gone, "heard_at_ns")) + " (" +
      age_text(seconds_of(gone, "age_ns")) + " ago) at " +
      printable(value<std::string>(gone, "address")) + "\n  id       " +
      printable(value<std::string>(gone, "node")) +
      "\n  if it does not come back: dunlin node forget NAME\n";
}

}  // namespace

std::string node_view(const NodeLook& look, bool all_tasks, const Terminal& terminal) {
  const Json& node = member(look.node, "node");
  if (!node.is_object()) return gone_view(member(look.node, "gone"));
  return view_head(look, terminal) + health_lines(look, terminal) + identity_lines(look, terminal) +
      offers(node, look.tasks, terminal) +
      view_line("slots", slots_line(member(node, "slots")), terminal) +
      view_line("limits", limits_line(node), terminal) +
      view_line("has", attributes_line(node), terminal) +
      past_lines(look.past, view_columns(terminal)) + tasks_lines(look, all_tasks, terminal);
}

}  // namespace dunlin::cli
