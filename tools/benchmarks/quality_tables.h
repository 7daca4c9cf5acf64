// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dunlin::bench {

/// The measured figures, for a terminal, beside those that other systems have published.
std::string quality_tables(const nlohmann::json& figures);

}  // namespace dunlin::bench
