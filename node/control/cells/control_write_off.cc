// SPDX-License-Identifier: MIT
#include <charconv>

#include "node/control/cells/cell_audit.h"
#include "node/control/cells/cell_json.h"
#include "node/control/cells/control_cells.h"
#include "node/ids.h"
#include "sched/cell/cell_node.h"
#include "sched/peer.h"

// A cell that is lost for good, as an operator says so.
namespace dunlin::node {
namespace {

/// To read all books, and to write into some of them.
constexpr std::chrono::seconds kAnswerWait{3};
constexpr std::chrono::seconds kWriteWait{15};
constexpr std::chrono::milliseconds kWritePause{500};

/// Asks every cell that knows of the lost one, again and again, until all have it in their books.
class WriteOffPending final : public CellsPending {
 public:
  WriteOffPending(AgentServices& agent, sched::CellId lost, bool reissue)
      : CellsPending(agent, {.partners = true}, kAnswerWait),
        lost_(lost),
        reissue_(reissue),
        until_(agent.now() + kWriteWait) {}

  bool on_write_off_answer(overlay::PeerId, const WriteOffAnswer& answer) override {
    if (answer.request != request_) return false;
    if (refusal_.empty()) refusal_ = answer.refusal;
    return true;
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!refusal_.empty()) {
      reply.fail({ErrorKind::conflict, refusal_});
      return false;
    }
    if (!walk_on(agent)) return true;
    const CellTraces traces = traces_of(walk().reports(), lost_);
    if (const auto no = why_not(traces)) {
      reply.fail(*no);
      return false;
    }
    if (request_ == 0) {
      request_ = agent.draw() | 1;
      first_ = traces;
    }
    const bool late = agent.now() + kWritePause >= until_;
    if (traces.open.empty() || late) {
      reply.end(
          {{"cell", to_string(lost_)}, {"holders", first_.open.size()}, {"back", first_.under_way},
              {"written_off", traces.open.empty()}, {"silent", silent_json(others_silent())}});
      return false;
    }
    for (const auto& [cell, manager] : traces.open) {
      agent.send(walk().where(manager),
          Message(WriteOff{.request = request_, .cell = cell, .lost = lost_, .reissue = reissue_}));
    }
    walk_again(agent.now() + kWritePause, kAnswerWait);
    return true;
  }

 private:
  std::optional<Error> why_not(const CellTraces& traces) const {
    const std::string name = "cell " + to_string(lost_);
    if (traces.manager && request_ == 0) {
      return Error{ErrorKind::conflict,
          name + " has a manager: it is not lost. Only what nobody can start again is written off"};
    }
    if (!traces.open.empty() || !traces.done.empty()) return std::nullopt;
    return Error{ErrorKind::not_found,
        "no cell that answers knows of " + name + "; `dunlin audit` names those that are missing"};
  }

  std::map<sched::CellId, std::string> others_silent() const {
    auto silent = walk().silent();
    silent.erase(lost_);
    return silent;
  }

  sched::CellId lost_;
  bool reissue_;
  overlay::Time until_;
  std::uint64_t request_ = 0;  ///< 0 until all books were read once.
  CellTraces first_;
  std::string refusal_;
};

}  // namespace

PendingResult handle_cells_write_off(AgentServices& agent, ControlSession& session, Args& args) {
  const std::string text = args.text("cell", 16);
  const bool reissue = args.flag("reissue");
  sched::CellId lost;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lost.value, 16);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || text.size() != 16 || !lost) args.fail("cell", "all 16 digits of a cell's id");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (agent.peer().cells() == nullptr) {
    return failure(ErrorKind::not_found, "nobody shares: there are no cells");
  }
  note_action(agent, session.speaker(),
      {.verb = "cells_write_off", .object = text + (reissue ? ", reissued" : "")});
  return std::make_unique<WriteOffPending>(agent, lost, reissue);
}

}  // namespace dunlin::node
