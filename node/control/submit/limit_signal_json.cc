// SPDX-License-Identifier: MIT
#include "node/control/submit/limit_signal_json.h"

#include <cstdint>
#include <string>

#include "node/task/limit_signal.h"
#include "overlay/field_info.h"

namespace dunlin::node {

void parse_limit_signal(Args& group, overlay::Duration time_limit, TaskSpec& spec) {
  const overlay::FieldInfo& signal = TaskSpec::Terms::limit_signal;
  const overlay::FieldInfo& before = TaskSpec::Terms::limit_signal_time;
  if (!group.has(signal.key)) {
    if (group.has(before.key)) {
      group.fail(before.key, "given along with " + std::string(signal.key));
    }
    return;
  }
  spec.limit_signal = static_cast<std::uint8_t>(group.number(signal.key, signal.min, signal.max));
  spec.limit_signal_time =
      overlay::Duration{group.number(before.key, before.min, before.max, before.initial)};
  if (auto fine = check_limit_signal(spec, time_limit); !fine) group.fail(fine.error());
}

void put_limit_signal(Json& json, const TaskSpec& spec) {
  if (spec.limit_signal == 0) return;
  json[std::string(TaskSpec::Terms::limit_signal.key)] = spec.limit_signal;
  json[std::string(TaskSpec::Terms::limit_signal_time.key)] = spec.limit_signal_time.count();
}

}  // namespace dunlin::node
