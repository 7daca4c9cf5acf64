// SPDX-License-Identifier: MIT
#include "node/control/accounts/ask_all.h"
#include "node/control/cells/control_cells.h"
#include "node/control/masters/masters_report.h"

// The view of operators on federated placement: managers of cells say what they do as local
// masters, and which global masters launch there.
namespace dunlin::node {
namespace {

constexpr std::chrono::seconds kMastersWait{5};

class MastersPending final : public CellsPending {
 public:
  explicit MastersPending(AgentServices& agent)
      : CellsPending(agent, {.masters = true}, kMastersWait) {
    (void)ask_all(agent);  // Names, by the time the cells have answered.
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    const auto name_of = [&](overlay::PeerId node) { return agent.name_of(node); };
    reply.end({{"cells", local_masters_json(walk().reports(), name_of)},
        {"masters", global_masters_json(walk().reports(), name_of)},
        {"silent", silent_json(walk().silent())}});
    return false;
  }
};

}  // namespace

PendingResult handle_masters(AgentServices& agent, ControlSession&, Args&) {
  return std::make_unique<MastersPending>(agent);
}

}  // namespace dunlin::node
