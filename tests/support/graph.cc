// SPDX-License-Identifier: MIT
#include "tests/support/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dunlin::test {

double Degrees::within(std::size_t middle, std::size_t reach) const {
  const auto close = std::ranges::count_if(counts,
      [&](std::size_t count) { return count + reach >= middle && count <= middle + reach; });
  return static_cast<double>(close) / static_cast<double>(counts.size());
}

Degrees in_degrees(const Graph& graph) {
  Degrees degrees;
  degrees.counts.resize(graph.size());
  for (const auto& links : graph) {
    for (const std::uint32_t to : links) ++degrees.counts[to];
  }
  const auto n = static_cast<double>(graph.size());
  degrees.mean = std::accumulate(degrees.counts.begin(), degrees.counts.end(), 0.0) / n;
  double squares = 0;
  for (const std::size_t count : degrees.counts) {
    squares += std::pow(static_cast<double>(count) - degrees.mean, 2);
  }
  degrees.deviation = std::sqrt(squares / n);
  const auto [min, max] = std::ranges::minmax(degrees.counts);
  degrees.min = min;
  degrees.max = max;
  return degrees;
}

Graph undirected(const Graph& graph) {
  Graph both(graph.size());
  for (std::uint32_t from = 0; from < graph.size(); ++from) {
    for (const std::uint32_t to : graph[from]) {
      both[from].push_back(to);
      both[to].push_back(from);
    }
  }
  for (auto& links : both) {
    std::ranges::sort(links);
    const auto rest = std::ranges::unique(links);
    links.erase(rest.begin(), rest.end());
  }
  return both;
}

double clustering(const Graph& graph, std::size_t samples, overlay::Rng& rng) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const auto& links = graph[rng.index(graph.size())];
    if (links.size() < 2) continue;
    std::size_t closed = 0;
    for (const std::uint32_t one : links) {
      for (const std::uint32_t other : links) {
        if (one < other && std::ranges::binary_search(graph[one], other)) ++closed;
      }
    }
    const auto k = static_cast<double>(links.size());
    sum += static_cast<double>(closed) / (k * (k - 1) / 2);
  }
  return sum / static_cast<double>(samples);
}

Paths paths(const Graph& graph, std::size_t samples, overlay::Rng& rng) {
  constexpr auto unseen = std::numeric_limits<std::size_t>::max();
  Paths result;
  double sum = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    std::vector<std::size_t> distance(graph.size(), unseen);
    std::vector<std::uint32_t> queue{static_cast<std::uint32_t>(rng.index(graph.size()))};
    distance[queue[0]] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const std::uint32_t to : graph[queue[head]]) {
        if (distance[to] != unseen) continue;
        distance[to] = distance[queue[head]] + 1;
        queue.push_back(to);
      }
    }
    if (queue.size() < graph.size()) result.connected = false;
    for (const std::uint32_t vertex : queue) {
      sum += static_cast<double>(distance[vertex]) / static_cast<double>(queue.size() - 1);
    }
    result.max = std::max(result.max, distance[queue.back()]);
  }
  result.mean = sum / static_cast<double>(samples);
  return result;
}

std::size_t largest_component(const Graph& graph, const std::vector<bool>& counts) {
  std::vector<std::uint32_t> parent(graph.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (std::uint32_t from = 0; from < graph.size(); ++from) {
    if (!counts[from]) continue;
    for (const std::uint32_t to : graph[from]) {
      if (counts[to]) parent[root(from)] = root(to);
    }
  }
  std::vector<std::size_t> sizes(graph.size());
  for (std::uint32_t vertex = 0; vertex < graph.size(); ++vertex) {
    if (counts[vertex]) ++sizes[root(vertex)];
  }
  return std::ranges::max(sizes);
}

}  // namespace dunlin::test
