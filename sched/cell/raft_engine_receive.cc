// SPDX-License-Identifier: MIT
#include <variant>

#include "sched/cell/raft_check.h"
#include "sched/cell/raft_engine.h"
#include "sched/cell/raft_engine_wire.h"
#include "sched/cell/raft_members.h"

// What others say.
namespace dunlin::sched {

bool RaftEngine::meant_for_us(const Endpoint& from, const cell::Header& header) const {
  if (header.group != log_.state().group || header.receiver != log_.state().replica) return false;
  // A replica that has not heard of the sender's membership yet cannot tell.
  const raft_server* const sender = server(header.sender);
  if (sender == nullptr) return true;
  const auto endpoint = parse_address_text(sender->address);
  return endpoint && endpoint->id == from.id;
}

void RaftEngine::receive(const RaftTurn& turn, const Endpoint& from, const cell::Message& message) {
  const auto header = std::visit([](const auto& rpc) { return rpc.header; }, message);
  if (!plausible(message) || !meant_for_us(from, header)) return;
  if (raft_.state == RAFT_UNAVAILABLE) return;
  const auto* const append = std::get_if<cell::AppendEntries>(&message);
  const auto* const piece = std::get_if<cell::InstallSnapshot>(&message);
  const bool from_leader = append != nullptr || piece != nullptr;
  // There is one leader in a term, and it is here.
  if (from_leader && raft_.state == RAFT_LEADER && header.term == raft_.current_term) return;

  RaftSnapshot snapshot;
  RaftIndex reached = 0;
  if (append != nullptr) reached = append->previous_index + append->entries.size();
  if (piece != nullptr) {
    if (header.term < raft_.current_term) return;
    auto whole = pieces_.add(log_.state().group, *piece);
    if (!whole) return;
    reached = whole->index;
    snapshot = std::move(*whole);
  }
  act(turn, [&] {
    if (append != nullptr) make_way(*append);
    io_.learn(header.sender, from, raft_.configuration);
    const auto address = address_text(from);
    raft_message made = make_message(message, snapshot);
    made.server_address = address.c_str();
    io_.receive(made, reached);
  });
}

// Where a change of members was in the log and is not to be, libraft 0.15 goes wrong twice: it
// looks for the change before it in a log that may begin later, and after a restart it does not go
// back to that at all. So the replica begins again from what it has stored, less what is to go.
void RaftEngine::make_way(const cell::AppendEntries& message) {
  if (message.header.term < raft_.current_term) return;
  if (log_.term_of(message.previous_index) != message.previous_term) return;
  RaftIndex index = message.previous_index;
  for (const cell::Entry& entry : message.entries) {
    if (++index > log_.last()) return;
    const RaftTerm term = log_.term_of(index);
    if (term == 0 || term == entry.term) continue;
    if (index <= raft_.commit_index || log_.last_change() < index) return;
    close();
    log_.truncate(io_.turn().store, index);
    (void)open();
    return;
  }
}

}  // namespace dunlin::sched
