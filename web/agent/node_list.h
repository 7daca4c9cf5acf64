// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

#include "node/client/json.h"
#include "web/agent/problem.h"

// The agent tells all nodes that it knows at once. A browser is told a page of them, or sums.
namespace dunlin::web {

/// Which nodes, in which order.
struct NodeWish {
  std::string state;          ///< Empty: any.
  std::string name;           ///< A part of it.
  std::string sort = "name";  ///< With '-' before it backwards.
  std::string after;          ///< `next` of the page before.
  std::size_t limit = 50;
};

/// A page of the answer of `nodes`, with sums over all. Fails with `usage` at an order that is
/// none.
/// A cursor is the sort key of the last node that was told, and not an index: nodes come and go
/// between two pages, and none is skipped or told twice for that. One whose key changes may be.
tl::expected<client::Json, Trouble> node_page(const client::Json& nodes, const NodeWish& wish);

/// `totals` by state, `versions`, `capacity` and `total`: as large for a thousand nodes as for one.
/// `capacity` is of nodes that are up: what lies on a node that is down is of use to nobody.
client::Json node_sums(const client::Json& nodes);

/// The answer of `node_bins`, and in it `grid`: its cells with nodes that are up, as rows by memory
/// of columns by CPU.
client::Json node_bins(client::Json told);

}  // namespace dunlin::web
