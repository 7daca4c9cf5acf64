// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_answer.h"

#include <algorithm>

#include "node/control/cells/balance_ring.h"
#include "node/control/masters/masters_report.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager_places.h"
#include "sched/cell/plan_member.h"
#include "sched/ledger/audit.h"
#include "sched/ledger/savings.h"

// What a manager says of its cell to the agents that ask for it (`dunlin cells`, `shares`,
// `audit`). An answer has a bound, as each message has: lists that are longer are told in pages,
// from the last member or partner that was told on, and say that there is more.
namespace dunlin::node {
namespace {

using sched::CellId;
using sched::Tickets;

/// The sums of the class, at all members together.
Tickets granted_to(const sched::books::State& state, sched::ClassId class_id) {
  Tickets sum = 0;
  for (const auto& node : state.nodes) {
    for (const auto& grant : node.grants) {
      if (grant.class_id == class_id) sum += grant.tickets;
    }
  }
  return sum;
}

/// The holdings of the accounts of the class, in all deposits.
Tickets balance_of(const sched::books::State& state, sched::ClassId class_id) {
  Tickets sum = 0;
  for (const auto& account : state.accounts) {
    if (account.class_id == class_id) sum += sched::books::sum_of(account.deposits);
  }
  return sum;
}

std::vector<ReportedShare> shares_of(const sched::HostedReplica& hosted) {
  const auto& state = hosted.books().ledger().state();
  const auto uses = hosted.manager->members().uses(hosted.books());
  std::vector<ReportedShare> shares;
  for (const auto& each : hosted.books().roster().classes.classes) {
    if (shares.size() == CellReport::kSharesMax) break;
    ReportedShare share{.class_id = each.class_id,
        .name = each.name,
        .weight = each.share,
        .granted = granted_to(state, each.class_id),
        .balance = balance_of(state, each.class_id)};
    const auto use = std::ranges::find(uses, each.class_id, &sched::books::Use::class_id);
    if (use != uses.end()) {
      share.used = use->used;
      share.cpu = use->cpu;
      share.need = use->need;
    }
    shares.push_back(std::move(share));
  }
  return shares;
}

/// Members after that one, as many as an answer holds.
void tell_members(const sched::CellBooks& books, sched::MemberId after, CellReport& report) {
  for (const auto& node : books.ledger().state().nodes) {
    if (node.node <= after) continue;
    if (report.members.size() == CellReport::kMembersMax) {
      report.more_members = true;
      return;
    }
    ReportedMember member{.member = node.node, .tickets = node.tickets, .leaving = node.leaving};
    if (const auto* contact = books.contact(node.node)) {
      member.node = contact->node;
      member.address = contact->address;
    }
    report.members.push_back(member);
  }
}

// Ages instead of times: two nodes have no clock in common.
void tell_missing(const sched::CellBooks& books, CellReport& report) {
  const overlay::Time now = books.ledger().state().now;
  for (const auto& each : books.roster().missing) {
    if (report.missing.size() == CellReport::kMissingMax) return;
    report.missing.push_back({.cell = each.cell,
        .tickets = each.tickets,
        .saved = each.saved,
        .age = std::max(overlay::Duration{0}, now - each.since)});
  }
}

/// Both sides of what is under way between two cells are told: an audit matches them, and a
/// transfer that one side has and the other has not is neither lost nor doubled.
ReportedPartner partner_of(const sched::books::Partner& partner) {
  ReportedPartner told{.cell = partner.cell,
      .lost = partner.lost,
      .number_last = partner.number_last,
      .sent = partner.sent,
      .received = partner.received,
      .settled_below = partner.settled_below};
  for (const auto& each : partner.outgoing) {
    told.outgoing.push_back(
        {.number = each.number, .tickets = sched::books::sum_of(each.deposits)});
  }
  for (const auto& each : partner.incoming) {
    told.incoming.push_back(
        {.number = each.number, .accepted = each.accepted, .tickets = each.tickets});
  }
  return told;
}

void tell_partners(const sched::books::State& state, CellId after, CellReport& report) {
  for (const auto& partner : state.partners) {
    if (partner.cell <= after) continue;
    if (report.partners.size() == CellReport::kPartnersMax) {
      report.more = true;
      return;
    }
    report.partners.push_back(partner_of(partner));
  }
}

// The audit's invariants are checked here, where all of the ledger is: an asker sees sums alone.
ReportedSums sums_of(const sched::books::State& state) {
  const sched::Audit audit = sched::audit_of(state);
  ReportedSums sums{.minted = audit.minted,
      .created = audit.created,
      .pools = audit.pools,
      .granted = audit.granted,
      .available = audit.available,
      .in_flight = audit.in_flight,
      .sent = audit.sent,
      .received = audit.received};
  sums.broken = sched::broken_invariant(state).value_or("").substr(0, ReportedSums::kBrokenMax);
  return sums;
}

}  // namespace

std::map<sched::ClassId, Tickets> balances_of(const sched::HostedReplica& hosted) {
  std::map<sched::ClassId, Tickets> balances;
  for (const auto& each : hosted.books().roster().classes.classes) {
    if (balances.size() == CellReport::kBalancesMax) break;
    balances.emplace(each.class_id, balance_of(hosted.books().ledger().state(), each.class_id));
  }
  return balances;
}

CellReport report_of(const sched::HostedReplica& hosted,
    const sched::CellParams& params,
    const CellQuestion& question) {
  const sched::CellBooks& books = hosted.books();
  const auto& state = books.ledger().state();
  const auto members = hosted.group.members();
  const bool of_nodes = sched::level_of(books.cell()) == 0;
  CellReport report{.cell = books.cell(),
      .epoch = hosted.manager->epoch(),
      .parent = books.roster().parent,
      .age = state.now.time_since_epoch(),
      .version = books.roster().classes.version,
      .size = static_cast<std::uint32_t>(state.nodes.size()),
      .size_max = of_nodes ? params.cell_size : params.fan_out};
  report.voters = static_cast<std::uint16_t>(
      std::ranges::count(members, sched::raft::MemberRole::voter, &sched::raft::Member::role));
  report.dissolving = books.roster().dissolving;
  report.closed = books.roster().closed;
  report.tickets = books.tickets();
  report.sums = sums_of(state);
  // Children are told always: whoever asks goes on with them.
  if (!of_nodes || question.members) tell_members(books, question.members_after, report);
  report.shares = shares_of(hosted);
  report.plan = books.roster().classes.plan;
  tell_missing(books, report);
  if (question.partners) tell_partners(state, question.after, report);
  return report;
}

ReportedPlan reported(const sched::PlanRecord& record, overlay::Time now) {
  ReportedPlan plan{.number = record.number,
      .age = now - record.made,
      .cause = std::string(sched::kPlanCauseWords[static_cast<std::size_t>(record.cause)]),
      .slots = record.slots,
      .moved = record.plan.moved,
      .jobs = {},
      .job_count = static_cast<std::uint32_t>(record.plan.jobs.size())};
  for (const sched::JobPlan& each : record.plan.jobs) {
    if (plan.jobs.size() == ReportedPlan::kJobsMax) break;
    plan.jobs.push_back({.home = each.job.home,
        .number = each.job.number,
        .slots = each.slots,
        .need = each.need,
        .has_slack = each.slack.has_value(),
        .slack = each.slack.value_or(overlay::Duration{0}).count()});
  }
  return plan;
}

// As the walk has it.
sched::ManagerPlace from_wire(const CellPlace& place) {
  return {place.cell, {place.node, place.address}};
}

// Places of other managers are told along with the reports: a walk over the tree of cells finds
// the next nodes to ask in them.
CellAnswer answer_to(const CellQuestion& question,
    const sched::CellNode* cells,
    const sched::federation::PeerMasters* masters,
    const sched::CellParams& params,
    overlay::Time now,
    const BalanceRing* past) {
  CellAnswer answer{.request = question.request};
  if (cells == nullptr) return answer;
  for (const auto& hosted : cells->hosted()) {
    const bool asked = !question.cell || question.cell == hosted->cell();
    if (!asked || !hosted->manager || answer.cells.size() == CellAnswer::kCellsMax) continue;
    answer.cells.push_back(report_of(*hosted, params, question));
    if (question.past && past != nullptr) answer.cells.back().balances = past->of(hosted->cell());
    const auto& plans = hosted->manager->planner().plans();
    const bool plan = question.plan && hosted->manager->planner().rule() && !plans.empty();
    if (plan) answer.cells.back().plans.push_back(reported(plans.back(), now));
    if (!question.masters || masters == nullptr) continue;
    const auto local = masters->masters().find(hosted->cell());
    // A local master is of one term of the manager. One of an earlier term tells of another view.
    const bool holds =
        local != masters->masters().end() && local->second.epoch() == hosted->manager->epoch();
    if (holds) answer.cells.back().local_master.push_back(reported(local->second, now));
  }
  for (const auto& [cell, where] : sched::known_places(*cells, now, CellAnswer::kPlacesMax)) {
    answer.places.push_back({.cell = cell, .node = where.id, .address = where.address});
  }
  return answer;
}

}  // namespace dunlin::node
