// SPDX-License-Identifier: MIT
#include "tests/swarm/plan_text.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "overlay/param_entries.h"
#include "sched/resources.h"

namespace dunlin::test {
namespace {

using overlay::ParamEntry;

constexpr std::string_view kDeeds[] = {"submit", "cancel", "cancel_some", "crash", "leave", "split",
    "cut", "mend", "drain", "share", "sicken", "bereave", "hold", "retry", "set", "perish",
    "isolate", "retire", "fill", "requeue"};

std::string written(Duration value) {
  return overlay::to_string(value);
}
std::string written(bool value) {
  return value ? "true" : "false";
}
std::string written(double value) {
  return overlay::number_text(value);
}
std::string written(std::uint64_t value) {
  return std::to_string(value);
}
std::string written(std::uint32_t value) {
  return std::to_string(value);
}

bool read(std::string_view text, Duration& value) {
  const auto parsed = overlay::parse_duration(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}
bool read(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false";
}
template <typename Number>
bool read(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// The fields of each kind of line, listed once for both directions.
template <typename World>
void visit_world(World& plan, auto&& field) {
  field("seed", plan.world.seed);
  field("codec", plan.world.codec);
  field("commit", plan.world.commit_max);
  field("safety_phase", plan.safety_phase);
}
template <typename Params>
void visit_network(Params& network, auto&& field) {
  field("latency_min", network.latency_min);
  field("latency_max", network.latency_max);
  field("loss", network.loss);
  field("duplication", network.duplication);
  field("straggling", network.straggling);
  field("straggler_max", network.straggler_max);
}
template <typename Params>
void visit_executor(Params& executor, auto&& field) {
  field("spawn_failure", executor.spawn_failure);
  field("grace", executor.grace);
}
template <typename Node>
void visit_node(Node& node, auto&& field) {
  field("cpu", node.total.cpu);
  field("memory", node.total.memory);
  field("slowness", node.slowness);
}
template <typename AnyDeed>
void visit_deed(AnyDeed& deed, auto&& field) {
  field("at", deed.at);
  field("lasts", deed.lasts);
  field("seed", deed.seed);
}

/// Writes a field as " KEY=VALUE".
auto writer(std::string& line) {
  return [&line](std::string_view key, const auto& value) {
    line += " " + std::string(key) + "=" + written(value);
  };
}

std::vector<ParamEntry> entries_of(sched::PeerParams& params) {
  std::vector<ParamEntry> entries;
  sched::for_each_section(
      params, [&](auto& section) { overlay::append_entries(section, entries); });
  return entries;
}

/// A line of the text: its first word, the one behind it, and all from there as KEY=VALUE.
struct Line {
  std::string word;
  std::vector<std::string> rest;

  explicit Line(const std::string& text) {
    std::istringstream words(text);
    words >> word;
    for (std::string each; words >> each;) rest.push_back(each);
  }
};

/// Puts the fields of a line where a visitor has them; knows what was wrong with them.
class Fields {
 public:
  Fields(const Line& line, std::size_t first) : fields_(line.rest) {
    fields_.erase(fields_.begin(),
        fields_.begin() + static_cast<std::ptrdiff_t>(std::min(first, fields_.size())));
  }
  /// Reads a field, and takes it off the list.
  void operator()(std::string_view key, auto& value) {
    const std::string prefix = std::string(key) + "=";
    const auto at = std::ranges::find_if(
        fields_, [&](const std::string& each) { return each.starts_with(prefix); });
    if (at == fields_.end()) {
      wrong_ += "; no " + std::string(key);
      return;
    }
    if (!read(std::string_view(*at).substr(prefix.size()), value)) wrong_ += "; bad " + *at;
    fields_.erase(at);
  }
  /// Likewise, if it is there.
  void optional(std::string_view key, auto& value) {
    const std::string prefix = std::string(key) + "=";
    const auto is = [&](const std::string& each) { return each.starts_with(prefix); };
    if (std::ranges::any_of(fields_, is)) (*this)(key, value);
  }
  /// Those left that begin with `prefix`, without it, as KEY and VALUE.
  std::vector<std::pair<std::string, std::string>> take(const std::string& prefix) {
    std::vector<std::pair<std::string, std::string>> taken;
    std::erase_if(fields_, [&](const std::string& each) {
      const auto sign = each.find('=');
      if (!each.starts_with(prefix) || sign == std::string::npos) return false;
      taken.emplace_back(each.substr(prefix.size(), sign - prefix.size()), each.substr(sign + 1));
      return true;
    });
    return taken;
  }
  /// The errors; what no check consumed is one, too.
  std::string wrong() const {
    std::string text = wrong_;
    for (const auto& each : fields_) text += "; what is " + each + "?";
    return text;
  }

 private:
  std::vector<std::string> fields_;
  std::string wrong_;
};

std::string read_node(const Line& line, Plan& plan) {
  NodeConfig& node = plan.nodes.emplace_back();
  Fields fields(line, 0);
  visit_node(node, fields);
  fields.optional("disk", node.disk);
  fields.optional("clock", node.clock);
  fields.optional("drift", node.drift);
  for (const auto& [name, text] : fields.take("custom.")) {
    std::uint32_t amount = 0;
    if (!read(text, amount)) return "; bad amount of " + name;
    sched::set_amount(node.total, name, amount);
  }
  for (const sched::Rate& rate : sched::kRates) {
    fields.optional("rate." + std::string(rate.key), node.total.*rate.amount);
  }
  for (const auto& [key, value] : fields.take("attribute."))
    node.attributes.push_back({key, value});
  return fields.wrong();
}

std::string read_deed(const Line& line, Plan& plan) {
  const std::string word = line.rest.empty() ? "" : line.rest.front();
  const auto kind = std::ranges::find(kDeeds, word);
  if (kind == std::end(kDeeds)) return "; no deed " + word;
  Deed& deed = plan.deeds.emplace_back();
  deed.kind = static_cast<Deed::Kind>(kind - std::begin(kDeeds));
  Fields fields(line, 1);
  visit_deed(deed, fields);
  return fields.wrong();
}

std::string read_param(const Line& line, std::vector<ParamEntry>& entries) {
  if (line.rest.size() != 2) return "; a parameter and its value";
  const auto entry = std::ranges::find(entries, line.rest[0], &ParamEntry::key);
  if (entry == entries.end()) return "; no parameter " + line.rest[0];
  const auto set = entry->set(line.rest[1]);
  return set ? "" : "; " + set.error().text;
}

/// What is wrong with the line; empty if it was read.
std::string read_line(const Line& line, Plan& plan, std::vector<ParamEntry>& entries) {
  if (line.word == "node") return read_node(line, plan);
  if (line.word == "deed") return read_deed(line, plan);
  if (line.word == "param") return read_param(line, entries);
  if (line.word == "class") {
    plan.classes.insert(plan.classes.end(), line.rest.begin(), line.rest.end());
    return "";
  }
  Fields fields(line, 0);
  if (line.word == "world") {
    visit_world(plan, fields);
    fields.optional("replicas", plan.replicas);
    fields.optional("after", plan.after);
    fields.optional("stages", plan.stages);
    fields.optional("inputs", plan.inputs);
    fields.optional("idle", plan.idle);
    fields.optional("words", plan.words);
    fields.optional("clocks", plan.clocks);
  } else if (line.word == "network") {
    visit_network(plan.world.network, fields);
  } else if (line.word == "executor") {
    visit_executor(plan.world.executor, fields);
  } else {
    return "; no such word";
  }
  return fields.wrong();
}

}  // namespace

std::string text_of(const Plan& plan) {
  std::string text = "world";
  visit_world(plan, writer(text));
  if (plan.replicas) writer(text)("replicas", plan.replicas);
  if (plan.after) writer(text)("after", plan.after);
  if (plan.stages) writer(text)("stages", plan.stages);
  if (plan.inputs) writer(text)("inputs", plan.inputs);
  if (plan.idle) writer(text)("idle", plan.idle);
  if (plan.words) writer(text)("words", plan.words);
  if (plan.clocks) writer(text)("clocks", plan.clocks);
  text += "\nnetwork";
  visit_network(plan.world.network, writer(text));
  text += "\nexecutor";
  visit_executor(plan.world.executor, writer(text));
  text += "\n";
  sched::PeerParams params = plan.world.params;
  for (const ParamEntry& entry : entries_of(params)) {
    text += "param " + entry.key() + " " + entry.get() + "\n";
  }
  for (const NodeConfig& node : plan.nodes) {
    text += "node";
    visit_node(node, writer(text));
    if (node.disk > Duration{0}) writer(text)("disk", node.disk);
    if (node.clock > Duration{0}) writer(text)("clock", node.clock);
    if (node.drift > 0) writer(text)("drift", node.drift);
    for (const auto& each : node.total.custom) {
      text += " custom." + std::string(each.name) + "=" + std::to_string(each.count);
    }
    for (const sched::Rate& rate : sched::kRates) {
      if (node.total.*rate.amount == 0) continue;
      writer(text)("rate." + std::string(rate.key), node.total.*rate.amount);
    }
    for (const auto& each : node.attributes) text += " attribute." + each.key + "=" + each.value;
    text += "\n";
  }
  for (const Deed& deed : plan.deeds) {
    text += "deed " + std::string(kDeeds[static_cast<std::size_t>(deed.kind)]);
    visit_deed(deed, writer(text));
    text += "\n";
  }
  for (const std::string& name : plan.classes) text += "class " + name + "\n";
  return text;
}

Result<Plan> parse_plan(std::string_view text) {
  Plan plan;
  auto entries = entries_of(plan.world.params);
  std::istringstream in{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::string wrong = read_line(Line(line), plan, entries);
    if (!wrong.empty()) {
      return failure(ErrorKind::usage, "line " + std::to_string(number) + wrong + ": " + line);
    }
  }
  return plan;
}

}  // namespace dunlin::test
