// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_io.h"

#include <algorithm>
#include <utility>

#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

// raft_io is libraft's idea of an operating system: a disk, a network, a clock and dice. Here all
// four are ports of the turn, so the simulator, the tests and the agent drive the same elections.
// libraft expects callbacks for what takes time. Nothing takes time here (records become durable
// with the turn), but a callback must not run inside the call that asked for it, where libraft
// holds half-changed state. So callbacks wait in a queue, and complete() runs them when libraft has
// returned. Requests without a callback are done when they return.
// Where libraft 0.15 is wrong on a network that reorders messages, the messages are put right on
// their way, each with its reason.
namespace dunlin::sched {
namespace {

/// Endpoints remembered, of members and of others.
constexpr std::size_t kHeardMax = 4 * kMembersMax;

RaftEngineIo& of(const raft_io* io) {
  return *static_cast<RaftEngineIo*>(io->impl);
}

}  // namespace

RaftEngineIo::RaftEngineIo(RaftLog& log, const Endpoint& self) : log_(log), self_(self) {
  io_.version = 1;
  io_.impl = this;
  set_lifecycle_calls();
  set_log_calls();
  set_message_and_snapshot_calls();
}

const RaftTurn& RaftEngineIo::turn() const {
  ensure(turn_ != nullptr, "libraft acts outside a turn");
  return *turn_;
}

void RaftEngineIo::set_lifecycle_calls() {
  io_.init = [](raft_io*, raft_id, const char*) { return 0; };
  io_.close = [](raft_io* io, raft_io_close_cb done) {
    ensure(of(io).done_.empty(), "closed in the middle of a turn");
    if (done != nullptr) done(io);
  };
  io_.load = [](raft_io* io, raft_term* term, raft_id* vote, raft_snapshot** snapshot,
                 raft_index* start, raft_entry** entries, std::size_t* count) {
    return of(io).load(term, vote, snapshot, start, entries, count);
  };
  io_.start = [](raft_io* io, unsigned, raft_io_tick_cb tick, raft_io_recv_cb receive) {
    of(io).tick_ = tick;
    of(io).receive_ = receive;
    return 0;
  };
  // establish() writes the first entry, and no call overrules a lost majority.
  io_.bootstrap = [](raft_io*, const raft_configuration*) { return RAFT_CANTBOOTSTRAP; };
  io_.recover = [](raft_io*, const raft_configuration*) { return RAFT_UNAUTHORIZED; };
  io_.time = [](raft_io* io) {
    const auto since = of(io).turn().now.time_since_epoch();
    return static_cast<raft_time>(std::chrono::floor<std::chrono::milliseconds>(since).count());
  };
  io_.random = [](raft_io* io, int min, int max) {
    const auto width = static_cast<std::uint32_t>(std::max(max - min, 1));
    return min + static_cast<int>(of(io).turn().rng.below(width));
  };
  io_.async_work = [](raft_io*, raft_io_async_work*, raft_io_async_work_cb) {
    return RAFT_INVALID;
  };
}

void RaftEngineIo::set_log_calls() {
  io_.set_term = [](raft_io* io, raft_term term) {
    of(io).log_.set_term(of(io).turn().store, term);
    return 0;
  };
  io_.set_vote = [](raft_io* io, raft_id vote) {
    of(io).log_.set_vote(of(io).turn().store, vote);
    return 0;
  };
  io_.append = [](raft_io* io, raft_io_append* request, const raft_entry* entries, unsigned count,
                   raft_io_append_cb done) {
    of(io).append({entries, count});
    of(io).later([request, done] { done(request, 0); });
    return 0;
  };
  io_.truncate = [](raft_io* io, raft_index index) {
    of(io).log_.truncate(of(io).turn().store, index);
    return 0;
  };
}

void RaftEngineIo::set_message_and_snapshot_calls() {
  io_.send = [](raft_io* io, raft_io_send* request, const raft_message* message,
                 raft_io_send_cb done) {
    of(io).send(*message);
    of(io).later([request, done] {
      if (done != nullptr) done(request, 0);
    });
    return 0;
  };
  io_.snapshot_put = [](raft_io* io, unsigned trailing, raft_io_snapshot_put* request,
                         const raft_snapshot* snapshot, raft_io_snapshot_put_cb done) {
    of(io).put_snapshot(*snapshot, trailing);
    of(io).later([io, trailing, request, done] {
      done(request, 0);
      // libraft 0.15 forgets that a change of members it had not seen committed is history now.
      if (trailing == 0) static_cast<::raft*>(io->data)->configuration_uncommitted_index = 0;
    });
    return 0;
  };
  io_.snapshot_get = [](raft_io* io, raft_io_snapshot_get* request, raft_io_snapshot_get_cb done) {
    ensure(of(io).log_.snapshot().has_value(), "a snapshot that was never taken");
    of(io).later([io, request, done] { done(request, make_snapshot(*of(io).log_.snapshot()), 0); });
    return 0;
  };
}

int RaftEngineIo::load(raft_term* term,
    raft_id* vote,
    raft_snapshot** snapshot,
    raft_index* start,
    raft_entry** entries,
    std::size_t* count) {
  std::vector<const RaftEntry*> pointers;
  for (const RaftEntry& entry : log_.entries()) pointers.push_back(&entry);
  *term = log_.state().term;
  *vote = log_.state().vote;
  *snapshot = log_.snapshot() ? make_snapshot(*log_.snapshot()) : nullptr;
  *start = log_.first();
  *entries = pointers.empty() ? nullptr : make_entries(pointers);
  *count = pointers.size();
  return 0;
}

void RaftEngineIo::receive(raft_message& message, RaftIndex reached) {
  reached_ = reached;
  receive_(&io_, &message);
  complete();
  reached_ = 0;
}

void RaftEngineIo::complete() {
  while (!done_.empty()) {
    const auto call = std::move(done_.front());
    done_.pop_front();
    call();
  }
}

void RaftEngineIo::send(const raft_message& message) {
  const Endpoint to = endpoint_of(message.server_id, message.server_address);
  if (!to.id) return;
  const raft::Header header{
      .group = log_.state().group, .sender = log_.state().replica, .receiver = message.server_id};
  for (raft::Rpc& rpc : rpcs_of(message, header)) {
    auto* const result = std::get_if<raft::AppendEntriesResult>(&rpc);
    // libraft 0.15 reports the length of the whole log. Its end may come from another leader, and
    // this leader would count entries that are not its own.
    if (result != nullptr && result->rejected == 0) {
      result->last_index = std::min(result->last_index, reached_);
    }
    // libraft also answers a pre-vote with the candidate's own term, so the candidate never hears
    // of a later one. Two voters, one with the better log and one with the later term, would wait
    // for each other for ever.
    auto* const vote = std::get_if<raft::RequestVoteResult>(&rpc);
    if (vote != nullptr && vote->pre_vote && !vote->granted) {
      vote->header.term = std::max(vote->header.term, log_.state().term);
    }
    turn().out.send(to, rpc);
  }
}

void RaftEngineIo::append(std::span<const raft_entry> entries) {
  std::vector<RaftEntry> made;
  for (const raft_entry& entry : entries) made.push_back(entry_of(entry));
  log_.append(turn().store, std::move(made));
}

void RaftEngineIo::put_snapshot(const raft_snapshot& snapshot, RaftIndex trailing) {
  // libraft has two uses for this call: a snapshot that it took itself, and (trailing 0) one that a
  // leader sent.
  if (trailing == 0) {
    log_.install(turn().store, snapshot_of(snapshot));
  } else {
    log_.take(turn().store, snapshot_of(snapshot), trailing);
  }
}

void RaftEngineIo::learn(
    ReplicaId replica, const Endpoint& endpoint, const raft_configuration& members) {
  heard_[replica] = endpoint;
  if (heard_.size() <= kHeardMax) return;
  const std::span known(members.servers, members.n);
  std::erase_if(heard_, [&](const auto& each) {
    return each.first != replica &&
        std::ranges::find(known, each.first, &raft_server::id) == known.end();
  });
}

Endpoint RaftEngineIo::endpoint_of(ReplicaId replica, const char* address) const {
  const auto found = heard_.find(replica);
  if (found != heard_.end()) return found->second;
  return parse_address_text(address == nullptr ? "" : address).value_or(Endpoint{});
}

}  // namespace dunlin::sched
