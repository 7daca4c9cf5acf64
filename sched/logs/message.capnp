@0xd3a95c07e1b84f62;
# The messages of the replicas of a log of jobs, and what says which of them drives the jobs: see
# sched/replica/. Members of the union in /sched/message.capnp.
#
#   home -> standby       LogAppend     what a log of jobs has more    -> LogAppended, LogBehind
#   replica -> any node   HomeIs        which replica drives that log

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct LogReplica {
  # A copy of a log of jobs, and the node that keeps it: see sched/replica/.
  replica @0 :UInt64;
  node @1 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
}

struct LogMark {
  # A place in a log: see sched/replica/log.h.
  epoch @0 :UInt32;
  life @1 :UInt32;
  position @2 :UInt64;
}

struct LogBooks {
  # The cell whose books say which replica of a log is its home.
  cell @0 :UInt64;             # 0: none does yet.
  contacts @1 :List(LogReplica) $Plain.atMost(8) $Plain.heap;  # Nodes that keep the books.
}

struct LogBatch {
  epoch @0 :UInt32;
  life @1 :UInt32;
  records @2 :Data $Plain.atMost(1900544);
}

struct LogAppend {
  # What comes after a place in a log; also the home's sign of life.
  log @0 :UInt64;
  origin @1 :UInt64 $Plain.cxx("PeerId");
  epoch @2 :UInt32;            # The stamp of the home that speaks.
  life @3 :UInt32;
  before @4 :LogMark;
  batches @5 :List(LogBatch) $Plain.atMost(64) $Plain.heap;
  books @6 :LogBooks;             # Only with a sign of life: contacts take room.
  idle @7 :Bool;               # Nothing is unfinished: signs of life are rare from now on.
  handsOver @8 :Bool;          # The standby that has all of this is to take over at once.
}

struct LogAppended {
  # The log is on the disk of that replica up to `position`.
  log @0 :UInt64;
  epoch @1 :UInt32;
  life @2 :UInt32;
  replica @3 :UInt64;
  position @4 :UInt64;
  leaves @5 :Bool;             # Its node drains or will stop: another is to take its place.
  trouble @6 :Bool;            # It cannot keep the log: its disk fails, or it has too many.
  books @7 :UInt64;            # A mark of the books that it knows of: see mark_of(); 0: not told.
}

struct LogBehind {
  # `before` is no place in the log of that replica.
  log @0 :UInt64;
  epoch @1 :UInt32;
  life @2 :UInt32;
  replica @3 :UInt64;
  runs @4 :List(LogMark) $Plain.atMost(4096) $Plain.heap;
}

struct HomeIs {
  request @0 :UInt64;          # Of FindHome; 0: unasked.
  log @1 :UInt64;
  epoch @2 :UInt32;
  version @3 :UInt64;
  home @4 :UInt64;             # Its replica, ...
  set @5 :List(LogReplica) $Plain.atMost(5) $Plain.heap;  # ... one of these.
  books @6 :LogBooks;
  orphan @7 :Bool;             # No node drives the jobs by itself; the one that speaks has them.
  cause @8 :OrphanCause;       # If so.
  copy @9 :CopyStanding;       # Of the replica that speaks, as far as the job asked for goes.
}

enum CopyStanding {
  # What a copy is worth to one that looks for the home of a job.
  untold @0;                   # A build that did not say.
  lacks @1;                    # It has no such job.
  behind @2;                   # It has it, but is not in the set: it never drives it by itself.
  synced @3;                   # It has the job, and drives it or may take it over.
  unread @4;                   # It grows, and what came in this second was not looked through.
}

enum OrphanCause {
  # Why no node drives the jobs of a log by itself.
  unheard @0;                  # Neither the home nor the books answer.
  lost @1;                     # The books answer; the disks of all that were in sync are lost.
  away @2;                     # The books answer; no node that was in sync does, for minutes.
}
