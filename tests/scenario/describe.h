// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sched/message.h"

namespace dunlin::test {

/// A message as scripts show it: "get_task 1/1 room=2". Tasks are shown as index.attempt.
std::string describe(const sched::Message& message);

}  // namespace dunlin::test
