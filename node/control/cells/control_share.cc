// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <string_view>

#include "node/control/accounts/ask_all.h"
#include "node/control/cells/cell_json.h"
#include "node/control/cells/class_table.h"
#include "node/control/cells/control_cells.h"
#include "node/ids.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/ledger/cell_books.h"
#include "sched/ledger/class_version.h"
#include "sched/peer.h"

// The class table, as operators set it.
namespace dunlin::node {
namespace {

/// The wait for the manager of this node's cell to tell the table that it knows.
constexpr std::chrono::seconds kReadWait{1};
/// The wait for the new table to stand in the books of a cell. Where no class existed yet, a cell
/// is established first.
constexpr std::chrono::seconds kKeepWait{15};
constexpr std::chrono::milliseconds kKeepPause{250};
constexpr std::size_t kEditsMax = 64;

/// The newest table that `reports` tell of.
const CellReport* newest_of(const CellReports& reports) {
  const CellReport* newest = nullptr;
  for (const auto& [cell, report] : reports) {
    if (newest == nullptr || report.version > newest->version) newest = &report;
  }
  return newest;
}

/// Reads the newest table, sets the next one, and waits until a manager has it in its books.
class SharePending final : public CellsPending {
 public:
  SharePending(AgentServices& agent, ClassEdit edit)
      : CellsPending(agent, {}, kReadWait),
        edit_(std::move(edit)),
        until_(agent.now() + kKeepWait) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    if (table_.version == 0) {
      if (auto set = set_table(agent); !set) {
        reply.fail(set.error());
        return false;
      }
    } else if (const CellReport* newest = newest_of(walk().reports())) {
      if (newest->version >= table_.version) return end(*newest, reply);
    }
    // It is set here and spreads by gossip; that no books have it yet is told, and is no failure.
    if (agent.now() + kKeepPause >= until_) {
      Json said = told();
      said["kept_by"] = nullptr;
      reply.end(std::move(said));
      return false;
    }
    walk_again(agent.now() + kKeepPause, kReadWait);
    return true;
  }

 private:
  Result<void> set_table(AgentServices& agent) {
    sched::books::Classes known = agent.peer().classes();
    const CellReport* newest = newest_of(walk().reports());
    if (newest != nullptr && newest->version > known.version) known = table_of(*newest);
    // A table has a version: edition and chance. Two operators that set it at the same time make
    // different ones, and one of both wins everywhere.
    auto made = edited(known, edit_, agent.draw());
    if (!made) return tl::unexpected(made.error());
    table_ = std::move(*made);
    return agent.set_classes(table_);
  }

  bool end(const CellReport& keeper, const Reply& reply) const {
    const bool same_time = keeper.version != table_.version &&
        sched::edition_of(keeper.version) == sched::edition_of(table_.version);
    if (same_time) {
      reply.fail({ErrorKind::conflict,
          "somebody else changed the classes at the same time; look at `dunlin share list`, and "
          "set yours again"});
      return false;
    }
    Json said = told();
    said["kept_by"] = to_string(keeper.cell);
    reply.end(std::move(said));
    return false;
  }

  Json told() const { return edit_.plan ? plan_rule_json(table_) : classes_json(table_); }

  ClassEdit edit_;
  overlay::Time until_;
  sched::books::Classes table_;  ///< Its version is 0 until it is made.
};

/// The newest table that this node or a manager knows.
class ShareListPending final : public CellsPending {
 public:
  explicit ShareListPending(AgentServices& agent) : CellsPending(agent, {}, kReadWait) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    const auto& known = agent.peer().classes();
    const CellReport* newest = newest_of(walk().reports());
    const bool newer = newest != nullptr && newest->version > known.version;
    reply.end(classes_json(newer ? table_of(*newest) : known));
    return false;
  }
};

/// The newest rule of plans, and the last plan of each cell that plans.
class PlanPending final : public CellsPending {
 public:
  explicit PlanPending(AgentServices& agent) : CellsPending(agent, {.plan = true}, kReadWait) {
    (void)ask_all(agent);  // Names, by the time the cells have answered.
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!walk_on(agent)) return true;
    const auto& known = agent.peer().classes();
    const CellReport* newest = newest_of(walk().reports());
    const bool newer = newest != nullptr && newest->version > known.version;
    Json said = plan_rule_json(newer ? table_of(*newest) : known);
    said["cells"] =
        plans_json(walk().reports(), [&](overlay::PeerId node) { return agent.name_of(node); });
    said["silent"] = silent_json(walk().silent());
    reply.end(std::move(said));
    return false;
  }
};

/// Which of the words of `Word`, as the schema has them, the member `key` says.
template <typename Word, std::size_t Size>
Word word_in(const std::string_view (&words)[Size],
    const std::string& said,
    Args& args,
    std::string_view key) {
  const auto at = std::ranges::find(words, said);
  if (at != std::end(words)) return static_cast<Word>(at - std::begin(words));
  std::string known;
  for (const std::string_view word : words)
    known += (known.empty() ? "" : ", ") + std::string(word);
  args.fail(key, "one of " + known);
  return Word{};
}

}  // namespace

PendingResult handle_plan_set(AgentServices& agent, ControlSession& session, Args& args) {
  using sched::books::PlanRule;
  PlanRule rule;
  rule.policy =
      word_in<sched::books::PlanPolicy>(kPlanPolicyWords, args.text("policy", 31), args, "policy");
  if (args.has("spare")) {
    rule.spare =
        word_in<sched::books::PlanSpare>(kPlanSpareWords, args.text("spare", 31), args, "spare");
  }
  rule.reserve = static_cast<std::uint16_t>(
      args.number("reserve", 0, sched::kPlanReserveMax, sched::plan_rule({}).reserve));
  rule.horizon = overlay::Duration{
      args.number("horizon_ns", 1, overlay::Duration(std::chrono::hours(24 * 365)).count(),
          sched::plan_rule({}).horizon.count())};
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  note_action(agent, session.speaker(),
      {.verb = "plan_set",
          .object = std::string(kPlanPolicyWords[static_cast<std::size_t>(rule.policy)])});
  return std::make_unique<SharePending>(agent, ClassEdit{.set = {}, .remove = {}, .plan = rule});
}

PendingResult handle_plan(AgentServices& agent, ControlSession&, Args&) {
  return std::make_unique<PlanPending>(agent);
}

PendingResult handle_share_set(AgentServices& agent, ControlSession& session, Args& args) {
  ClassEdit edit;
  const Json& set = args.list("set", kEditsMax);
  for (std::size_t i = 0; i < set.size(); ++i) {
    Args each = args.element("set", set, i);
    edit.set.emplace_back(each.text("name", 255), each.number("weight", 1, kWeightMax));
  }
  edit.remove = args.texts("remove", kEditsMax);
  if (edit.set.empty() && edit.remove.empty()) args.fail("set", "a list of classes");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  std::string object;
  for (const auto& [name, weight] : edit.set) {
    object += (object.empty() ? "" : " ") + name + " " + std::to_string(weight);
  }
  for (const std::string& name : edit.remove) object += (object.empty() ? "-" : " -") + name;
  note_action(agent, session.speaker(), {.verb = "share_set", .object = std::move(object)});
  return std::make_unique<SharePending>(agent, std::move(edit));
}

PendingResult handle_share_list(AgentServices& agent, ControlSession&, Args&) {
  return std::make_unique<ShareListPending>(agent);
}

}  // namespace dunlin::node
