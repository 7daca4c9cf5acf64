// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "overlay/address.h"
#include "sched/job.h"
#include "sched/ledger/books_types.h"

// The form in which people read the names of nodes, cells and jobs.
namespace dunlin::node {

/// 16 digits, with zeros in front.
std::string hex_text(std::uint64_t value);
/// "00c0ffee00c0ffee": the id of a node.
std::string to_string(overlay::PeerId id);
/// "10c0ffee00c0ffee": the id of a cell.
std::string to_string(sched::CellId id);
/// The id of a node or of a cell, whichever the member is.
std::string to_string(sched::MemberId id);
/// "00c0ffee00c0ffee.12": a job, unique in a cluster as long as its home keeps what stands beside
/// its identity.
std::string to_string(const sched::JobId& job);
/// "0123456789abcdef": the lineage of a job, which with its name is unique for ever.
std::string lineage_text(const sched::JobId& job);

}  // namespace dunlin::node
