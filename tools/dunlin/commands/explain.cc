// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "config/text.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"
#include "tools/dunlin/commands/commands.h"
#include "tools/dunlin/exit_status.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/screen/published.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// The answer follows a job through placement's own tests, one line each, with the nodes that are
// left: known, up, matching, large enough, free now. The user sees at which line the nodes run out.
// The verdict is the agent's; this file only lays it out.
namespace dunlin::cli {
namespace {

// Enough to see where probes are: a job of a thousand tasks has as many.
constexpr std::size_t kHoldersShown = 5;

/// Where the notes begin, behind labels and counts.
constexpr std::size_t kNotes = 28;

/// Prints a line of the answer in lines that fit the terminal.
class Lines {
 public:
  explicit Lines(const Terminal& out) : out_(out) {}
  void add(const std::string& what, std::uint64_t count, const std::string& note = "") const {
    std::string text = "  " + what;
    text.resize(std::max<std::size_t>(text.size() + 1, 24), ' ');
    text += std::to_string(count);
    if (!note.empty()) {
      text.resize(std::max(text.size() + 2, kNotes), ' ');
      text += printable(note);
    }
    std::printf("%s\n", config::wrapped(text, out_.columns, kNotes).c_str());
  }

 private:
  const Terminal& out_;
};

/// The texts of a list, between commas.
std::string joined(const Json& texts) {
  std::string all;
  for (const Json& text : texts) {
    if (!text.is_string()) continue;
    if (!all.empty()) all += ", ";
    all += text.get<std::string>();
  }
  return all;
}

/// "hobby draining, osprey sick (disk is full)".
std::string states_text(const Json& nodes) {
  std::string all;
  for (const Json& node : nodes) {
    if (!all.empty()) all += ", ";
    all += value<std::string>(node, "name");
    all += ' ';
    all += value<std::string>(node, "state");
    for (const char* const why : {"sick", "drained_for"}) {
      const auto text = value<std::string>(node, why);
      if (!text.empty()) all += " (" + printable(text) + ")";
    }
  }
  return all;
}

// Each line is a test of placement: behind it, what it found wanting.
void show_census(const Json& census, const Json& group, const Json& not_up, const Lines& lines) {
  const auto count = [&](const char* key) { return value<std::uint64_t>(census, key); };
  lines.add("nodes known", count("known"),
      "oldest news " + age_text(seconds_of(census, "oldest_ns")) + " old");
  lines.add("up, take tasks", count("up"), states_text(not_up));
  if (const Json& constraints = member(group, "constraints"); !constraints.empty()) {
    lines.add("match " + joined(constraints), count("matching"));
  }
  // If no node is large enough the user sees by how much.
  const std::string largest = value<std::string>(census, "largest_name");
  lines.add("could ever fit", count("could_fit"),
      count("aside") > 0 ? std::to_string(count("aside")) + " more when they take tasks again"
          : count("could_fit") == 0 && !largest.empty()
          ? "the largest is " + largest + " with " + demand_text(member(census, "largest"))
          : "");
  std::string shorts;
  const auto add = [&](std::uint64_t nodes, std::string_view what) {
    if (nodes == 0) return;
    shorts +=
        (shorts.empty() ? "" : ", ") + std::string(what) + " short on " + std::to_string(nodes);
  };
  add(count("cpu_short"), "CPU");
  add(count("memory_short"), "memory");
  for (const sched::Rate& rate : sched::kRates) {
    add(value<std::uint64_t>(member(census, "rates_short"), rate.key), rate.words);
  }
  add(count("custom_short"), "custom resources");
  lines.add("fit now", count("fit_now"), shorts);
}

/// The reservations that wait, with their places and the age of the oldest.
void show_probes(const Json& probes, const Lines& lines) {
  // A line all the same: no probe at all is an answer to "why does it not run".
  if (probes.empty()) return lines.add("probes", 0);
  std::uint64_t queued = 0;
  double oldest = 0;
  std::string holders;
  for (const Json& probe : probes) {
    oldest = std::max(oldest, seconds_of(probe, "age_ns"));
    // The others walk from node to node, so no place can be named for them.
    if (!value<bool>(probe, "queued")) continue;
    if (++queued > kHoldersShown) continue;
    holders += (holders.empty() ? "" : ", ") + value<std::string>(probe, "holder_name", "?") +
        " behind " + std::to_string(value<std::uint32_t>(probe, "ahead"));
  }
  if (queued > kHoldersShown) holders += ", ...";
  std::string note = std::to_string(queued) + " queued";
  if (!holders.empty()) note += " (" + holders + ")";
  note += ", " + std::to_string(probes.size() - queued) + " walking";
  note += ", oldest " + age_text(oldest);
  lines.add("probes", probes.size(), note);
}

/// Where the inputs of the group's tasks are.
void show_inputs(const Json& inputs, const Lines& lines) {
  if (!inputs.is_object()) return;
  std::string nodes;
  for (const Json& node : member(inputs, "nodes")) {
    nodes += (nodes.empty() ? "" : ", ") + value<std::string>(node, "name") + " of " +
        std::to_string(value<std::uint32_t>(node, "waiting"));
  }
  if (!nodes.empty()) nodes = "they have the inputs of waiting tasks: " + nodes;
  lines.add("nodes with inputs", value<std::uint64_t>(inputs, "known_nodes"), nodes);
  // Said only where it is so: most jobs have no inputs, or know all nodes that hold them.
  const auto unknown = value<std::uint64_t>(inputs, "unknown_nodes");
  if (unknown == 0) return;
  lines.add("nodes not known", unknown,
      joined(member(inputs, "unknown")) + ": inputs there count as elsewhere");
}

/// What a frontend that launches sees of the cluster.
void show_view(const Json& view, const Lines& lines) {
  if (!view.is_object()) return;
  const auto count = [&](const char* key) { return value<std::uint64_t>(view, key); };
  lines.add("rows of its view", count("rows"), "of " + count_text(count("cells"), "cell"));
  const Json& constraints = member(view, "constraints");
  for (const Json& each : constraints) {
    lines.add("  " + value<std::string>(each, "constraint"), value<std::uint64_t>(each, "rows"));
  }
  if (constraints.size() > 1) lines.add("  all of these", count("matching"));
  lines.add("rows with room", count("with_room"));
  // Local masters at which the group waits: they offer it room that comes.
  if (const Json& parked = member(view, "parked"); !parked.empty()) {
    lines.add("parked", parked.size(), "at the local masters of " + joined(parked));
  }
}

/// A group after the other: each has a demand of its own, and reasons of its own.
void show(const Json& reply, const JobRef& job, const Terminal& out) {
  const std::string pasted = pasted_name(reply, job);
  const auto state = value<std::string>(reply, "state");
  const auto counts = counts_of(member(reply, "counts"));
  std::printf("job %s \"%s\": %s; %llu waiting, %llu running, %llu ended\n", job.label.c_str(),
      printable(value<std::string>(reply, "name")).c_str(),
      out.paint(state, colour_of_state(state)).c_str(),
      static_cast<unsigned long long>(counts.waiting),
      static_cast<unsigned long long>(counts.running),
      static_cast<unsigned long long>(counts.ended()));
  // Of a job that has ended there is no census: it waits for nothing.
  if (value<bool>(reply, "finished")) {
    std::printf("it has ended: see dunlin job %s\n", pasted.c_str());
    return;
  }
  if (const auto stopped = value<std::uint64_t>(reply, "preemptions"); stopped > 0) {
    std::printf("stopped %s in favour of others, or at its user's word: see dunlin job %s\n",
        stopped == 1 ? "once" : count_text(stopped, "time").c_str(), pasted.c_str());
  }
  if (const auto still = value<std::uint64_t>(reply, "suspended"); still > 0) {
    std::printf("%s suspended: others that matter more have their CPUs, and they go on after\n",
        count_text(still, "task").c_str());
  }
  const auto class_id = value<std::string>(reply, "class", std::string(sched::kDefaultClass));
  const std::string as_class =
      class_id == sched::kDefaultClass ? "" : " as class " + printable(class_id);
  for (const Json& group : member(reply, "groups")) {
    const auto name = value<std::string>(group, "name");
    const auto tasks = count_text(value<std::uint64_t>(group, "waiting"), "task");
    std::printf("%s%s%s waiting %s. Demand: %s\n",
        name.empty() ? "" : printable("group " + name + ": ").c_str(), tasks.c_str(),
        as_class.c_str(), age_text(seconds_of(group, "waited_ns")).c_str(),
        group_demand_text(group).c_str());
    const Lines lines(out);
    show_census(member(group, "census"), group, member(reply, "not_up"), lines);
    show_probes(member(group, "probes"), lines);
    show_inputs(member(group, "inputs"), lines);
    show_view(member(group, "view"), lines);
    const std::string verdict =
        config::wrapped(printable(value<std::string>(group, "verdict")), out.columns, 0);
    std::printf("%s\n", out.paint(verdict, Colour::bold).c_str());
  }
}

}  // namespace

Result<int> explain(const Globals& globals, const std::string& job) {
  // Before an agent is asked: a slip in the word is told even where no agent runs.
  if (const auto fine = parse_tasks(job); !fine) return tl::unexpected(fine.error());
  auto agent = Connection::open(globals.agent);
  if (!agent) return tl::unexpected(agent.error());
  const auto chosen = choose_tasks(*agent, job);
  if (!chosen) return tl::unexpected(chosen.error());
  const auto reply = agent->ask("explain", chosen->job.request());
  if (!reply) return tl::unexpected(reply.error());
  if (globals.json) {
    print_json("dunlin.explain/1", published(*reply));
  } else {
    show(*reply, chosen->job, globals.out());
  }
  return kSuccess;
}

}  // namespace dunlin::cli
