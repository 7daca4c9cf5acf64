// SPDX-License-Identifier: MIT
#include "sched/inputs/input_text.h"

#include <algorithm>
#include <ranges>

#include "sched/resources.h"

namespace dunlin::sched {
namespace {

tl::unexpected<Error> no_input(std::string_view text, const std::string& why) {
  return failure(ErrorKind::usage,
      "'" + std::string(text.substr(0, 128)) + "' is no input: " + why +
          "; write its size and the nodes that have it, such as 2G@node1,node2");
}

/// Names in JSON and in lists for people: no separators, and nothing that a terminal acts on.
bool is_name(std::string_view name) {
  const auto plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && c != '@' && c != ',';
  };
  return !name.empty() && name.size() <= InputNode::kNameMax && std::ranges::all_of(name, plain);
}

/// Nodes of a set, without the filling behind the last.
auto nodes_of(const GroupInputs::Set& set) {
  return set | std::views::take_while([](std::uint16_t i) { return i != GroupInputs::kNone; });
}

}  // namespace

Result<InputText> parse_input(std::string_view text) {
  const auto at = text.find('@');
  if (at == text.npos) return no_input(text, "it names no node");
  const auto size = parse_memory(text.substr(0, at));
  if (!size) return no_input(text, size.error().text);
  InputText input{.size = *size, .nodes = {}};
  for (std::string_view rest = text.substr(at + 1);;) {
    const auto comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    if (!is_name(name)) {
      return no_input(text,
          name.empty() ? "the name of a node is empty"
                       : "the name of a node has no blanks, and at most " +
                  std::to_string(InputNode::kNameMax) + " characters of ASCII");
    }
    if (std::ranges::count(input.nodes, name) > 0) {
      return no_input(text, "node " + std::string(name) + " stands there twice");
    }
    if (input.nodes.size() == kInputNodesMax) {
      return no_input(text, "it names more than " + std::to_string(kInputNodesMax) + " nodes");
    }
    input.nodes.emplace_back(name);
    if (comma == rest.npos) return input;
    rest.remove_prefix(comma + 1);
  }
}

std::string input_text(const GroupInputs& inputs, std::size_t i) {
  const PlacedInput& input = inputs.of(i);
  std::string text = std::to_string(input.size) + "M@";
  for (const std::uint16_t node : nodes_of(inputs.sets[input.set])) {
    text += (text.back() == '@' ? "" : ",") + inputs.nodes[node].name;
  }
  return text;
}

Result<void> InputsBuilder::add(const InputText& input) {
  GroupInputs::Set set;
  set.fill(GroupInputs::kNone);
  for (std::size_t i = 0; i < input.nodes.size(); ++i) {
    const auto next = static_cast<std::uint16_t>(inputs_.nodes.size());
    const auto [node, is_new] = nodes_.try_emplace(input.nodes[i], next);
    if (is_new && next == kGroupInputNodesMax) {
      return failure(ErrorKind::usage,
          "the inputs of the group are at more than " + std::to_string(kGroupInputNodesMax) +
              " nodes: divide it into several groups");
    }
    if (is_new) inputs_.nodes.push_back({.name = input.nodes[i], .id = {}});
    set[i] = node->second;
  }
  const auto [at, is_new] = sets_.try_emplace(set, static_cast<std::uint32_t>(inputs_.sets.size()));
  if (is_new) inputs_.sets.push_back(set);
  inputs_.tasks.push_back({.size = input.size, .set = at->second});
  return {};
}

Result<void> InputsBuilder::add(std::string_view text) {
  const auto input = parse_input(text);
  return input ? add(*input) : Result<void>(tl::unexpected(input.error()));
}

bool has_sound_inputs(const TaskGroup& group) {
  const GroupInputs& inputs = group.inputs;
  if (inputs.empty()) return inputs == GroupInputs{};
  if (inputs.tasks.size() != 1 && inputs.tasks.size() != group.count) return false;
  if (inputs.nodes.size() > kGroupInputNodesMax || group.gang) return false;
  if (inputs.disk_read > kRateMax || inputs.net_in > kRateMax) return false;
  const auto is_sound = [&](const GroupInputs::Set& set) {
    const auto first_none = std::ranges::find(set, GroupInputs::kNone);
    const bool filled =
        std::all_of(first_none, set.end(), [](std::uint16_t i) { return i == GroupInputs::kNone; });
    return first_none != set.begin() && filled &&
        std::all_of(
            set.begin(), first_none, [&](std::uint16_t i) { return i < inputs.nodes.size(); });
  };
  return std::ranges::all_of(inputs.sets, is_sound) &&
      std::ranges::all_of(inputs.nodes, [](const InputNode& node) { return is_name(node.name); }) &&
      std::ranges::all_of(
          inputs.tasks, [&](const PlacedInput& task) { return task.set < inputs.sets.size(); });
}

std::vector<std::string> unknown_nodes(const GroupInputs& inputs) {
  std::vector<std::string> names;
  for (const InputNode& node : inputs.nodes) {
    if (node.id == PeerId{}) names.push_back(node.name);
  }
  return names;
}

}  // namespace dunlin::sched
