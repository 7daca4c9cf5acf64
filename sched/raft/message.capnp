@0xb3d86a0f5c2e7914;
# The RPCs between the replicas of one Raft group (Ongaro 2014, figure 3.1, sections 3.10, 5.3 and
# 9.6). Plain structs and the codec derive from this file.
#
#   candidate -> voter      RequestVote       may I lead?  -> RequestVoteResult
#   leader -> follower      AppendEntries     and heartbeat -> AppendEntriesResult
#   leader -> follower      InstallSnapshot   a piece of it -> AppendEntriesResult, once it is whole
#   leader -> follower      TimeoutNow        take over from me
#
# Each carries at most kRpcDataMax bytes of entries or snapshot (sched/raft/raft_store.h). Longer
# ones go in several messages.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::sched::raft::wire");
$Plain.namespace("dunlin::sched::raft");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Header {
  group @0 :UInt64;            # The group, that is, the books.
  sender @1 :UInt64;           # Replicas, not nodes: a disk that was lost is another replica.
  receiver @2 :UInt64;
  term @3 :UInt64;             # The sender's term; in a pre-vote the term it would have.
}

enum MemberRole {
  standby @0;                  # Has the log, has no vote.
  voter @1;
  spare @2;                    # Has neither.
}

struct Member {
  replica @0 :UInt64;
  node @1 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
  role @5 :MemberRole;
}

enum EntryKind {
  command @0;                  # Goes to the state machine.
  barrier @1;                  # No content: it commits the entries before it.
  change @2;                   # A change of the members.
}

struct Entry {
  term @0 :UInt64;
  kind @1 :EntryKind;
  data @2 :Data $Plain.atMost(163840);
}

struct RequestVote {
  header @0 :Header;
  lastIndex @1 :UInt64;        # The end of the candidate's log.
  lastTerm @2 :UInt64;
  preVote @3 :Bool;            # Only asks if an election would be worth while.
  disruptLeader @4 :Bool;      # The leader itself asked for this election.
}

struct RequestVoteResult {
  header @0 :Header;
  granted @1 :Bool;
  preVote @2 :Bool;
}

struct AppendEntries {
  header @0 :Header;
  previousIndex @1 :UInt64;    # The entry before these.
  previousTerm @2 :UInt64;
  commit @3 :UInt64;           # The leader's commit index.
  entries @4 :List(Entry) $Plain.atMost(512) $Plain.heap;
}

struct AppendEntriesResult {
  header @0 :Header;
  rejected @1 :UInt64;         # The index that did not match, or 0.
  lastIndex @2 :UInt64;        # The end of the follower's durable log.
}

struct InstallSnapshot {
  header @0 :Header;
  index @1 :UInt64;            # The last entry that it stands for.
  term @2 :UInt64;             # The term of that entry.
  configurationIndex @3 :UInt64;
  members @4 :List(Member) $Plain.atMost(16) $Plain.heap;
  checksum @5 :UInt32;         # The checksum of the whole snapshot.
  size @6 :UInt32;             # The size of all the data.
  offset @7 :UInt32;           # The place of this piece.
  data @8 :Data $Plain.atMost(196608);
}

struct TimeoutNow {
  header @0 :Header;
  lastIndex @1 :UInt64;        # The end of the leader's log.
  lastTerm @2 :UInt64;
}

struct Rpc {
  union {
    requestVote @0 :RequestVote;
    requestVoteResult @1 :RequestVoteResult;
    appendEntries @2 :AppendEntries;
    appendEntriesResult @3 :AppendEntriesResult;
    installSnapshot @4 :InstallSnapshot;
    timeoutNow @5 :TimeoutNow;
  }
}
