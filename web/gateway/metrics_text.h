// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace dunlin::web {

/// The answer of `status`, JSON, as Prometheus reads it (text format 0.0.4). No label names a job,
/// a task, a user or a peer: so there are as many series on a busy node as on an idle one.
std::string metrics_text(std::string_view status);

}  // namespace dunlin::web
