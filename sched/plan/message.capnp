@0xe9b47c1d52a8f036;
# The messages by which a cell of nodes plans: see docs/design/plans.md. Members of the union in
# /sched/cell/message.capnp.
#
#   member -> manager     Claims        my slots, and what my jobs want -> Allotments
#   manager -> member     Allotments    the slots of yours that the plan gives to jobs
#   frontend -> manager   Claims        of another cell: what mine cannot give -> Allotments
#   member -> frontend    Invite        that job has slots here: send a reservation of it

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Work = import "/sched/work.capnp";
$Cxx.namespace("dunlin::sched::cell::wire");
$Plain.namespace("dunlin::sched::cell");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Claim {
  # What a frontend wants for one of its jobs. Slots and tasks are the same where a task takes one
  # CPU or less: see sched/plan/slot_width.h.
  job @0 :Work.JobId;
  priority @1 :Int16;          # The highest of its groups that have tasks left.
  left @2 :UInt32;             # Slots that its tasks left would take; 0: no claim any more.
  taskTime @3 :Int64 $Plain.cxx("Duration");  # Of one task; 0 if unknown.
  age @4 :Int64 $Plain.cxx("Duration");  # Since the submit.
  deadline @5 :Int64 $Plain.cxx("OptionalDuration");  # After the submit; 0: none.
  held @6 :UInt32;             # Slots that its tasks hold now, in all cells.
  elsewhere @7 :UInt32;        # Slots that other cells give it, as far as its frontend knows.
  ran @8 :Int64 $Plain.cxx("Duration");  # How long the youngest of the tasks there has run.
}

struct Claims {
  cell @0 :UInt64 $Plain.cxx("CellId");
  member @1 :UInt64 $Plain.cxx("PeerId");
  sequence @2 :UInt64;         # Greater than that of any before it.
  slots @3 :UInt32;            # 0: the node drains or is sick.
  speed @4 :UInt32;            # In thousandths: a task takes its task time divided by it.
  # Claims of more jobs come in further messages. One that is not repeated lapses.
  claims @5 :List(Claim) $Plain.atMost(256) $Plain.heap;
  guest @6 :Bool;              # A node of another cell, which has nothing to give.
  preempts @7 :Bool;           # Tasks there yield by plan: tell it which jobs hold too many slots.
}

struct Allotted {
  job @0 :Work.JobId;
  frontend @1 :UInt64 $Plain.cxx("PeerId");  # The node that drives it.
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
  slots @5 :UInt32;            # 0: none here. Others hold its slots, or it holds too many.
  rank @6 :UInt32;             # The lowest is served first.
  total @7 :UInt32;            # Its slots in all cells, if it holds more or fewer; else 0.
  over @8 :UInt32;             # It holds so many more. Told to nodes the tasks of which yield.
}

struct Lack {
  # A job with tasks for which the plan has no slot.
  job @0 :Work.JobId;
  slots @1 :UInt32;            # It has so many, at all nodes of the cell.
}

struct Allotments {
  # They hold for `life` from when the claims were sent that they answer.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  member @2 :UInt64 $Plain.cxx("PeerId");
  sequence @3 :UInt64;         # Of the last claims that came.
  plan @4 :UInt64;             # The number of the plan in this epoch, from 1.
  life @5 :Int64 $Plain.cxx("Duration");
  allotted @6 :List(Allotted) $Plain.atMost(256) $Plain.heap;  # By rank.
  lacks @7 :List(Lack) $Plain.atMost(256) $Plain.heap;  # Of the jobs that the member drives.
}

struct Invite {
  job @0 :Work.JobId;
}
