// SPDX-License-Identifier: MIT
#include "sim/study/plan.h"

#include <algorithm>

namespace dunlin::sim {

Result<Axis> parse_axis(std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return failure(ErrorKind::usage, "axis '" + std::string(text) + "': " + why);
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return wrong("expected key=a,b,c");
  Axis axis{.key = std::string(text.substr(0, equals)), .values = {}};
  std::string_view rest = text.substr(equals + 1);
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string value(rest.substr(0, comma));
    if (value.empty()) return wrong("an empty value");
    if (std::ranges::find(axis.values, value) != axis.values.end()) {
      return wrong("'" + value + "' stands there twice");
    }
    axis.values.push_back(value);
    if (comma == std::string_view::npos) return axis;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<Settings> combinations_of(const std::vector<Axis>& axes) {
  std::vector<Settings> all = {{}};
  for (const Axis& axis : axes) {
    std::vector<Settings> longer;
    for (const Settings& settings : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(settings);
        longer.back().push_back(axis.key + "=" + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace dunlin::sim
