@0xa7c3d95e1b4f8260;
# What the nodes of a cell tell each other, and cells each other. The replicas of its books speak by
# the messages of /sched/raft/message.capnp. Plain structs and the codec derive from these files.
#
#   member -> manager       MemberReport      I am here, and used so much -> Lease
#   manager -> member       Lease             your grants, and who keeps the books
#   manager -> node         Enlist            keep a replica of the books -> Enlisted
#   manager -> replica      Discharge         it counts no more: forget it
#   node -> neighbour       Gossip            what I know of cells -> Gossip
#   anyone -> manager       SetClasses        who shares the cluster, and how
#   manager -> its child    Order             move savings of a class to another child
#   sender -> receiver      SavingsOffer      savings, until answered -> Verdict
#   replica -> manager      Resign            let me keep these books no longer -> Discharge, then
#   manager -> manager      WrittenOff        your books were declared lost: they count no more
#
# Level 0: members are nodes, named by their ids. Level n: they are cells of level n - 1, named by
# theirs, and their managers speak for them. The level of a cell is in its id (level_of()).

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Raft = import "/sched/raft/message.capnp";
using Roster = import "/sched/ledger/roster.capnp";
$Cxx.namespace("dunlin::sched::cell::wire");
$Plain.namespace("dunlin::sched::cell");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

struct Grant {
  classId @0 :UInt32;
  tickets @1 :Int64;
}

struct MemberReport {
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
  uses @11 :List(Roster.Use) $Plain.atMost(16) $Plain.heap;  # By class.
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
  sequence @4 :UInt64;         # The last report that came, 0: none.
  grantLife @5 :Int64 $Plain.cxx("Duration");  # Of the grants, from when that report was sent.
  period @6 :UInt64;           # Of the grants.
  grants @7 :List(Grant) $Plain.atMost(16) $Plain.heap;  # By class.
  classes @8 :Roster.Classes;         # Empty if the member has that version, or a higher one.
  contacts @9 :List(Roster.Contact) $Plain.atMost(8) $Plain.heap;  # Manager first, then the voters.
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
  classes @1 :Roster.Classes;
}

struct Order {
  cell @0 :UInt64;             # Whose savings ...
  parent @1 :UInt64;           # ... by order of this one,
  epoch @2 :UInt64;            # in this epoch of it.
  number @3 :UInt64;           # Greater than that of any before it in this epoch.
  to @4 :UInt64;
  contact @5 :Roster.Contact;         # Of its manager.
  classId @6 :UInt32;
  tickets @7 :Int64;
}

struct SavingsOffer {
  from @0 :UInt64;
  to @1 :UInt64;
  number @2 :UInt64;
  classId @3 :UInt32;
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
  manager @4 :Roster.Contact;
  size @5 :UInt32;             # Members.
  room @6 :UInt32;             # For more of them.
  dissolving @7 :Bool;
}

struct Gossip {
  # To a neighbour, now and then: what of cells is known lately, and who shares the cluster.
  hints @0 :List(Hint) $Plain.atMost(16) $Plain.heap;
  version @1 :UInt64;          # Of the class table known there.
  classes @2 :Roster.Classes;         # Empty unless the other is known to have an older one.
  reply @3 :Bool;              # It answers another: no answer to this, but perhaps the table.
}

struct Message {
  union {
    requestVote @0 :Raft.RequestVote;
    requestVoteResult @1 :Raft.RequestVoteResult;
    appendEntries @2 :Raft.AppendEntries;
    appendEntriesResult @3 :Raft.AppendEntriesResult;
    installSnapshot @4 :Raft.InstallSnapshot;
    timeoutNow @5 :Raft.TimeoutNow;
    memberReport @6 :MemberReport;
    lease @7 :Lease;
    enlist @8 :Enlist;
    enlisted @9 :Enlisted;
    discharge @10 :Discharge;
    setClasses @11 :SetClasses;
    order @12 :Order;
    savingsOffer @13 :SavingsOffer;
    verdict @14 :Verdict;
    gossip @15 :Gossip;
    resign @16 :Resign;
    writtenOff @17 :WrittenOff;
  }
}
