@0x9c41e7d20b8fa365;
# The roster of a cell, kept with its books: the members, the parent, the class table, the cells
# that are missing, and the homes of replicated logs. Voters change it by commands of the same log.
# Plain structs and the codec derive from this file.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::sched::books::wire");
$Plain.namespace("dunlin::sched::books");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

struct Contact {
  node @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
}

struct Class {
  # A class of jobs that shares the cluster. Only the proportions of shares count.
  classId @0 :UInt32;
  name @1 :Text $Plain.atMost(63);
  share @2 :Int64;
}

enum PlanPolicy {
  # See sched/plan/params.h.
  off @0;                      # No plan.
  priority @1;
  proportion @2;
  workload @3;
  deadline @4;
  edf @5;
  assured @6;
}

enum PlanSpare { deadline @0; priority @1; }

struct PlanRule {
  # How managers divide the slots of their cells among jobs: see docs/design/plans.md.
  policy @0 :PlanPolicy;
  spare @1 :PlanSpare;
  reserve @2 :UInt16;          # In thousandths, at most 1000.
  horizon @3 :Int64 $Plain.cxx("Duration");  # 0: no rule was ever set.
}

struct Classes {
  version @0 :UInt64;          # The highest wins wherever two meet.
  classes @1 :List(Class) $Plain.atMost(16) $Plain.heap;  # By class.
  plan @2 :PlanRule;
}

struct Use {
  # The use that a class made of a member in the last period, in tickets.
  classId @0 :UInt32;
  used @1 :Int64;
  need @2 :Int64;              # The tickets that its waiting tasks would use beyond.
  balance @3 :Int64;           # From level 1: the balance of its account in that cell.
  cpu @4 :Int64;               # CPU time of tasks that ended, likewise in tickets.
  soon @5 :Int64;              # At a node: the tickets beyond that it is expected to need shortly.
}

struct Admit {
  member @0 :UInt64 $Plain.cxx("MemberId");
  tickets @1 :Int64;           # If they differ from those before, those are burned.
  contact @2 :Contact;         # The node that speaks for it.
}

struct SetParent {
  parent @0 :UInt64 $Plain.cxx("CellId");
  contacts @1 :List(Contact) $Plain.atMost(8) $Plain.heap;
}

struct Dissolve {
  into @0 :UInt64 $Plain.cxx("CellId");  # The cell that gets the savings.
}

struct Close {
  # Nothing is left: the books end.
}

struct Missing {
  # A cell that was a member, was not heard of for a lease, and did not say that it leaves.
  cell @0 :UInt64 $Plain.cxx("CellId");
  tickets @1 :Int64;           # The tickets that its nodes had.
  saved @2 :Int64;             # The savings that it last told of.
  since @3 :Int64 $Plain.cxx("Time");  # By the clock of these books.
}

struct Found {
  # The cell is there after all.
  cell @0 :UInt64 $Plain.cxx("CellId");
}

struct Annul {
  # Another cell wrote these books off: nothing that is in them counts any more.
  by @0 :UInt64 $Plain.cxx("CellId");
}

struct LogMember {
  # A replica of a log of jobs, and the node that holds it: see sched/replica/log.h.
  replica @0 :UInt64;
  contact @1 :Contact;
}

struct LogEntry {
  # Which replica of a log drives its jobs, and which are in sync: see sched/replica/entry.h.
  log @0 :UInt64;              # Drawn by chance with the log.
  origin @1 :UInt64 $Plain.cxx("PeerId");  # The frontend that took its jobs.
  epoch @2 :UInt32;            # From 1; each takeover raises it.
  version @3 :UInt64;          # From 1; each change raises it.
  home @4 :UInt64;             # A replica of the set.
  set @5 :List(LogMember) $Plain.atMost(5) $Plain.heap;
  floor @6 :UInt32;            # Jobs of that origin have numbers up to there at most.
  # The cell whose books are to have it; 0: these have. That of these books: none are, its home
  # opens it anew.
  movedTo @7 :UInt64 $Plain.cxx("CellId");
  movedContacts @8 :List(Contact) $Plain.atMost(8) $Plain.heap;  # Nodes that keep those books.
}

struct OpenLog {
  log @0 :UInt64;
  home @1 :LogMember;          # Alone in the set at first.
  # Of a log that was in the books of another cell before; else it has its first epoch and version,
  # and the node of its home is the origin.
  origin @2 :UInt64 $Plain.cxx("PeerId");
  epoch @3 :UInt32;
  version @4 :UInt64;
}

struct ChangeLogSet {
  # Its home wants another set.
  log @0 :UInt64;
  epoch @1 :UInt32;
  version @2 :UInt64;
  set @3 :List(LogMember) $Plain.atMost(5) $Plain.heap;
}

struct TakeOverLog {
  # A standby wants to be the home.
  log @0 :UInt64;
  epoch @1 :UInt32;
  claimant @2 :LogMember;
}

struct LoseLog {
  # An administrator gives up what the set of the log has: a copy that may lack some of it goes on.
  log @0 :UInt64;
  epoch @1 :UInt32;
  claimant @2 :LogMember;      # Alone in the set from then on.
}

struct RaiseLogFloor {
  # Its home is about to give numbers beyond the floor.
  log @0 :UInt64;
  epoch @1 :UInt32;
  floor @2 :UInt32;
}

struct CloseLog {
  # Its home needs it no more.
  log @0 :UInt64;
  epoch @1 :UInt32;
  home @2 :UInt64;
}

struct FreezeLog {
  # These books are about to end: the log changes no more here, and those of another cell get it.
  # One whose home is alone in the set goes nowhere: see LogEntry.movedTo.
  log @0 :UInt64;
  to @1 :UInt64 $Plain.cxx("CellId");
  contacts @2 :List(Contact) $Plain.atMost(8) $Plain.heap;
}

struct AcceptLog {
  # The entry as the books of another cell froze it for these.
  entry @0 :LogEntry;
}

struct Entrance {
  member @0 :UInt64 $Plain.cxx("MemberId");
  contact @1 :Contact;
}

struct Roster {
  classes @0 :Classes;
  members @1 :List(Entrance) $Plain.atMost(8192) $Plain.heap;  # The members of the books, by id.
  parent @2 :UInt64 $Plain.cxx("CellId");  # 0: none.
  parentContacts @3 :List(Contact) $Plain.atMost(8) $Plain.heap;
  dissolving @4 :Bool;
  into @5 :UInt64 $Plain.cxx("CellId");
  closed @6 :Bool;
  missing @7 :List(Missing) $Plain.atMost(64) $Plain.heap;  # By cell.
  logs @8 :List(LogEntry) $Plain.atMost(512) $Plain.heap;  # By log.
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
    openLog @8 :OpenLog;
    changeLogSet @9 :ChangeLogSet;
    takeOverLog @10 :TakeOverLog;
    closeLog @11 :CloseLog;
    loseLog @12 :LoseLog;
    raiseLogFloor @13 :RaiseLogFloor;
    freezeLog @14 :FreezeLog;
    acceptLog @15 :AcceptLog;
  }
}
