// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine.h"

#include <algorithm>
#include <utility>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine_inbox.h"
#include "sched/raft/raft_engine_ticks.h"
#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

// libraft decides, and this class lends it everything else: a turn's ports for input and output,
// and a machine to feed. Each call enters a turn, lets libraft act, and completes all that libraft
// asked for before it returns; so no callback outlives a call, and a run repeats exactly.
// A leader becomes the manager by a claim, an entry of its own term. When the claim is applied, the
// leader has applied all that was committed before it; only then epoch() says that it is the
// manager, and commands are accepted.
// Source: Ongaro 2014, sections 3 (Raft), 4 (members), 6.4 (a leader commits an entry of its term
// first).
namespace dunlin::sched {
namespace {

unsigned milliseconds(Duration duration) {
  return static_cast<unsigned>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

}  // namespace

/// A command or a claim, until libraft tells its fate.
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
      machine_(std::move(machine), log_),
      changes_(raft_, log_, machine_) {
  machine_.serve(raft_);
}

RaftEngine::~RaftEngine() {
  close();
}

// Everything that libraft knows comes from the log, so a replica can be closed and opened again at
// any moment (see make_way()).
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
  if (is_sole_voter(stored_members(log_), log_.state().replica)) begin_term();
  return raft_start(&raft_);
}

// libraft 0.15 lets a sole voter lead at once, in the term there is. A replica that is no member
// any more may have led in that term, so the sole voter begins one of its own.
void RaftEngine::begin_term() {
  log_.set_term(io_.turn().store, log_.state().term + 1);
  log_.set_vote(io_.turn().store, log_.state().replica);
  raft_.current_term = log_.state().term;
  raft_.voted_for = log_.state().vote;
}

void RaftEngine::close() {
  if (!open_) return;
  open_ = false;
  // Requests under way end as lost.
  raft_close(&raft_, [](::raft*) {});
  changes_.forget();
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
    align_heartbeats(raft_, woken_);
    const bool elects = raft_.state == RAFT_FOLLOWER &&
        woken_ - raft_.election_timer_start >= raft_.follower_state.randomized_election_timeout;
    if (elects && is_sole_voter(members(), log_.state().replica)) begin_term();
    io_.tick();
  });
}

// A claim is proposed once in each term. If it is lost, so is the leadership.
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
  return raft_answer(code, "propose a command");
}

Result<void> RaftEngine::change(
    const RaftTurn& turn, const std::function<Result<void>(RaftEngineChanges&)>& request) {
  Result<void> answer;
  act(turn, [&] { answer = request(changes_); });
  return answer;
}

Time RaftEngine::deadline() const {
  const auto next = next_tick(raft_);
  if (!next) return kNever;
  // libraft may do less in a tick than expected. The next tick is later in any case, so time goes
  // on.
  const auto after = std::max(*next, woken_ + 1);
  return Time(std::chrono::milliseconds(static_cast<std::int64_t>(after)));
}

RaftRole RaftEngine::role() const {
  switch (raft_.state) {
    case RAFT_FOLLOWER:
      return RaftRole::follower;
    case RAFT_CANDIDATE:
      return RaftRole::candidate;
    case RAFT_LEADER:
      return RaftRole::leader;
    default:
      return RaftRole::failed;
  }
}

std::optional<RaftMember> RaftEngine::leader() const {
  ReplicaId replica = 0;
  if (raft_.state == RAFT_LEADER) replica = raft_.id;
  if (raft_.state == RAFT_FOLLOWER) replica = raft_.follower_state.current_leader.id;
  if (replica == 0) return std::nullopt;
  for (const RaftMember& member : members()) {
    if (member.replica == replica) return member;
  }
  // The leader was added as a member by an entry that is not here yet.
  const Endpoint endpoint = io_.endpoint_of(replica, nullptr);
  return RaftMember{.replica = replica, .node = endpoint.id, .address = endpoint.address};
}

std::vector<RaftMember> RaftEngine::members() const {
  return members_of(raft_.configuration);
}

std::optional<Error> RaftEngine::trouble() const {
  if (machine_.trouble() || raft_.state != RAFT_UNAVAILABLE) return machine_.trouble();
  return Error{ErrorKind::corrupt,
      "raft: group " + hex_text(log_.state().group) + " stopped (" + raft_.errmsg +
          "): what it was sent contradicts what is committed here; remove this replica and add "
          "a new one",
      0};
}

}  // namespace dunlin::sched
