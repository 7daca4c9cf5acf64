@0xc4f0a92d7b3e6158;
# The messages of federated placement: docs/design/federation.md. A frontend that places so is a
# global master; the manager of a cell of nodes is the local master of its members. Members of the
# union in /sched/message.capnp.
#
#   global master -> manager      Attach       I go on by your rows: which cells, which rows?
#                                              -> Attached, and a CellView of each cell of nodes
#   global master -> local master LaunchTasks  start these, there     -> LaunchReply
#                                              (or: stop tasks of that class for these)
#   global master -> member       LaunchTasks  the same, without a word to its local master
#                                              -> LaunchReply, or else:
#   member        -> local master PassedLaunch I cannot: find another   -> LaunchReply
#   global master -> local master Park         these have no match: give them room that comes
#   local master  -> member       Offer        you have room: ask for these   -> MemberRow, answered
#   local master  -> member       RollCall     tell me your row, and whenever it changes: a lease
#                                              -> MemberRow
#   local master  -> member       StartTasks   start these now        -> MemberRow, with answers
#
# The word of a local master counts in its epoch alone. Numbers of launches are the global master's,
# of starts the local master's; none is ever given twice.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Work = import "/sched/work.capnp";
using Listing = import "/sched/listing/message.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

struct NodeKind {
  # What does not change of a node while it runs. Many nodes are of one kind: a message has each
  # kind once, and so has a table of rows.
  attributes @0 :List(Work.Attribute) $Plain.atMost(64) $Plain.heap;
  total @1 :Work.Resources;
}

struct RollCall {
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;            # Of the manager that is the local master.
  version @2 :UInt64;          # Of the member's row there; 0: none is known, nor its kind.
}

struct StartAnswer {
  number @0 :UInt64;           # Of the start, as in StartTasks, or of the offer, as in Offer.
  started @1 :Bool;            # Else it is declined, and never starts by that number. Of an offer:
                               # the member asks, or nothing of the group is left.
  crowded @2 :Bool;            # Declined because the user of the task has enough there: those of
                               # others may start.
}

struct ClassUse {
  # What the tasks of one class and one frontend hold at a member.
  classId @0 :UInt32;
  frontend @1 :UInt64 $Plain.cxx("PeerId");
  used @2 :UInt64;             # Their parts of the node, by its CPUs, in thousandths of one: see
                               # /sched/worker/share/stride.h.
  yields @3 :Work.Resources;   # What those of them hold that may be stopped for another class.
}

struct FrontendHold {
  # What the tasks of one frontend have of a member.
  frontend @0 :UInt64 $Plain.cxx("PeerId");
  held @1 :Work.Resources;
}

struct MemberRow {
  # A member as it is now, counting all starts that it answers here.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;            # Of the local master that it is for.
  version @2 :UInt64;          # Counts what the node said of itself; grows with each restart.
  incarnation @3 :UInt32;
  free @4 :Work.Resources;     # For tasks of any length: without what is kept for short ones.
  queued @5 :UInt32;           # Reservations that wait there.
  draining @6 :Bool;           # It takes no task.
  kind @7 :List(NodeKind) $Plain.atMost(1) $Plain.heap;  # If the local master does not know it.
  answers @8 :List(StartAnswer) $Plain.atMost(64) $Plain.heap;
  uses @9 :List(ClassUse) $Plain.atMost(64) $Plain.heap;  # None where no class has a share.
  held @10 :List(FrontendHold) $Plain.atMost(64) $Plain.heap;  # By frontend; without those of jobs
                               # with replicas, which no global master places.
}

struct KnownView {
  # How far a global master has followed the rows of a cell.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  version @2 :UInt64;          # 0: it knows none of that epoch.
  floor @3 :UInt64;            # All launches below this number are settled.
}

struct Attach {
  request @0 :UInt64;          # Echoed.
  incarnation @1 :UInt32;      # Of the global master: numbers of launches begin anew with it.
  known @2 :List(KnownView) $Plain.atMost(8) $Plain.heap;
  leave @3 :Bool;              # It needs rows no more.
  places @4 :Bool;             # It launches straight to members: it wants their addresses.
}

struct Attached {
  # By this a global master finds the other managers.
  request @0 :UInt64;
  cells @1 :List(Listing.ListedCell) $Plain.atMost(8) $Plain.heap;  # That are managed there.
  places @2 :List(Listing.ManagerAt) $Plain.atMost(64) $Plain.heap;  # Where others are said to be.
}

struct ViewRow {
  node @0 :UInt64 $Plain.cxx("PeerId");
  version @1 :UInt64;          # As in MemberRow.
  kind @2 :UInt16;             # The place of its kind in the view, from 1; 0: as told before.
  free @3 :Work.Resources;     # Counting also the starts that the member has not answered yet.
  queued @4 :UInt32;
  draining @5 :Bool;
  owner @6 :UInt64 $Plain.cxx("PeerId");  # The global master that has it in its partition.
}

struct ViewPlace {
  node @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
}

struct ClassTotal {
  # What the tasks of a class hold in a cell, in the unit of ClassUse.
  classId @0 :UInt32;
  used @1 :UInt64;
  own @2 :UInt64;              # Of it by tasks of the hearer.
}

struct CellView {
  # The members of a cell that changed after version `from`, up to `version`.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  from @2 :UInt64;             # 0: all of them. Who does not know `from` has missed some.
  version @3 :UInt64;
  last @4 :Bool;               # No more to come: this is how the cell stands.
  included @5 :UInt64;         # The rows count all launches of the hearer up to that number.
  rows @6 :List(ViewRow) $Plain.atMost(512) $Plain.heap;
  kinds @7 :List(NodeKind) $Plain.atMost(512) $Plain.heap;
  gone @8 :List(UInt64) $Plain.atMost(512) $Plain.heap;
  full @9 :Bool;               # Too many global masters: this one gets no rows.
  capacity @10 :Work.Resources;  # All that the members have ...
  uses @11 :List(ClassTotal) $Plain.atMost(64) $Plain.heap;  # ... and what classes hold of them.
  places @12 :List(ViewPlace) $Plain.atMost(512) $Plain.heap;  # If asked: where
                               # members are that the hearer does not know yet.
}

struct LaunchTarget {
  number @0 :UInt64;           # Counts the launches of the global master at the cell from 1.
  node @1 :UInt64 $Plain.cxx("PeerId");  # The member that it chose.
  born @2 :UInt32;             # The process of that member, as in StartTasks, if it goes there.
}

struct LaunchTasks {
  known @0 :KnownView;         # The cell, and the epoch in which alone the launch counts.
  incarnation @1 :UInt32;      # As in Attach.
  reserve @2 :Work.Reserve;    # The group.
  tasks @3 :Work.Tasks;        # Some of its tasks ...
  targets @4 :List(LaunchTarget) $Plain.atMost(64) $Plain.heap;  # ... and where each is to start.
  preempts @5 :Bool;           # There is no room: no member was chosen, and where there is none
                               # tasks of a class above its share ...
  over @6 :UInt32;             # ... are stopped for these: of this one.
  direct @7 :Bool;             # It is for the member itself, which verifies and starts.
  staged @8 :Bool;             # The group waited for others of its job: it leaves when the records
                               # of their ends are durable.
}

struct PassedLaunch {
  # A member was sent tasks by a global master, and cannot start these: they never start there.
  master @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
  launch @4 :LaunchTasks;
  crowded @5 :Bool;            # As in StartAnswer.
}

enum LaunchFate {
  placed @0;                   # It started.
  refused @1;                  # It did not, and never does by that number.
  unknown @2;                  # The launch is of another epoch: it may have started.
}

struct LaunchVerdict {
  number @0 :UInt64;
  fate @1 :LaunchFate;
  node @2 :UInt64 $Plain.cxx("PeerId");  # Where it started; the next two are of that node.
  address :group $Plain.cxx("Address") { high @3 :UInt64; low @4 :UInt64; port @5 :UInt16; }
  incarnation @6 :UInt32;
}

struct LaunchReply {
  verdicts @0 :List(LaunchVerdict) $Plain.atMost(64) $Plain.heap;
  view @1 :CellView;           # What changed since the view that the launch knew.
  row @2 :List(MemberRow) $Plain.atMost(1) $Plain.heap;  # Of a member that answers for itself.
}

struct StartTasks {
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  born @2 :UInt64;             # Versions of the member's rows begin there: its process is no other.
  numbers @3 :List(UInt64) $Plain.atMost(64) $Plain.heap;  # Of these starts, one for each task.
  reserve @4 :Work.Reserve;
  tasks @5 :Work.Tasks;
  preempts @6 :Bool;           # As in LaunchTasks.
  over @7 :UInt32;
}

struct Park {
  # A group of tasks that nothing seems to have room for, until the lease of the global master ends.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  incarnation @2 :UInt32;      # As in Attach.
  reserve @3 :Work.Reserve;    # As it would wait at a worker; no tasks: it waits no more.
  word @4 :UInt64;             # Counts these messages of the global master, from 1.
}

struct Offer {
  # Room that the member seems to have for `tasksMax` tasks of a parked group.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  born @2 :UInt64;             # As in StartTasks.
  number @3 :UInt64;           # Counts with those of starts.
  reserve @4 :Work.Reserve;
}
