// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine.h"

#include <algorithm>
#include <utility>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

namespace dunlin::sched {
namespace {

unsigned milliseconds(Duration duration) {
  return static_cast<unsigned>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

/// A command or a claim until libraft says what became of it.
struct RaftEngine::Proposal {
  struct raft_apply request{};
  RaftEngine* engine;
  std::uint64_t id;
  bool is_claim;
};

RaftEngine::RaftEngine(const RaftParams& params,
    const Endpoint& self,
    StoredRaft stored,
    std::unique_ptr<StateMachine> machine)
    : params_(params),
      self_(self),
      log_(std::move(stored)),
      io_(log_, self),
      machine_(std::move(machine), log_) {
  machine_.serve(raft_);
}

RaftEngine::~RaftEngine() {
  close();
}

int RaftEngine::open() {
  const auto address = address_text(self_);
  raft_ = {};
  const int made =
      raft_init(&raft_, io_.library(), machine_.library(), log_.state().replica, address.c_str());
  if (made != 0) return made;
  open_ = true;
  raft_.tracer = &tracer_;
  raft_set_election_timeout(&raft_, milliseconds(params_.election_timeout));
  raft_set_heartbeat_timeout(&raft_, milliseconds(params_.heartbeat));
  raft_set_install_snapshot_timeout(&raft_, milliseconds(params_.snapshot_timeout));
  raft_set_snapshot_threshold(&raft_, params_.snapshot_threshold);
  raft_set_snapshot_trailing(&raft_, params_.snapshot_trailing);
  raft_set_max_catch_up_round_duration(&raft_, milliseconds(params_.catch_up_timeout));
  raft_set_pre_vote(&raft_, true);
  if (is_sole_voter(stored_members())) begin_term();
  return raft_start(&raft_);
}

bool RaftEngine::is_sole_voter(std::span<const RaftMember> members) const {
  const auto self = std::ranges::find(members, log_.state().replica, &RaftMember::replica);
  return self != members.end() && self->role == MemberRole::voter &&
      std::ranges::count(members, MemberRole::voter, &RaftMember::role) == 1;
}

std::vector<RaftMember> RaftEngine::stored_members() const {
  if (const RaftIndex change = log_.last_change(); change != 0) {
    return decode_members(log_.entries()[change - log_.first()].data).value();
  }
  return log_.snapshot() ? log_.snapshot()->members : std::vector<RaftMember>();
}

// libraft 0.15 lets a sole voter lead at once, in the term there is: in which another may have led
// that is no member any more.
void RaftEngine::begin_term() {
  log_.set_term(io_.turn().store, log_.state().term + 1);
  log_.set_vote(io_.turn().store, log_.state().replica);
  raft_.current_term = log_.state().term;
  raft_.voted_for = log_.state().vote;
}

void RaftEngine::close() {
  if (!open_) return;
  open_ = false;
  // All that is under way ends as lost.
  raft_close(&raft_, [](::raft*) {});
  change_pending_ = false;
  claimed_ = 0;
}

Result<void> RaftEngine::start(const RaftTurn& turn) {
  int code = 0;
  act(turn, [&] { code = open(); });
  if (code == 0) return {};
  if (machine_.trouble()) return tl::unexpected(*machine_.trouble());
  return failure(ErrorKind::corrupt,
      "raft: group " + hex_text(log_.state().group) + " does not start: " + raft_strerror(code));
}

void RaftEngine::wake(const RaftTurn& turn) {
  act(turn, [&] {
    woken_ = io_.library()->time(io_.library());
    align_heartbeats(woken_);
    const bool elects = raft_.state == RAFT_FOLLOWER &&
        woken_ - raft_.election_timer_start >= raft_.follower_state.randomized_election_timeout;
    if (elects && is_sole_voter(members())) begin_term();
    io_.tick();
  });
}

void RaftEngine::claim() {
  if (raft_.state != RAFT_LEADER || claimed_ == raft_.current_term) return;
  if (submit(0, claim_of(raft_.current_term), true) == 0) claimed_ = raft_.current_term;
}

int RaftEngine::submit(std::uint64_t id, const std::string& bytes, bool is_claim) {
  auto proposal = std::make_unique<Proposal>();
  proposal->engine = this;
  proposal->id = id;
  proposal->is_claim = is_claim;
  proposal->request.data = proposal.get();
  const raft_buffer buffer = make_buffer(bytes);
  const auto done = [](struct raft_apply* request, int status, void*) {
    const std::unique_ptr<Proposal> ended(static_cast<Proposal*>(request->data));
    RaftEngine& engine = *ended->engine;
    --engine.proposals_;
    if (ended->is_claim) return;
    const bool committed = status == 0;
    engine.outcomes_.push_back(
        {ended->id, committed, committed ? engine.machine_.result() : std::string()});
  };
  ++proposals_;
  const int code = raft_apply(&raft_, &proposal->request, &buffer, 1, done);
  if (code == 0) {
    (void)proposal.release();
  } else {
    --proposals_;
    raft_free(buffer.base);
  }
  return code;
}

Result<void> RaftEngine::propose(const RaftTurn& turn, std::uint64_t id, std::string_view command) {
  if (command.empty() || command.size() + RaftEngineMachine::kOverhead > kEntryMax) {
    return failure(ErrorKind::usage,
        "raft: a command of " + std::to_string(command.size()) + " bytes; it takes 1 to " +
            std::to_string(kEntryMax - RaftEngineMachine::kOverhead));
  }
  if (!epoch()) return failure(ErrorKind::refused, "raft: this node is not the manager");
  if (raft_.transfer != nullptr) {
    return failure(ErrorKind::refused, "raft: the manager is handing over; ask the next one");
  }
  if (proposals_ >= params_.proposals_max) {
    return failure(ErrorKind::refused,
        "raft: " + std::to_string(proposals_) + " commands wait for a majority; try again later");
  }
  int code = 0;
  act(turn, [&] { code = submit(id, command_of(raft_.current_term, command), false); });
  return answer(code, "propose a command");
}

}  // namespace dunlin::sched
