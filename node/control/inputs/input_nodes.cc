// SPDX-License-Identifier: MIT
#include "node/control/inputs/input_nodes.h"

#include <algorithm>
#include <map>

#include "sched/inputs/input_rates.h"
#include "sched/inputs/input_text.h"

// Inputs name the nodes that have them. A name is looked up once, at the submit: it may mean
// another node later, or at another agent. A name that is not known here is no error, and the user
// is told of it.
namespace dunlin::node {
namespace {

constexpr std::size_t kNamesShown = 16;
constexpr std::size_t kNodesShown = 16;

}  // namespace

Result<void> set_inputs(sched::TaskGroup& group, const std::vector<std::string>& texts) {
  sched::InputsBuilder builder;
  for (const std::string& text : texts) {
    if (auto added = builder.add(std::string_view(text)); !added) {
      return failure(ErrorKind::usage,
          "'inputs[" + std::to_string(builder.size()) + "]': " + added.error().text);
    }
  }
  group.inputs = builder.take();
  sched::settle_input_rates(group);
  return {};
}

void find_input_nodes(
    const sched::Directory& directory, const sched::NodeSpec& self, sched::Job& job) {
  const auto has_inputs = [](const sched::TaskGroup& group) { return !group.inputs.empty(); };
  if (std::ranges::none_of(job.groups, has_inputs)) return;
  std::map<std::string_view, const sched::KnownNode*> by_name;
  for (const auto& [id, node] : directory.nodes()) {
    if (!node.facts) continue;
    const auto [at, is_new] = by_name.try_emplace(node.facts->name, &node);
    // Of two that have one name, the one that is there.
    if (!is_new && at->second->departure) at->second = &node;
  }
  for (sched::TaskGroup& group : job.groups) {
    for (sched::InputNode& node : group.inputs.nodes) {
      const auto found = by_name.find(node.name);
      if (node.name == self.name) {
        node.id = self.endpoint.id;
        node.address = self.endpoint.address;
      } else if (found != by_name.end()) {
        node.id = found->second->descriptor.id;
        node.address = found->second->descriptor.address;
      }
    }
  }
}

std::vector<std::string> unknown_input_nodes(const sched::Job& job) {
  std::vector<std::string> names;
  for (const sched::TaskGroup& group : job.groups) {
    for (const std::string& name : sched::unknown_nodes(group.inputs)) {
      if (names.size() < kNamesShown && std::ranges::count(names, name) == 0) names.push_back(name);
    }
  }
  return names;
}

Json inputs_json(const sched::JobState& job, std::uint16_t index) {
  const sched::GroupInputs& inputs = job.spec_of(index).inputs;
  if (inputs.empty()) return nullptr;
  std::uint64_t size = 0;
  for (const sched::PlacedInput& task : inputs.tasks) size += task.size;
  if (inputs.tasks.size() == 1) size *= job.spec_of(index).count;
  std::vector<const sched::InputIndex::Node*> nodes;
  for (const auto& node : job.groups()[index].inputs.nodes()) nodes.push_back(&node);
  std::ranges::stable_sort(nodes, std::greater{}, &sched::InputIndex::Node::left);
  if (nodes.size() > kNodesShown) nodes.resize(kNodesShown);
  Json shown = Json::array();
  for (const auto* const node : nodes) {
    const auto named = std::ranges::find(inputs.nodes, node->id, &sched::InputNode::id);
    shown.push_back({{"name", named->name}, {"waiting", node->left}});
  }
  std::vector<std::string> unknown = sched::unknown_nodes(inputs);
  const std::size_t unknown_count = unknown.size();
  if (unknown.size() > kNamesShown) unknown.resize(kNamesShown);
  return {{"mib", size}, {"known_nodes", job.groups()[index].inputs.nodes().size()},
      {"unknown_nodes", unknown_count}, {"nodes", std::move(shown)},
      {"unknown", std::move(unknown)}, {"disk_read", inputs.disk_read}, {"net_in", inputs.net_in}};
}

}  // namespace dunlin::node
