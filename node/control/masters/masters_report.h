// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/cells/cell_json.h"
#include "node/message.h"
#include "sched/federation/local/local_master.h"

// The masters of federated placement: what a manager reports of itself as a local master, and all
// of it in the form of the control protocol.
namespace dunlin::node {

/// A local master, and the global masters that are attached there, as many as fit.
ReportedLocalMaster reported(const sched::federation::LocalMaster& master, overlay::Time now);

/// The local master of each cell of nodes that has one, by cell.
Json local_masters_json(const CellReports& reports, const NameOf& name_of);
/// The global masters, by name: the sums of what all local masters say of each.
Json global_masters_json(const CellReports& reports, const NameOf& name_of);

}  // namespace dunlin::node
