// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "node/control/json.h"

namespace dunlin::node {

/// What nobody would say in good faith: nothing, values of each kind, and the ends of numbers.
inline const std::vector<Json>& extreme_values() {
  static const std::vector<Json> values = [] {
    std::vector<Json> all = {nullptr, true, false, 0, 1, -1, 2, 64, 255, 256, 65'535, 65'536,
        1'000'000, 1'000'001, INT32_MAX, UINT32_MAX, std::int64_t{UINT32_MAX} + 1, INT64_MIN,
        INT64_MAX, UINT64_MAX, 0.5, -0.0, 1e300, -1e300, "", "x", "last", "all", "osprey",
        "osprey.7", "merlin.1", "0000000000000002", "ffffffffffffffff", "\xff",
        std::string(1, '\0'), std::string(300, 'y'), std::string(70'000, 'z'), Json::array(),
        Json::array({nullptr}), Json::array({Json::array()}), Json::array({1, 1, 1}),
        Json::array({"x", 0, nullptr}), Json::array({Json::object()}), Json::object(),
        {{"base64", "/w=="}}, {{"base64", 7}}, {{"x", nullptr}}};
    all.push_back(Json(std::vector<std::uint32_t>(1000, 1)));
    Json deep = 1;
    for (int level = 0; level < 60; ++level) deep = Json::array({std::move(deep)});
    all.push_back(std::move(deep));
    return all;
  }();
  return values;
}

}  // namespace dunlin::node
