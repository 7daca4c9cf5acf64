@0xa7c3d95e1b4f8260;
# What the nodes of a cell tell each other, and cells each other; and what its directory keeps.
# Plain structs and the codec derive from this file.
#
# Between the replicas of one Raft group, its RPCs, which alone have a header (Ongaro 2014, figure
# 3.1, sections 3.10, 5.3 and 9.6):
#
#   candidate -> voter      RequestVote       may I lead?  -> RequestVoteResult
#   leader -> follower      AppendEntries     and heartbeat -> AppendEntriesResult
#   leader -> follower      InstallSnapshot   a piece of it -> AppendEntriesResult, once it is whole
#   leader -> follower      TimeoutNow        take over from me
#
# Each carries at most kRpcDataMax bytes of entries or snapshot (sched/cell/raft_store.h): what is
# more goes in several.
#
#   member -> manager       Renew             I am here, and used so much -> Lease
#   manager -> member       Lease             your grants, and who keeps the books
#   manager -> node         Enlist            keep a replica of the books -> Enlisted
#   manager -> replica      Discharge         it counts no more: forget it
#   node -> neighbour       Gossip            what I know of cells -> Gossip
#   anyone -> manager       SetClasses        who shares the cluster, and how
#   manager -> its child    Order             move savings of a class to another child
#   sender -> receiver      Offer             savings, until answered -> Verdict
#   replica -> manager      Resign            let me keep these books no longer -> Discharge, then
#   manager -> manager      WrittenOff        your books were declared lost: they count no more
#
# Level 0: members are nodes, named by their ids. Level n: they are cells of level n - 1, named by
# theirs, and their managers speak for them. The level of a cell is in its id (level_of()).

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::sched::cell::wire");
$Plain.namespace("dunlin::sched::cell");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/cell/books_types.h");

struct Header {
  group @0 :UInt64;            # Which books.
  sender @1 :UInt64;           # Replicas, not nodes: a disk that was lost is another replica.
  receiver @2 :UInt64;
  term @3 :UInt64;             # The sender's; in a pre-vote the one it would have.
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
  command @0;                  # For the state machine.
  barrier @1;                  # For nobody.
  change @2;                   # Of the members.
}

struct Entry {
  term @0 :UInt64;
  kind @1 :EntryKind;
  data @2 :Data $Plain.atMost(163840);
}

struct RequestVote {
  header @0 :Header;
  lastIndex @1 :UInt64;        # Of the candidate's log.
  lastTerm @2 :UInt64;
  preVote @3 :Bool;            # Only asks whether it would be worth while.
  disruptLeader @4 :Bool;      # The leader itself asked for this election.
}

struct RequestVoteResult {
  header @0 :Header;
  granted @1 :Bool;
  preVote @2 :Bool;
}

struct AppendEntries {
  header @0 :Header;
  previousIndex @1 :UInt64;    # Of the entry before these.
  previousTerm @2 :UInt64;
  commit @3 :UInt64;           # The leader's commit index.
  entries @4 :List(Entry) $Plain.atMost(512) $Plain.heap;
}

struct AppendEntriesResult {
  header @0 :Header;
  rejected @1 :UInt64;         # The index that did not match, or 0.
  lastIndex @2 :UInt64;        # Of the follower's durable log.
}

struct InstallSnapshot {
  header @0 :Header;
  index @1 :UInt64;            # Of the last entry it stands for.
  term @2 :UInt64;             # Of that entry.
  configurationIndex @3 :UInt64;
  members @4 :List(Member) $Plain.atMost(16) $Plain.heap;
  checksum @5 :UInt32;         # Of the whole snapshot.
  size @6 :UInt32;             # Of all the data.
  offset @7 :UInt32;           # Of this piece.
  data @8 :Data $Plain.atMost(196608);
}

struct TimeoutNow {
  header @0 :Header;
  lastIndex @1 :UInt64;        # Of the leader's log.
  lastTerm @2 :UInt64;
}

struct Contact {
  node @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
}

struct Class {
  # Who shares the cluster. Only the proportions of shares count.
  service @0 :UInt32;
  name @1 :Text $Plain.atMost(63);
  share @2 :Int64;
}

struct Classes {
  version @0 :UInt64;          # The highest wins, wherever it meets another.
  classes @1 :List(Class) $Plain.atMost(16) $Plain.heap;  # By service.
}

struct Use {
  # What a class did with a member in the last period, in tickets.
  service @0 :UInt32;
  used @1 :Int64;
  need @2 :Int64;              # What waits there beyond.
  balance @3 :Int64;           # From level 1: of its account in that cell.
  cpu @4 :Int64;               # CPU time of what ended, likewise in tickets.
}

struct Grant {
  service @0 :UInt32;
  tickets @1 :Int64;
}

struct Renew {
  cell @0 :UInt64;
  member @1 :UInt64 $Plain.cxx("PeerId");
  sequence @2 :UInt64;         # Greater than that of any before it.
  tickets @3 :Int64;           # What it has.
  leaving @4 :Bool;            # It counts on no grant any more, and wants to be no member.
  draining @5 :Bool;           # Of the node that speaks: let it keep no books.
  replica @6 :UInt64;          # Its replica of this cell's books, or 0.
  uptime @7 :Int64 $Plain.cxx("Duration");
  capacity @8 :Int64;          # Of the node that speaks, in tickets.
  size @9 :UInt32;             # From level 1: how many members the member has.
  version @10 :UInt64;         # Of its class table.
  uses @11 :List(Use) $Plain.atMost(16) $Plain.heap;  # By service.
  period @12 :UInt64;          # Of the grants under which it used that.
}

enum Standing {
  member @0;
  wait @1;                     # The books are being asked.
  full @2;
  elsewhere @3;                # This is not the manager: ask the first contact.
  gone @4;                     # Not, or no longer, a member.
  dissolved @5;                # The cell ends: leave it and find another.
}

struct Lease {
  cell @0 :UInt64;
  epoch @1 :UInt64;
  member @2 :UInt64 $Plain.cxx("PeerId");
  standing @3 :Standing;
  sequence @4 :UInt64;         # The last Renew that came, 0: none.
  term @5 :Int64 $Plain.cxx("Duration");  # Of the grants, from when that Renew was sent.
  period @6 :UInt64;           # Of the grants.
  grants @7 :List(Grant) $Plain.atMost(16) $Plain.heap;  # By service.
  classes @8 :Classes;         # Empty if the member has that version, or a higher one.
  contacts @9 :List(Contact) $Plain.atMost(8) $Plain.heap;  # Manager first, then the voters.
  version @10 :UInt64;         # Of the cell's class table.
}

struct Enlist {
  cell @0 :UInt64;
}

struct Enlisted {
  cell @0 :UInt64;
  replica @1 :UInt64;
}

struct Discharge {
  # By all that was committed up to that index, the replica does not count. One whose log goes
  # further may count again: it stays. Up to 0: it counts, but for a replica that wants to resign
  # the others are enough.
  cell @0 :UInt64;
  replica @1 :UInt64;
  index @2 :UInt64;
}

struct Resign {
  # Its node is about to stop. Said again until it is discharged, or cannot wait.
  cell @0 :UInt64;
  replica @1 :UInt64;
}

struct WrittenOff {
  # To the manager of books that came back after an operator had declared them lost.
  cell @0 :UInt64;
  by @1 :UInt64;               # The cell that wrote them off.
}

struct SetClasses {
  cell @0 :UInt64;             # 0: any that is managed there.
  classes @1 :Classes;
}

struct Order {
  cell @0 :UInt64;             # Whose savings ...
  parent @1 :UInt64;           # ... by order of this one,
  epoch @2 :UInt64;            # in this term of office.
  number @3 :UInt64;           # Greater than that of any before it in this term.
  to @4 :UInt64;
  contact @5 :Contact;         # Of its manager.
  service @6 :UInt32;
  tickets @7 :Int64;
}

struct Offer {
  from @0 :UInt64;
  to @1 :UInt64;
  number @2 :UInt64;
  service @3 :UInt32;
  tickets @4 :Int64;
  life @5 :Int64 $Plain.cxx("Duration");  # Until they expire.
  settledBelow @6 :UInt64;
}

struct Verdict {
  # Of the receiver's books, committed.
  from @0 :UInt64;             # The sender of the offer.
  to @1 :UInt64;
  number @2 :UInt64;
  accepted @3 :Bool;
}

struct Hint {
  # What gossip carries of a cell: enough to ask it, and never to be believed.
  cell @0 :UInt64;
  epoch @1 :UInt64;
  stamp @2 :UInt64;            # Greater than that of any before it in this epoch.
  age @3 :Int64 $Plain.cxx("Duration");  # Since the manager said so; grows on the way.
  manager @4 :Contact;
  size @5 :UInt32;             # Members.
  room @6 :UInt32;             # For more of them.
  dissolving @7 :Bool;
}

struct Gossip {
  # To a neighbour, now and then: what of cells is known lately, and who shares the cluster.
  hints @0 :List(Hint) $Plain.atMost(16) $Plain.heap;
  version @1 :UInt64;          # Of the class table known there.
  classes @2 :Classes;         # Empty unless the other is known to have an older one.
  reply @3 :Bool;              # It answers another: no answer to this, but perhaps the table.
}

# ---- the directory that is kept with the books ----

struct Admit {
  member @0 :UInt64 $Plain.cxx("PeerId");
  tickets @1 :Int64;           # Other ones than before: those are burned.
  contact @2 :Contact;         # Who speaks for it.
}

struct SetParent {
  parent @0 :UInt64;
  contacts @1 :List(Contact) $Plain.atMost(8) $Plain.heap;
}

struct Dissolve {
  into @0 :UInt64;             # The cell that gets the savings.
}

struct Close {
  # Nothing is left: the books end.
}

struct Missing {
  # A cell that was a member, was not heard of for a lease, and did not say that it leaves.
  cell @0 :UInt64;
  tickets @1 :Int64;           # What its nodes had.
  saved @2 :Int64;             # The savings that it last told of.
  since @3 :Int64 $Plain.cxx("Time");  # By the clock of these books.
}

struct Found {
  # It is there after all.
  cell @0 :UInt64;
}

struct Annul {
  # Another cell wrote these books off: nothing that is in them counts any more.
  by @0 :UInt64;
}

struct Entrance {
  member @0 :UInt64 $Plain.cxx("PeerId");
  contact @1 :Contact;
}

struct Directory {
  classes @0 :Classes;
  members @1 :List(Entrance) $Plain.atMost(1024) $Plain.heap;  # Those of the books, by id.
  parent @2 :UInt64;           # 0: none.
  parentContacts @3 :List(Contact) $Plain.atMost(8) $Plain.heap;
  dissolving @4 :Bool;
  into @5 :UInt64;
  closed @6 :Bool;
  missing @7 :List(Missing) $Plain.atMost(64) $Plain.heap;  # By cell.
}

struct Change {
  union {
    classes @0 :Classes;
    admit @1 :Admit;
    parent @2 :SetParent;
    dissolve @3 :Dissolve;
    close @4 :Close;
    missing @5 :Missing;
    found @6 :Found;
    annul @7 :Annul;
  }
}

struct Message {
  union {
    requestVote @0 :RequestVote;
    requestVoteResult @1 :RequestVoteResult;
    appendEntries @2 :AppendEntries;
    appendEntriesResult @3 :AppendEntriesResult;
    installSnapshot @4 :InstallSnapshot;
    timeoutNow @5 :TimeoutNow;
    renew @6 :Renew;
    lease @7 :Lease;
    enlist @8 :Enlist;
    enlisted @9 :Enlisted;
    discharge @10 :Discharge;
    setClasses @11 :SetClasses;
    order @12 :Order;
    offer @13 :Offer;
    verdict @14 :Verdict;
    gossip @15 :Gossip;
    resign @16 :Resign;
    writtenOff @17 :WrittenOff;
  }
}
