// SPDX-License-Identifier: MIT
#include "node/control/command_json.h"

namespace dunlin::node {

Json command_json(const TaskSpec& spec) {
  Json words = Json::array();
  for (const auto& word : spec.command) words.push_back(bytes_json(word.text));
  return words;
}

}  // namespace dunlin::node
