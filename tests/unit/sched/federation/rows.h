// SPDX-License-Identifier: MIT
#pragma once

#include "sched/constraints.h"
#include "sched/federation/global_view.h"

// Short words for nodes and rows.
namespace dunlin::sched::federation::rows {

inline Endpoint at(std::uint64_t node) {
  return {PeerId{node}, Address::v4(0x0a000000u + static_cast<std::uint32_t>(node), 7700)};
}

inline Constraint constraint(std::string_view text) {
  return parse_constraint(text).value();
}

/// A kind of 4 CPUs and 8 GiB with these attributes.
inline NodeKind kind(std::initializer_list<std::string_view> attributes) {
  NodeKind kind{.total = {.cpu = 4000, .memory = 8192}};
  for (const std::string_view text : attributes) {
    kind.attributes.push_back(parse_attribute(text).value());
  }
  return kind;
}

inline Row row(
    std::uint64_t node, KindNumber kind, std::uint32_t cpu, std::uint32_t memory = 8192) {
  return {.node = PeerId{node}, .version = 1, .kind = kind, .free = {.cpu = cpu, .memory = memory}};
}

/// A row as a local master tells it; its kind is the first of the view.
inline ViewRow told(
    std::uint64_t node, std::uint64_t owner, std::uint32_t cpu, std::uint64_t version = 1) {
  return {.node = PeerId{node},
      .version = version,
      .kind = 1,
      .free = {.cpu = cpu, .memory = 8192},
      .owner = PeerId{owner}};
}

}  // namespace dunlin::sched::federation::rows
