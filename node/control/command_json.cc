// SPDX-License-Identifier: MIT
#include "node/control/command_json.h"

#include "node/command_size.h"

namespace dunlin::node {

Json command_json(const TaskSpec& spec) {
  Json words = Json::array();
  for (const auto& word : words_of(spec)) words.push_back(bytes_json(word.text));
  return words;
}

}  // namespace dunlin::node
