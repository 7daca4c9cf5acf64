// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sched/observer.h"

namespace dunlin::sim {

/// Appends "task_bound job=1/1 index=0 attempt=1 worker=3".
void append_text(const overlay::Event& event, std::string& text);
void append_text(const sched::Event& event, std::string& text);

/// Appends "2.000150000", in seconds.
void append_text(overlay::Time time, std::string& text);

}  // namespace dunlin::sim
