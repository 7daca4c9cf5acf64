@0xa7c3d95e1b4f8260;
# The messages between the nodes of a cell, and between cells. The replicas of its books use the
# messages of /sched/raft/message.capnp. Plain structs and the codec derive from these files.
#
#   member -> manager       MemberReport      I am here, and used so much -> Lease
#   manager -> member       Lease             your grants, and the keepers of the books
#   manager -> node         Enlist            keep a replica of the books -> Enlisted
#   manager -> replica      Discharge         it counts no more: forget it
#   manager -> replica      Excuse            it counts, and yet its node may stop
#   node -> neighbour       Gossip            what I know of cells -> Gossip
#   anyone -> manager       SetClasses        the classes and their shares
#   manager -> its child    Order             move savings of a class to another cell of nodes
#   sender -> receiver      SavingsOffer      savings, until answered -> Verdict
#   replica -> manager      Resign            let me keep these books no longer -> Discharge, Excuse
#   manager -> manager      WrittenOff        your books were declared lost: they count no more
#   replica of a log -> manager  LogRequest   change the entry of the log, or tell it -> LogAnswer
#   manager -> manager      LogRequest        have the log of my cell, which ends -> LogAnswer
#   member -> manager       Claims            and what follows: see /sched/plan/message.capnp
#
# Level 0: members are nodes, named by their ids. Level n: they are cells of level n - 1, named by
# theirs, and their managers speak for them. The level of a cell is in its id (level_of()).

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Raft = import "/sched/raft/message.capnp";
using Roster = import "/sched/ledger/roster.capnp";
using Plan = import "/sched/plan/message.capnp";
using Work = import "/sched/work.capnp";
$Cxx.namespace("dunlin::sched::cell::wire");
$Plain.namespace("dunlin::sched::cell");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

struct Grant {
  classId @0 :UInt32;
  tickets @1 :Int64;
}

struct Neediest {
  # The cell of nodes that uses most of its share of a class, and the contact of its manager.
  classId @0 :UInt32;
  cell @1 :UInt64 $Plain.cxx("CellId");
  contact @2 :Roster.Contact;
}

struct MemberReport {
  cell @0 :UInt64 $Plain.cxx("CellId");
  member @1 :UInt64 $Plain.cxx("MemberId");
  sequence @2 :UInt64;         # Greater than that of any before it.
  tickets @3 :Int64;           # Its tickets.
  leaving @4 :Bool;            # It counts on no grant any more, and wants to be no member.
  draining @5 :Bool;           # The speaking node drains: let it keep no books.
  replica @6 :UInt64;          # Its replica of this cell's books, or 0.
  uptime @7 :Int64 $Plain.cxx("Duration");
  capacity @8 :Int64;          # The speaking node's, in tickets.
  size @9 :UInt32;             # From level 1: how many members the member has.
  version @10 :UInt64;         # The version of its class table.
  uses @11 :List(Roster.Use) $Plain.atMost(16) $Plain.heap;  # By class.
  period @12 :UInt64;          # The grants under which it used that.
  # From level 1: the neediest of the cells of nodes below the member, by class.
  neediest @13 :List(Neediest) $Plain.atMost(16) $Plain.heap;
  slots @14 :Work.SlotCounts;  # The speaking node's.
  machine @15 :UInt64;         # The speaking node's: those of one machine say the same; 0: unknown.
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
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  member @2 :UInt64 $Plain.cxx("MemberId");
  standing @3 :Standing;
  sequence @4 :UInt64;         # The last report that came, 0: none.
  # Life of the grants, from the sending of that report.
  grantLife @5 :Int64 $Plain.cxx("Duration");
  period @6 :UInt64;           # The period of the grants.
  grants @7 :List(Grant) $Plain.atMost(16) $Plain.heap;  # By class.
  classes @8 :Roster.Classes;         # Empty if the member has that version, or a higher one.
  contacts @9 :List(Roster.Contact) $Plain.atMost(8) $Plain.heap;  # Manager first, then voters.
  version @10 :UInt64;         # The version of the cell's class table.
}

struct Enlist {
  cell @0 :UInt64 $Plain.cxx("CellId");
}

struct Enlisted {
  cell @0 :UInt64 $Plain.cxx("CellId");
  replica @1 :UInt64;
}

struct Discharge {
  # The replica does not count, by everything committed up to that index. A replica with a longer
  # log may count again, so it stays.
  cell @0 :UInt64 $Plain.cxx("CellId");
  replica @1 :UInt64;
  index @2 :UInt64;
}

struct Resign {
  # Its node is about to stop. Said again until it is discharged or excused, or cannot wait.
  cell @0 :UInt64 $Plain.cxx("CellId");
  replica @1 :UInt64;
}

struct Excuse {
  # To a replica that resigned, and that no node can replace: its vote still counts, but the others
  # are enough without it.
  cell @0 :UInt64 $Plain.cxx("CellId");
  replica @1 :UInt64;
}

struct WrittenOff {
  # To the manager of books that came back after an operator had declared them lost.
  cell @0 :UInt64 $Plain.cxx("CellId");
  by @1 :UInt64 $Plain.cxx("CellId");  # The cell that wrote them off.
}

struct SetClasses {
  cell @0 :UInt64 $Plain.cxx("CellId");  # 0: any that is managed there.
  classes @1 :Roster.Classes;
}

struct Order {
  cell @0 :UInt64 $Plain.cxx("CellId");  # The cell with these savings ...
  parent @1 :UInt64 $Plain.cxx("CellId");  # ... by order of this one,
  epoch @2 :UInt64;            # in this epoch of it.
  number @3 :UInt64;           # Greater than that of any before it in this epoch.
  to @4 :UInt64 $Plain.cxx("CellId");  # The cell of nodes that gets them.
  contact @5 :Roster.Contact;         # The contact of its manager.
  classId @6 :UInt32;
  tickets @7 :Int64;
}

struct SavingsOffer {
  from @0 :UInt64 $Plain.cxx("CellId");
  to @1 :UInt64 $Plain.cxx("CellId");
  number @2 :UInt64;
  classId @3 :UInt32;
  tickets @4 :Int64;
  life @5 :Int64 $Plain.cxx("Duration");  # Until they expire.
  settledBelow @6 :UInt64;
  alone @7 :Bool;              # No other is under way to that cell, ...
  sent @8 :Int64;              # ... which has taken so many tickets before this.
}

struct Verdict {
  # The decision in the receiver's books, committed.
  from @0 :UInt64 $Plain.cxx("CellId");  # The sender of the offer.
  to @1 :UInt64 $Plain.cxx("CellId");
  number @2 :UInt64;
  accepted @3 :Bool;
  below @4 :UInt64;            # Not 0: all below it are known from an earlier life of the sender's
  received @5 :Int64;          # books, and so many tickets of them were taken.
}

struct AskLog {
  log @0 :UInt64;
}

struct LogWish {
  union {
    ask @0 :AskLog;
    open @1 :Roster.OpenLog;
    changeSet @2 :Roster.ChangeLogSet;
    takeOver @3 :Roster.TakeOverLog;
    close @4 :Roster.CloseLog;
    lose @5 :Roster.LoseLog;
    raiseFloor @6 :Roster.RaiseLogFloor;
    accept @7 :Roster.AcceptLog;  # Of the manager of a cell that ends.
  }
}

struct LogRequest {
  # Asked again until it is answered: a command that was applied changes nothing a second time.
  cell @0 :UInt64 $Plain.cxx("CellId");  # The one whose books have the entry.
  wish @1 :LogWish;
  request @2 :UInt64;          # Grows with each of this replica.
  handedOver @3 :Bool;         # Of takeOver: the home itself asked for it.
  asker @4 :UInt64 $Plain.cxx("CellId");  # The cell whose manager asks; 0: a replica of the log.
}

enum LogStanding {
  known @0;
  unknown @1;                  # These books have no such log.
  elsewhere @2;                # This is not the manager: ask the contact, if there is one.
}

struct Keeper {
  # A node that votes on books.
  node @0 :UInt64 $Plain.cxx("PeerId");
  machine @1 :UInt64;          # As in MemberReport.
}

struct LogAnswer {
  # The entry as committed, whether the command was applied or not. Told unasked, too, when the log
  # has moved to the books of another cell.
  cell @0 :UInt64 $Plain.cxx("CellId");
  log @1 :UInt64;
  standing @2 :LogStanding;
  entry @3 :Roster.LogEntry;   # Of a known log.
  contacts @4 :List(Roster.Contact) $Plain.atMost(8) $Plain.heap;  # The replicas of the books.
  request @5 :UInt64;          # The one that this answers.
  voters @6 :UInt8;            # Of the books, as far as all of them know it: two bear no loss.
  asker @7 :UInt64 $Plain.cxx("CellId");  # As in the request.
  ending @8 :Bool;             # The cell is about to end: it gives its logs away.
  # The voters of the books and their machines, as far as the manager heard of them; none while they
  # change.
  keepers @9 :List(Keeper) $Plain.atMost(16) $Plain.heap;
  tellsKeepers @10 :Bool;      # Older builds tell the number of voters alone.
}

struct Hint {
  # The content of gossip about a cell: enough to ask it, and never to be believed.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  stamp @2 :UInt64;            # Greater than that of any before it in this epoch.
  age @3 :Int64 $Plain.cxx("Duration");  # Since the manager said so; grows on the way.
  manager @4 :Roster.Contact;
  size @5 :UInt32;             # Members.
  room @6 :UInt32;             # Room for more members.
  dissolving @7 :Bool;
  spare @8 :UInt32;            # Slots that its plan gives to no job.
}

struct Gossip {
  # To a neighbour, now and then: hints of cells heard of lately, and the class table.
  hints @0 :List(Hint) $Plain.atMost(16) $Plain.heap;
  version @1 :UInt64;          # The version of the class table known there.
  classes @2 :Roster.Classes;         # Empty unless the other is known to have an older one.
  reply @3 :Bool;              # It answers another: no answer to this, but perhaps the table.
  needs @4 :UInt16;            # What needs cells, by bits: see sched/cell/cell_needs.h.
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
    excuse @18 :Excuse;
    logRequest @19 :LogRequest;
    logAnswer @20 :LogAnswer;
    claims @21 :Plan.Claims;
    allotments @22 :Plan.Allotments;
    invite @23 :Plan.Invite;
  }
}
