// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace dunlin::web {

/// The answer of `status`, JSON, as Prometheus reads it (text format 0.0.4). What an agent does not
/// tell, such as one of an earlier build, is missing: a 0 would be a lie.
std::string metrics_text(std::string_view status);

}  // namespace dunlin::web
