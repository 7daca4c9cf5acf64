// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/table.h"

namespace dunlin::cli {

/// The nodes (of the control protocol) as a table, by name.
Table node_table(const Json& nodes);

/// "4 nodes: 2 up, 1 draining, 1 suspect; 3.5 of 16 CPUs free; seen from kestrel". `self` is the id
/// of the node that was asked.
std::string node_totals(const Json& nodes, const std::string& self);

/// The nodes that left without a good-bye, as a table of its own; "none" if there are none.
std::string gone_text(const Json& gone, const Terminal& terminal);

/// The matters for the operator, a line for each node that has one: "kestrel: ...". Empty if none
/// does.
std::string node_troubles(const Json& nodes);

/// What is wrong with addresses in the cluster, a line each: two nodes that tell others one
/// address.
std::string address_notes(const Json& answer);

}  // namespace dunlin::cli
