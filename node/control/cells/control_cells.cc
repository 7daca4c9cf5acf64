// SPDX-License-Identifier: MIT
#include "node/control/cells/control_cells.h"

#include <sodium.h>

#include "node/control/accounts/ask_all.h"
#include "node/control/cells/cell_audit.h"
#include "node/control/cells/cell_json.h"
#include "sched/cell/manager_places.h"
#include "sched/ledger/class_version.h"
#include "sched/peer_view.h"

// The view of operators on sharing: an agent asks the managers of all cells on their behalf.
namespace dunlin::node {
namespace {

/// The time for the managers to answer. One that is down is named as silent by then.
constexpr std::chrono::seconds kWalkWait{5};
constexpr std::chrono::seconds kAuditWait{15};
constexpr std::chrono::minutes kAuditWaitMax{10};
/// Between two readings of all books.
constexpr std::chrono::milliseconds kReadingPause{200};

/// Numbers that no other walk of this agent uses, but by a great chance.
/// A late answer to an earlier walk must not be taken for one of this walk.
std::uint64_t first_number() {
  std::uint32_t chance = 0;
  randombytes_buf(&chance, sizeof(chance));
  return std::uint64_t{chance} << 32;
}

NameOf names(const AgentServices& agent) {
  return [&agent](overlay::PeerId node) { return agent.name_of(node); };
}

/// All cells, as the tree that they are.
class TreePending final : public CellsPending {
 public:
  TreePending(AgentServices& agent, bool members)
      : CellsPending(agent, {.members = members}, kWalkWait),
        members_(members) {
    (void)ask_all(agent);  // Names, by the time the cells have answered.
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    Json cells = cells_json(walk().reports(), names(agent));
    if (!members_) {
      for (Json& cell : cells) cell.erase("members");
    }
    reply.end({{"version", sched::edition_of(agent.peer().classes().version)},
        {"cells", std::move(cells)}, {"silent", silent_json(walk().silent())},
        {"nodes_known", sched::directory_of(agent.peer()).nodes().size()}});
    return false;
  }

 private:
  bool members_;
};

/// The share of each class, in all cells or in those below one.
class SharesPending final : public CellsPending {
 public:
  SharesPending(AgentServices& agent, std::string cell, bool past)
      : CellsPending(agent, {.past = past}, kWalkWait),
        cell_(std::move(cell)),
        past_(past) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    sched::CellId cell;
    if (!cell_.empty()) {
      const auto found = find_cell(walk().reports(), cell_);
      if (!found) {
        reply.fail(found.error());
        return false;
      }
      cell = *found;
    }
    Json told = {{"version", sched::edition_of(agent.peer().classes().version)}, {"cell", cell_},
        {"classes", shares_json(share_lines(walk().reports(), cell))},
        {"silent", silent_json(walk().silent())}};
    if (past_) told["past"] = balances_json(balance_lines(walk().reports(), cell));
    reply.end(std::move(told));
    return false;
  }

 private:
  std::string cell_;
  bool past_;
};

/// Reads all books again and again, until it is known that they agree, or there is no more time.
class AuditPending final : public CellsPending {
 public:
  AuditPending(AgentServices& agent, overlay::Duration patience)
      : CellsPending(agent, {.partners = true}, kWalkWait),
        until_(agent.now() + patience) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    auditor_.add(walk().reports());
    const bool nothing = agent.peer().cells() == nullptr;
    const bool enough = auditor_.readings() >= 2 && walk().silent().empty() &&
        auditor_.verdict().conserved() && !auditor_.latest().empty();
    if (nothing || enough || agent.now() + kReadingPause >= until_) {
      Json audit = audit_json(auditor_, walk().silent());
      audit["version"] = sched::edition_of(agent.peer().classes().version);
      reply.end(std::move(audit));
      return false;
    }
    walk_again(
        agent.now() + kReadingPause, std::min<overlay::Duration>(kWalkWait, until_ - agent.now()));
    return true;
  }

 private:
  overlay::Time until_;
  CellAuditor auditor_;
};

}  // namespace

CellsPending::CellsPending(
    AgentServices& agent, const CellQuestion& question, overlay::Duration patience)
    : question_(question),
      walk_(question, 0, agent.now()) {
  begin(agent, patience);
}

void CellsPending::begin(AgentServices& agent, overlay::Duration patience) {
  walk_ = ReportWalk(question_, first_number(), agent.now() + patience);
  const sched::CellNode* cells = agent.peer().cells();
  if (cells == nullptr) return;
  // The places that this node knows are where the walk begins; each answer names more.
  walk_.begin(sched::own_places(*cells, agent.peer().self().endpoint), true);
  walk_.begin(sched::known_places(*cells, agent.now(), CellAnswer::kPlacesMax));
}

// True once the walk is over, with all answers or without some.
bool CellsPending::walk_on(AgentServices& agent) {
  if (again_ != overlay::kNever) {
    if (agent.now() < again_) return false;
    again_ = overlay::kNever;
    begin(agent, patience_);
  }
  for (const ReportWalk::Ask& ask : walk_.next(agent.now()))
    agent.send(ask.to, Message(ask.question));
  return walk_.done();
}

void CellsPending::walk_again(overlay::Time again, overlay::Duration patience) {
  again_ = again;
  patience_ = patience;
}

PendingResult handle_cells(AgentServices& agent, ControlSession&, Args& args) {
  const bool members = args.flag("members");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<TreePending>(agent, members);
}

PendingResult handle_shares(AgentServices& agent, ControlSession&, Args& args) {
  std::string cell = args.text("cell", 16);
  const bool past = args.flag("past");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<SharesPending>(agent, std::move(cell), past);
}

PendingResult handle_audit(AgentServices& agent, ControlSession&, Args& args) {
  const overlay::Duration patience{args.number("patience_ns", 0,
      overlay::Duration(kAuditWaitMax).count(), overlay::Duration(kAuditWait).count())};
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<AuditPending>(agent, patience);
}

}  // namespace dunlin::node
