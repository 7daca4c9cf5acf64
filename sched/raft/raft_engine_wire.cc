// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_wire.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_members.h"
#include "sched/raft/snapshot_pieces.h"

// Every copy at this border is deep. libraft frees what it is given with free(), in callbacks of
// its own choosing, and keeps pointers into what it gives; sharing memory with it would tie our
// lifetimes to its version. Cells exchange a few entries a second, so copies cost nothing that
// matters.
namespace dunlin::sched {
namespace {

/// Memory that libraft may free, zeroed, because libraft reads fields that we do not set. A size of
/// 0 gets an address, too.
template <typename T>
T* allocate(std::size_t count) {
  auto* const made = static_cast<T*>(raft_calloc(std::max<std::size_t>(count, 1), sizeof(T)));
  ensure(made != nullptr, "out of memory");
  return made;
}

unsigned short type_of(EntryKind kind) {
  switch (kind) {
    case EntryKind::command:
      return RAFT_COMMAND;
    case EntryKind::barrier:
      return RAFT_BARRIER;
    case EntryKind::change:
      return RAFT_CHANGE;
  }
  return RAFT_COMMAND;
}

/// libraft knows no kinds of entries but these three.
EntryKind kind_of(unsigned short type) {
  if (type == RAFT_CHANGE) return EntryKind::change;
  return type == RAFT_BARRIER ? EntryKind::barrier : EntryKind::command;
}

/// A long list goes in several messages, each of which follows the one before it.
std::vector<raft::Rpc> append_entries(const raft_append_entries& args, const raft::Header& header) {
  std::vector<raft::Rpc> rpcs;
  raft::AppendEntries rpc{.header = header,
      .previous_index = args.prev_log_index,
      .previous_term = args.prev_log_term,
      .commit = args.leader_commit,
      .entries = {}};
  std::size_t size = 0;
  for (unsigned i = 0; i < args.n_entries; ++i) {
    RaftEntry entry = entry_of(args.entries[i]);
    if (rpc.entries.size() == raft::AppendEntries::kEntriesMax ||
        size + entry.data.size() > kRpcDataMax) {
      rpcs.push_back(rpc);
      rpc.previous_index += rpc.entries.size();
      rpc.previous_term = rpc.entries.back().term;
      rpc.entries.clear();
      size = 0;
    }
    size += entry.data.size();
    rpc.entries.push_back({entry.term, entry.kind, std::move(entry.data)});
  }
  rpcs.push_back(std::move(rpc));
  return rpcs;
}

RaftSnapshot snapshot_of(const raft_install_snapshot& args) {
  return {.index = args.last_index,
      .term = args.last_term,
      .configuration_index = args.conf_index,
      .members = members_of(args.conf),
      .data = std::string(view_of(args.data))};
}

/// Fills in the message that libraft shall get for `rpc`, one function for each kind.
void fill(raft_message& to, const raft::AppendEntries& rpc) {
  std::vector<RaftEntry> entries;
  std::vector<const RaftEntry*> pointers;
  for (const raft::Entry& entry : rpc.entries) {
    entries.push_back({.term = entry.term, .kind = entry.kind, .data = entry.data});
  }
  for (const RaftEntry& entry : entries) pointers.push_back(&entry);
  to.type = RAFT_IO_APPEND_ENTRIES;
  to.append_entries = {.term = rpc.header.term,
      .prev_log_index = rpc.previous_index,
      .prev_log_term = rpc.previous_term,
      .leader_commit = rpc.commit,
      .entries = entries.empty() ? nullptr : make_entries(pointers),
      .n_entries = static_cast<unsigned>(entries.size())};
}

void fill(raft_message& to, const raft::AppendEntriesResult& rpc) {
  to.type = RAFT_IO_APPEND_ENTRIES_RESULT;
  to.append_entries_result = {
      .term = rpc.header.term, .rejected = rpc.rejected, .last_log_index = rpc.last_index};
}

void fill(raft_message& to, const raft::RequestVote& rpc) {
  to.type = RAFT_IO_REQUEST_VOTE;
  to.request_vote = {.term = rpc.header.term,
      .candidate_id = rpc.header.sender,
      .last_log_index = rpc.last_index,
      .last_log_term = rpc.last_term,
      .disrupt_leader = rpc.disrupt_leader,
      .pre_vote = rpc.pre_vote};
}

void fill(raft_message& to, const raft::RequestVoteResult& rpc) {
  to.type = RAFT_IO_REQUEST_VOTE_RESULT;
  to.request_vote_result = {.term = rpc.header.term,
      .vote_granted = rpc.granted,
      .pre_vote = rpc.pre_vote ? raft_tribool_true : raft_tribool_false};
}

void fill(raft_message& to, const raft::TimeoutNow& rpc) {
  to.type = RAFT_IO_TIMEOUT_NOW;
  to.timeout_now = {
      .term = rpc.header.term, .last_log_index = rpc.last_index, .last_log_term = rpc.last_term};
}

/// The pieces have been put together already, so make_message() adds the snapshot itself.
void fill(raft_message& to, const raft::InstallSnapshot& rpc) {
  to.type = RAFT_IO_INSTALL_SNAPSHOT;
  to.install_snapshot.term = rpc.header.term;
}

}  // namespace

raft_buffer make_buffer(std::string_view bytes) {
  auto* const base = allocate<char>(bytes.size());
  std::ranges::copy(bytes, base);
  return {.base = base, .len = bytes.size()};
}

raft_configuration make_configuration(std::span<const RaftMember> members) {
  raft_configuration configuration{};
  raft_configuration_init(&configuration);
  for (const RaftMember& member : members) {
    const auto address = address_text({member.node, member.address});
    const int added = raft_configuration_add(
        &configuration, member.replica, address.c_str(), static_cast<int>(member.role));
    ensure(added == 0, "a member that libraft does not like");
  }
  return configuration;
}

// libraft has no field for a node's id, so it is read back from the text of the address.
std::vector<RaftMember> members_of(const raft_configuration& configuration) {
  std::vector<RaftMember> members;
  for (const raft_server& server : std::span(configuration.servers, configuration.n)) {
    const auto endpoint = parse_address_text(server.address);
    if (!endpoint) continue;
    members.push_back({.replica = server.id,
        .node = endpoint->id,
        .address = endpoint->address,
        .role = static_cast<MemberRole>(server.role)});
  }
  return members;
}

RaftEntry entry_of(const raft_entry& entry) {
  const EntryKind kind = kind_of(entry.type);
  std::string data(view_of(entry.buf));
  if (kind == EntryKind::change) {
    // libraft leaves its padding as it was in memory, so equal members could have different bytes.
    const auto members = decode_members(data);
    ensure(members.has_value(), "members that libraft wrote and we cannot read");
    data = encode_members(*members);
  }
  return {.term = entry.term, .kind = kind, .data = std::move(data)};
}

// libraft frees entries by the block, so all contents stand in one, which each entry names.
raft_entry* make_entries(std::span<const RaftEntry* const> entries) {
  std::size_t total = 0;
  for (const RaftEntry* const entry : entries) total += entry->data.size();
  auto* const made = allocate<raft_entry>(entries.size());
  auto* const batch = allocate<char>(total);
  char* at = batch;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const RaftEntry& entry = *entries[i];
    made[i] = {.term = entry.term,
        .type = type_of(entry.kind),
        .buf = {.base = at, .len = entry.data.size()},
        .batch = batch};
    at = std::ranges::copy(entry.data, at).out;
  }
  return made;
}

RaftSnapshot snapshot_of(const raft_snapshot& snapshot) {
  RaftSnapshot made{.index = snapshot.index,
      .term = snapshot.term,
      .configuration_index = snapshot.configuration_index,
      .members = members_of(snapshot.configuration)};
  for (const raft_buffer& buffer : std::span(snapshot.bufs, snapshot.n_bufs)) {
    made.data += view_of(buffer);
  }
  return made;
}

raft_snapshot* make_snapshot(const RaftSnapshot& snapshot) {
  auto* const made = allocate<raft_snapshot>(1);
  made->index = snapshot.index;
  made->term = snapshot.term;
  made->configuration = make_configuration(snapshot.members);
  made->configuration_index = snapshot.configuration_index;
  made->bufs = allocate<raft_buffer>(1);
  made->bufs[0] = make_buffer(snapshot.data);
  made->n_bufs = 1;
  return made;
}

std::vector<raft::Rpc> rpcs_of(const raft_message& message, raft::Header header) {
  switch (message.type) {
    case RAFT_IO_APPEND_ENTRIES:
      header.term = message.append_entries.term;
      return append_entries(message.append_entries, header);
    case RAFT_IO_APPEND_ENTRIES_RESULT: {
      const raft_append_entries_result& args = message.append_entries_result;
      header.term = args.term;
      return {raft::AppendEntriesResult{header, args.rejected, args.last_log_index}};
    }
    case RAFT_IO_REQUEST_VOTE: {
      const raft_request_vote& args = message.request_vote;
      header.term = args.term;
      return {raft::RequestVote{
          header, args.last_log_index, args.last_log_term, args.pre_vote, args.disrupt_leader}};
    }
    case RAFT_IO_REQUEST_VOTE_RESULT: {
      const raft_request_vote_result& args = message.request_vote_result;
      header.term = args.term;
      return {
          raft::RequestVoteResult{header, args.vote_granted, args.pre_vote == raft_tribool_true}};
    }
    case RAFT_IO_INSTALL_SNAPSHOT: {
      header.term = message.install_snapshot.term;
      RaftSnapshot snapshot = snapshot_of(message.install_snapshot);
      snapshot.checksum = checksum_of(header.group, snapshot);
      return pieces_of(snapshot, header);
    }
    case RAFT_IO_TIMEOUT_NOW: {
      const raft_timeout_now& args = message.timeout_now;
      header.term = args.term;
      return {raft::TimeoutNow{header, args.last_log_index, args.last_log_term}};
    }
    default:
      return {};
  }
}

raft_message make_message(const raft::Rpc& message, const RaftSnapshot& snapshot) {
  raft_message made{};
  std::visit(
      [&made](const auto& rpc) {
        if constexpr (requires { rpc.header; }) {
          fill(made, rpc);
          made.server_id = rpc.header.sender;
        }
      },
      message);
  if (made.type == RAFT_IO_INSTALL_SNAPSHOT) {
    raft_install_snapshot& args = made.install_snapshot;
    args.last_index = snapshot.index;
    args.last_term = snapshot.term;
    args.conf_index = snapshot.configuration_index;
    args.conf = make_configuration(snapshot.members);
    args.data = make_buffer(snapshot.data);
  }
  return made;
}

}  // namespace dunlin::sched
