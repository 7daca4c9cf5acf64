// SPDX-License-Identifier: MIT
#include "sim/scenario/map_reduce_params.h"

#include <array>
#include <utility>

#include "sim/fields.h"

namespace dunlin::sim {

Result<Span> parse_span(const std::string& key, const std::string& text) {
  const std::string_view whole = text;
  const std::size_t dash = whole.find('-');
  const auto min = number_in(whole.substr(0, dash));
  const auto max = dash == std::string_view::npos ? min : number_in(whole.substr(dash + 1));
  const bool sound = min && max && *min >= 0 && *min <= *max && (*min > 0 || *max == *min);
  if (sound) return Span{*min, *max};
  return failure(ErrorKind::usage,
      "mapreduce." + key + ": '" + text +
          "' is no span; expected a number, or two as \"5-100\", of which the first is above 0 and "
          "not above the second");
}

Result<void> validate(const MapReduceParams& params) {
  const std::array<std::pair<const char*, const std::string&>, 12> texts = {{{"maps", params.maps},
      {"reduces", params.reduces}, {"stage_time", params.stage_time}, {"map_cpu", params.map_cpu},
      {"map_memory", params.map_memory}, {"map_read", params.map_read},
      {"map_write", params.map_write}, {"reduce_cpu", params.reduce_cpu},
      {"reduce_memory", params.reduce_memory}, {"reduce_in", params.reduce_in},
      {"reduce_out", params.reduce_out}, {"reduce_write", params.reduce_write}}};
  for (const auto& [key, text] : texts) {
    if (const auto span = parse_span(key, text); !span) return tl::unexpected(span.error());
  }
  return {};
}

}  // namespace dunlin::sim
