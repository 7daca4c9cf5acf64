// SPDX-License-Identifier: MIT
#include "node/control/submit/script_json.h"

#include <string>
#include <utility>

#include "node/command_size.h"
#include "node/control/command_json.h"
#include "node/task/task_script.h"

namespace dunlin::node {

void parse_words(Args& group, TaskSpec& spec) {
  const bool has_script = group.has("script");
  spec.script = group.bytes("script", TaskSpec::kScriptMax);
  auto& words = has_script ? spec.arguments : spec.command;
  for (std::string& word : group.byte_texts("command", TaskSpec::kCommandMax)) {
    words.push_back({std::move(word)});
  }
  if (!has_script && words.empty()) group.fail("command", "a list of at least one text");
  if (has_script && spec.script.empty()) {
    group.fail("script", "a text that begins with a #! line, or left out");
  }
  if (auto fine = check_script(spec); !fine) group.fail(fine.error());
}

void put_words(Json& group, const TaskSpec& spec) {
  if (!spec.script.empty()) group["script"] = bytes_json(spec.script);
  if (spec.script.empty() || !words_of(spec).empty()) group["command"] = command_json(spec);
}

void put_script_summary(Json& group, const TaskSpec& spec) {
  group["script_line"] = bytes_json(first_line_of(spec.script));
  group["script_bytes"] = spec.script.size();
}

}  // namespace dunlin::node
