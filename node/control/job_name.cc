// SPDX-License-Identifier: MIT
#include "node/control/job_name.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "config/text.h"
#include "node/control/agent_services.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// A node's name may contain dots and digits, so "web.1.12" can mean job 12 of web.1 as well as task
// 12 of job 1 of web. The nodes that are known decide: each dot is tried as the end of a node's
// name, and a reading counts if there is such a node. A word with two readings is refused, because
// a guess might cancel another's job. A name that is a plain number never counts: "11.57" has
// always been task 57 of job 11 here, and must stay that.
namespace dunlin::node {
namespace {

constexpr std::size_t kReadingsShown = 8;

std::optional<std::uint32_t> job_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

/// Rough: what the list means is checked where the number of tasks is known.
bool is_task_list(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789-,") == std::string_view::npos;
}

struct NameReading {
  std::string node;
  JobName job;
};

/// Every way to cut `word` into a node, a number and tasks, whether or not there is such a node.
std::vector<NameReading> cuts_of(std::string_view word, bool with_tasks) {
  std::vector<NameReading> cuts;
  for (auto dot = word.find('.'); dot != std::string_view::npos; dot = word.find('.', dot + 1)) {
    const std::string_view node = word.substr(0, dot);
    const std::string_view rest = word.substr(dot + 1);
    const auto next = rest.find('.');
    const auto number = job_number(rest.substr(0, next));
    if (!number || !names_jobs(node)) continue;
    const bool tasks = next != std::string_view::npos;
    if (tasks && (!with_tasks || !is_task_list(rest.substr(next + 1)))) continue;
    cuts.push_back({std::string(node),
        {{}, *number, std::string(tasks ? rest.substr(next + 1) : std::string_view())}});
  }
  return cuts;
}

bool is_called(const NamedNode& node, std::string_view word) {
  return node.name == word || to_string(node.id) == word;
}

tl::unexpected<Error> unknown_node(std::string_view word, std::span<const NamedNode> nodes) {
  std::string text = "no node '" + std::string(word) + "' is known here";
  const NamedNode* nearest = nullptr;
  // More than two letters off is another name, not a slip. The length is bounded because the cost
  // is the product of both, for each node that is known.
  std::size_t distance_min = 3;
  for (const NamedNode& node : nodes) {
    const std::size_t distance = config::edit_distance(word.substr(0, 64), node.name);
    if (distance >= distance_min) continue;
    distance_min = distance;
    nearest = &node;
  }
  if (nearest != nullptr) text += "; did you mean " + nearest->name + "?";
  return failure(ErrorKind::not_found, text + " (`dunlin nodes` lists those that are)");
}

/// "'web.1.12' has several meanings; say which: <id>.12 (web.1, up) or <id>.1.12 (web, up)".
tl::unexpected<Error> ambiguous(std::string_view word, const std::vector<std::string>& meanings) {
  std::string text = "'" + std::string(word) + "' has several meanings; say which: ";
  for (std::size_t i = 0; i < meanings.size() && i < kReadingsShown; ++i) {
    text += (i == 0 ? "" : " or ") + meanings[i];
  }
  if (meanings.size() > kReadingsShown) {
    text += ", and " + std::to_string(meanings.size() - kReadingsShown) + " more";
  }
  return failure(ErrorKind::usage, text);
}

std::string state_text(const AgentServices& agent, const sched::KnownNode& node, bool self) {
  if (self) return "this one";
  const auto quiet =
      std::chrono::duration_cast<std::chrono::seconds>(agent.now() - node.heard_at()).count();
  const std::string ago = std::to_string(std::max<std::int64_t>(0, quiet)) + " s ago";
  const sched::NodeState state = node.state(agent.now());
  const bool there = state == sched::NodeState::up || state == sched::NodeState::draining;
  return std::string(to_string(state)) + (there ? " " : ", last heard of ") + ago;
}

}  // namespace

bool names_jobs(std::string_view name) {
  if (name.empty() || name == "last") return false;
  const bool digits = name.find_first_not_of("0123456789") == std::string_view::npos;
  return !digits || name.size() == 16;  // An id may be all digits.
}

Result<JobName> read_job_name(
    std::string_view word, std::span<const NamedNode> nodes, bool with_tasks) {
  if (const auto number = job_number(word)) return JobName{{}, *number, ""};
  const std::vector<NameReading> cuts = cuts_of(word, with_tasks);
  if (cuts.empty()) {
    return failure(ErrorKind::usage,
        "'" + std::string(word) + "' names no job: give its number here, or NODE.NUMBER");
  }
  // By id as well as by name: ids are what the text of an ambiguity offers, and names need not be
  // unique.
  std::vector<JobName> readings;
  std::vector<std::string> meanings;
  for (const NameReading& cut : cuts) {
    for (const NamedNode& node : nodes) {
      if (!is_called(node, cut.node)) continue;
      readings.push_back({node.id, cut.job.number, cut.job.tasks});
      meanings.push_back(to_string(node.id) + "." + std::to_string(cut.job.number) +
          (cut.job.tasks.empty() ? "" : "." + cut.job.tasks) + " (" + node.name + ", " +
          node.state + ")");
    }
  }
  if (readings.empty() && !with_tasks && read_job_name(word, nodes, true)) {
    return failure(
        ErrorKind::usage, "'" + std::string(word) + "' names tasks, where a job is meant");
  }
  if (readings.empty()) return unknown_node(cuts.front().node, nodes);
  if (readings.size() > 1) return ambiguous(word, meanings);
  return std::move(readings.front());
}

Result<overlay::PeerId> read_node_name(std::string_view word, std::span<const NamedNode> nodes) {
  std::vector<overlay::PeerId> found;
  std::vector<std::string> meanings;
  for (const NamedNode& node : nodes) {
    if (!is_called(node, word)) continue;
    found.push_back(node.id);
    meanings.push_back(to_string(node.id) + " (" + node.name + ", " + node.state + ")");
  }
  if (found.empty()) return unknown_node(word, nodes);
  if (found.size() > 1) return ambiguous(word, meanings);
  return found.front();
}

std::vector<NamedNode> named_nodes(const AgentServices& agent) {
  std::vector<NamedNode> named;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const bool self = id == agent.id();
    named.push_back(
        {id, self ? agent.peer().self().name : agent.name_of(id), state_text(agent, node, self)});
  }
  // A node that has just started is not in its own directory yet, and its jobs can be named at
  // once.
  if (!sched::directory_of(agent.peer()).nodes().contains(agent.id())) {
    named.push_back({agent.id(), agent.peer().self().name, "this one"});
  }
  // A host that was renamed: what people wrote down before means the same. A name that another node
  // has by now is that node's.
  const auto current = named.size();
  for (const auto& [name, id] : agent.former_names()) {
    const bool taken =
        std::any_of(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(current),
            [&](const NamedNode& node) { return node.name == name; });
    if (!taken) named.push_back({id, name, "called " + agent.name_of(id) + " now"});
  }
  return named;
}

std::string node_state_text(const AgentServices& agent, overlay::PeerId node) {
  const auto& nodes = sched::directory_of(agent.peer()).nodes();
  const auto at = nodes.find(node);
  return at == nodes.end() ? "unknown" : state_text(agent, at->second, node == agent.id());
}

std::string node_text(const AgentServices& agent, overlay::PeerId node) {
  return agent.name_of(node) + " (" + node_state_text(agent, node) + ")";
}

std::string job_text(const AgentServices& agent, const sched::JobId& job) {
  const std::string name = agent.name_of(job.home);
  // What is shown must be readable again by read_job_name(): a node with a number as its name is
  // shown by its id.
  return (names_jobs(name) ? name : to_string(job.home)) + "." + std::to_string(job.number);
}

std::optional<JobName> read_job_id(std::string_view word) {
  constexpr std::size_t kDigits = 16;
  if (word.size() <= kDigits || word[kDigits] != '.') return std::nullopt;
  std::uint64_t id = 0;
  const auto read = std::from_chars(word.data(), word.data() + kDigits, id, 16);
  const auto number = job_number(word.substr(kDigits + 1));
  if (read.ec != std::errc{} || read.ptr != word.data() + kDigits || !number) return std::nullopt;
  return JobName{overlay::PeerId{id}, *number, ""};
}

std::string sure_job_text(
    const AgentServices& agent, const sched::JobId& job, std::span<const NamedNode> nodes) {
  std::string name = job_text(agent, job);
  const auto read = read_job_name(name, nodes, true);
  if (read && *read == JobName{job.home, job.number, ""}) return name;
  return to_string(job.home) + "." + std::to_string(job.number);
}

Error for_people(const AgentServices& agent, const sched::JobId& job, Error error) {
  const std::string label = sched::label_of(job);
  const std::string name = job_text(agent, job);
  // Errors of sched/ know no names of nodes, only ids. The search goes on behind what was put in,
  // which may hold the label itself.
  for (auto at = error.text.find(label); at != std::string::npos; at = error.text.find(label, at)) {
    error.text.replace(at, label.size(), name);
    at += name.size();
  }
  return error;
}

}  // namespace dunlin::node
