// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sched/job.h"

namespace dunlin::sched {

/// The input of a task, as its user writes it.
struct InputText {
  std::uint32_t size = 0;          ///< MiB, rounded up.
  std::vector<std::string> nodes;  ///< 1 to kInputNodesMax, all different.
};

/// Reads "2G@node1,node2". Fails with `usage`, naming what is wrong and what to write.
Result<InputText> parse_input(std::string_view text);

/// The text that parse_input() reads, of the `i`-th task of a group.
std::string input_text(const GroupInputs& inputs, std::size_t i);

/// Puts the inputs of a group together. Nodes, and sets of them, that several tasks name are kept
/// once.
class InputsBuilder {
 public:
  /// The next task's. Fails with `usage` if that is a node too many.
  Result<void> add(const InputText& input);
  /// What parse_input() reads, as add() does.
  Result<void> add(std::string_view text);
  std::size_t size() const { return inputs_.tasks.size(); }
  GroupInputs take() { return std::move(inputs_); }

 private:
  GroupInputs inputs_;
  std::map<std::string, std::uint16_t> nodes_;
  std::map<GroupInputs::Set, std::uint32_t> sets_;
};

/// True if the inputs are such as parse_input() and InputsBuilder make, and as many as the group
/// has tasks, or one, or none.
bool has_sound_inputs(const TaskGroup& group);

/// The names of those nodes of a group that are not known, each once, in the order of the inputs.
std::vector<std::string> unknown_nodes(const GroupInputs& inputs);

}  // namespace dunlin::sched
