// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "node/message.h"
#include "sched/cell/cell_node.h"
#include "sched/cell/cell_walk.h"
#include "sched/federation/peer/peer_masters.h"

// An agent's answers about the cells it manages, when another one asks on behalf of an operator.
namespace dunlin::node {

class BalanceRing;

/// The answer to `question`: a report of each cell managed here (of the one that is asked for, if
/// one is), and where others are said to be managed. `cells` is null while nobody shares: then the
/// answer is empty; `masters` while none of them is a local master; `past`, if nothing of it is
/// kept. Bounded by the schema; changes
/// nothing.
CellAnswer answer_to(const CellQuestion& question,
    const sched::CellNode* cells,
    const sched::federation::PeerMasters* masters,
    const sched::CellParams& params,
    overlay::Time now,
    const BalanceRing* past = nullptr);

/// What each class has saved in the books of that cell: as many as a report has.
std::map<sched::ClassId, sched::Tickets> balances_of(const sched::HostedReplica& hosted);

/// A cell as its manager tells of it. Requires that it is managed here.
CellReport report_of(const sched::HostedReplica& hosted,
    const sched::CellParams& params,
    const CellQuestion& question);

/// A place as a walk takes it.
sched::ManagerPlace from_wire(const CellPlace& place);

}  // namespace dunlin::node
