@0xc6d0f3a81e5b9274;
# The records of a log of jobs: what a frontend stores, as its standbys get it. A job may be larger
# than a message, so it comes in parts: the job, its groups, their lines. It is whole when all of
# them are there.
# Plain structs and the codec derive from this file.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Sched = import "/sched/message.capnp";
using Work = import "/sched/work.capnp";
$Cxx.namespace("dunlin::sched::replica::wire");
$Plain.namespace("dunlin::sched::replica");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct PutAfter {
  # A job that the job waits for.
  job @0 :Work.JobId;
  any @1 :Bool;
  hasReplicas @2 :Bool;
  address :group $Plain.cxx("Address") { high @3 :UInt64; low @4 :UInt64; port @5 :UInt16; }
  failed @6 :Bool;             # Builds before lose it: see kJobWords.
  begunFor @7 :Int64;          # One more than the ns for which it must have begun; 0: it must end.
                               # Builds before lose it: see kBegunWaits.
}

struct PutJob {
  job @0 :Work.JobId;
  name @1 :Text $Plain.atMost(127) $Plain.key("name") $Plain.flag("--name") $Plain.value("NAME");
  groups @2 :UInt16;           # So many follow.
  submittedAt @3 :Int64;
  owner @4 :Text $Plain.atMost(127);
  serviceClass @5 :Text $Plain.atMost(63);
  deadline @6 :Int64 $Plain.cxx("OptionalDuration") $Plain.key("deadline_ns")
      $Plain.toml("deadline") $Plain.flag("--deadline") $Plain.value("TIME") $Plain.unit("ns")
      $Plain.max(315360000000000000);
  # When it should have ended, after the submit: ten years at most.
  cancelledLate @7 :Bool;      # It is cancelled when it misses its deadline.
  keyHigh @8 :UInt64;
  keyLow @9 :UInt64;
  held @10 :Bool $Plain.key("hold") $Plain.flag("--hold");
  # It starts no task before it is released.
  replicas @11 :UInt8 $Plain.key("replicas") $Plain.flag("--replicas") $Plain.value("N")
      $Plain.max(4);
  # Standbys that keep its records.
  replicasRequired @12 :UInt8 $Plain.key("replicas_required") $Plain.flag("--replicas-required")
      $Plain.value("N") $Plain.max(4);
  # Of them, those that must have all that is promised.
  afterJobs @13 :List(PutAfter) $Plain.atMost(32) $Plain.heap;
  endCommand @14 :Data $Plain.atMost(1310720);
  neverPreempted @15 :Bool;    # Else its tasks yield to others: see OnPreempt ...
  checkpoint @16 :Bool;        # ... for what becomes of them.
  suspend @17 :Bool;           # Likewise.
  # Standbys of builds before know none of what follows, so a home takes no job that says it while
  # it knows of such a node: see kJobWords.
  comment @18 :Text $Plain.atMost(1023) $Plain.key("comment") $Plain.flag("--comment")
      $Plain.value("TEXT");
  # What its user says of it, for people.
  labels @19 :List(Work.Label) $Plain.atMost(16) $Plain.heap;  # Ascending by key.
  begin @20 :Int64 $Plain.cxx("OptionalDuration") $Plain.key("begin_ns") $Plain.toml("begin")
      $Plain.flag("--begin") $Plain.value("WHEN") $Plain.unit("ns") $Plain.max(315360000000000000);
  # It starts no task before this, after the submit: ten years at most.
  rerunNever @21 :Bool;        # Else a task whose attempt comes to nothing runs again: see Rerun.
}

struct PutGroup {
  # The next group of the job.
  job @0 :Work.JobId;
  name @1 :Text $Plain.atMost(127) $Plain.key("name");
  # Of the group, for those that wait for it.
  count @2 :UInt32 $Plain.key("count") $Plain.flag("-n,--count") $Plain.value("N") $Plain.min(1)
      $Plain.max(1000000) $Plain.initial(1);
  # Its tasks.
  demand @3 :Work.Resources;
  constraints @4 :List(Work.Constraint) $Plain.atMost(8) $Plain.heap;
  priority @5 :Int16 $Plain.key("priority") $Plain.flag("--priority") $Plain.value("N")
      $Plain.max(100) $Plain.initial(50);
  # Larger first.
  retries @6 :UInt16 $Plain.key("retries") $Plain.flag("--retries") $Plain.value("N")
      $Plain.max(1000);
  # Failed attempts forgiven per task.
  timeLimit @7 :Int64 $Plain.cxx("Duration") $Plain.key("time_limit_ns") $Plain.toml("time_limit")
      $Plain.flag("-t,--time-limit") $Plain.value("TIME") $Plain.unit("ns")
      $Plain.max(4233600000000000);
  # The longest an attempt may run; 0: no limit. 49 days, as workers hear of ms in 32 bits.
  duration @8 :Int64 $Plain.cxx("Duration") $Plain.key("duration_ns") $Plain.toml("duration")
      $Plain.flag("--duration") $Plain.value("TIME") $Plain.unit("ns")
      $Plain.max(315360000000000000);
  # What a task is thought to take; 0: unknown. Ten years at most.
  spec @9 :Data $Plain.atMost(1310720);
  lines @10 :UInt32;           # So many follow: one for each task, or none.
  atOnce @11 :UInt32 $Plain.key("at_once") $Plain.flag("--at-once") $Plain.value("N")
      $Plain.max(1000000);
  # Tasks that run at once at most; 0: as many as fit.
  after @12 :List(UInt16) $Plain.atMost(256) $Plain.heap;  # Groups that it waits for.
  inputs @13 :UInt32;          # So many bytes that say where inputs of its tasks are follow, ...
  cpuUnsaid @14 :Bool;         # Its user did not say its CPU, ...
  memoryUnsaid @15 :Bool;      # ... or its memory.
  once @16 :Bool;              # Its tasks read what cannot be read again.
  gang @17 :Bool $Plain.key("gang") $Plain.flag("--gang");
  # Its tasks start together, or none of them does. Standbys of builds before do not know it.
}

struct PutInputs {
  # ... as /sched/inputs/input_bytes.h makes them. The next of the job's last group.
  job @0 :Work.JobId;
  bytes @1 :Data $Plain.atMost(131072);
}

struct PutLines {
  # The next lines of the job's last group.
  job @0 :Work.JobId;
  sizes @1 :List(UInt32) $Plain.atMost(4096) $Plain.heap;
  text @2 :Data $Plain.atMost(131072);
}

struct PutProgress {
  job @0 :Work.JobId;
  restarts @1 :UInt32;
  cancelled @2 :Bool;
  late @3 :Bool;               # It was cancelled because it missed its deadline.
  held @4 :Bool;
  newPriority @5 :Bool;        # The user has set it, ...
  priority @6 :Int16;          # ... to this.
  newDeadline @7 :Bool;        # Likewise.
  deadline @8 :Int64 $Plain.cxx("OptionalDuration");
  missed @9 :Bool;             # It was cancelled because a job that it waited for did not succeed.
  afterMet @10 :UInt32;        # Bit i is of afterJobs[i].
  afterMissed @11 :UInt32;
  endRun @12 :UInt8;           # How far its end command has come: see EndRun.
  endOutcome @13 :Sched.Outcome;
  endStatus @14 :Int32;
  endDetail @15 :Text $Plain.atMost(255);
  # Attempts that run and are to end at the user's word: they add to those of earlier records.
  toCancel @16 :List(Work.Attempt) $Plain.atMost(1024) $Plain.heap;  # Their tasks end with them.
  toRequeue @17 :List(Work.Attempt) $Plain.atMost(1024) $Plain.heap;  # Their tasks run again.
  # How it ended, if it did: see EndFacts. Builds before take it from the tasks.
  endedAfter @18 :Int64 $Plain.cxx("OptionalDuration");  # 0: it has not, or it is not known.
  begunAfter @19 :Int64 $Plain.cxx("OptionalDuration");
  worst @20 :Sched.Outcome;
  exit @21 :UInt8;
  failed @22 :UInt32;
  stopped @23 :UInt32;         # Tasks that were cancelled.
  pruned @24 :Bool;            # What the log says of its tasks counts no more.
  only @25 :List(Work.Attempt) $Plain.atMost(1024) $Plain.heap;  # As toCancel: handed out, and none
                               # comes after it.
}

struct PutReport {
  job @0 :Work.JobId;
  report @1 :Sched.Report;
  worker @2 :UInt64 $Plain.cxx("PeerId");
  final @3 :Bool;
}

struct PutLoss {
  job @0 :Work.JobId;
  lost @1 :Work.Attempt;
  worker @2 :UInt64 $Plain.cxx("PeerId");
}

struct PutRetry {
  # A task that has a result is to run again.
  job @0 :Work.JobId;
  last @1 :Work.Attempt;
}

struct BoundTask {
  task @0 :Work.Attempt;
  worker @1 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
  incarnation @5 :UInt32;
  away @6 :Int64 $Plain.cxx("Duration");  # Its lease lasts longer by so much.
}

struct PutBindings {
  # Tasks that are bound as the home hands the log over: the next home need not wait for workers.
  job @0 :Work.JobId;
  tasks @1 :List(BoundTask) $Plain.atMost(1024) $Plain.heap;
  # Without a job and tasks it is the word that a worker may hold tasks, or holds none any more:
  # nothing to builds before.
  holder @2 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @3 :UInt64; low @4 :UInt64; port @5 :UInt16; }
  away @6 :Int64 $Plain.cxx("Duration");
  holdsNone @7 :Bool;
}

struct HandOver {
  # The end of the bindings. They hold if nothing comes after it in the log.
  on @0 :Bool;                 # Else the home goes on after all.
}

struct ForgetJob {
  job @0 :Work.JobId;
}

struct Record {
  union {
    putJob @0 :PutJob;
    putGroup @1 :PutGroup;
    putLines @2 :PutLines;
    putProgress @3 :PutProgress;
    putReport @4 :PutReport;
    putLoss @5 :PutLoss;
    forgetJob @6 :ForgetJob;
    putRetry @7 :PutRetry;
    putBindings @8 :PutBindings;
    handOver @9 :HandOver;
    putInputs @10 :PutInputs;
  }
}
