// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "overlay/rng.h"

// The figures of the acceptance tables about an overlay, seen as a graph.
namespace dunlin::test {

/// The links: out[i] holds the numbers of the vertices to which i points.
using Graph = std::vector<std::vector<std::uint32_t>>;

struct Degrees {
  double mean = 0;
  double deviation = 0;
  std::size_t min = 0;
  std::size_t max = 0;
  std::vector<std::size_t> counts;  ///< The count of each vertex.

  /// Share of the vertices that are within `reach` of `middle`.
  double within(std::size_t middle, std::size_t reach) const;
};
Degrees in_degrees(const Graph& graph);

/// The same links in both directions, each once.
Graph undirected(const Graph& graph);

/// Mean share of a vertex's neighbours that are neighbours of each other, over `samples` vertices
/// by chance. Requires an undirected graph.
double clustering(const Graph& graph, std::size_t samples, overlay::Rng& rng);

struct Paths {
  double mean = 0;
  std::size_t max = 0;
  bool connected = true;
};
/// Lengths of the shortest paths from `samples` vertices by chance to all. Requires an undirected
/// graph.
Paths paths(const Graph& graph, std::size_t samples, overlay::Rng& rng);

/// Vertices of the largest component, links taken in both directions. Only vertices for which
/// `counts` is true exist.
std::size_t largest_component(const Graph& graph, const std::vector<bool>& counts);

}  // namespace dunlin::test
