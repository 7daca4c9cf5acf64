// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dunlin::bench {

/// What was measured, for a terminal, beside what other systems have published.
std::string quality_tables(const nlohmann::json& figures);

}  // namespace dunlin::bench
