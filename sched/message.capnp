@0xd1a9c8b7f6e50423;
# The messages by which frontends and workers place, run and account for tasks.
# Plain structs and the codec derive from this file: the messages are declared here, nowhere else.
#
#   frontend -> worker   Reserve       a right to ask, which walks: it carries no task
#   worker -> frontend   GetTask       I can start some now          -> Tasks
#   worker -> frontend   Queued        it waits here (repeated: a lease) -> Remaining
#   worker -> frontend   Bounced       it can never run here, my queue is full, or I am sick
#   worker -> frontend   Done          these ended (repeated)        -> DoneAck
#   worker -> frontend   Renew         these still run (repeated: a lease) -> Kill for some
#                                      (with `away`: I am gone for a while, and they run on)
#   worker -> frontend   Refused       the slots for that answer are gone
#   frontend -> worker   Remaining     so much of the job is left (also unasked)
#   frontend -> worker   TellExtent    the same over all resources, for workers that pack
#   worker -> worker     Borrow        lend me what reading that input takes   -> Lent
#   worker -> worker     Repay         I need it no more
#   frontend -> worker   Cancel        drop the job's reservations
#   frontend -> worker   Kill          stop these
#   frontend -> worker   AskAfter      you have not spoken of these -> Renew, Done, Refused
#   any node -> any node FactsRequest  what are you?                  -> Facts
#   any node -> any node DrainRequest  take no more tasks, or some    -> DrainReply
#   frontend -> any node Inquiry       do you reach that worker?      -> Testimony
#   home -> standby      LogAppend     what a log of jobs has more    -> LogAppended, LogBehind
#   any node -> any node FindHome      which node drives that job?    -> HomeIs
#   replica -> any node  HomeIs        another node drives that log: to who spoke to the wrong one
#   any node -> any node ListJobs      and what answers it: see /sched/listing/message.capnp
#   frontend -> manager  Attach, LaunchTasks   and what follows: see /sched/federation/message.capnp
#   home -> home         EndRequest    a job here waits for one of yours -> JobEnd, now and when it
#                                      has ended

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Logs = import "/sched/logs/message.capnp";
using Listing = import "/sched/listing/message.capnp";
using Federation = import "/sched/federation/message.capnp";
using Work = import "/sched/work.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Load {
  # The truth about a worker at this moment; on every reply.
  cpuFree @0 :UInt32;
  memoryFree @1 :UInt32;
  queued @2 :UInt32;
  ratesUsed @3 :UInt32;        # As gossip tells them (overlay/message.capnp).
}

struct Queued {
  job @0 :Work.JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  ahead @3 :UInt32;            # Reservations before it.
  load @4 :Load;
  walk @5 :Work.Walk;
  packs @6 :Bool;              # It wants to hear the extent of the job, too.
}

enum BounceReason {
  neverFits @0;                # More than the node has, even when idle.
  constraint @1;
  draining @2;
  queueFull @3;
  duplicate @4;                # A reservation of the same group waits here already.
  express @5;                  # The rest of the node is kept for shorter tasks.
  sick @6;                     # No task can start there: see Facts.sick.
}

struct Bounced {
  job @0 :Work.JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  reason @3 :BounceReason;
  load @4 :Load;
  walk @5 :Work.Walk;
}

struct GetTask {
  job @0 :Work.JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  request @3 :UInt32;          # Names the slots held for the answer, until the worker restarts.
  incarnation @4 :UInt32;      # The worker's.
  room @5 :UInt16;             # Tasks that fit now.
  load @6 :Load;
  walk @7 :Work.Walk;
  since @8 :UInt32;            # As in Renew.
  log @9 :UInt64;              # As in Reserve.
  slotsMax @10 :UInt32;        # A plan gives its job so many slots in all: it is asked for no task
                               # beyond these. 0: it is asked for whatever it has.
  here @11 :Bool;              # Its room is for tasks the input of which it has: no others.
}

struct Refused {
  job @0 :Work.JobId;
  request @1 :UInt32;
  tasks @2 :List(Work.Attempt) $Plain.atMost(64) $Plain.heap;
}

enum Outcome {
  exited @0;                   # With a status; 0 is success.
  signalled @1;
  timeLimit @2;
  outOfMemory @3;
  notFound @4;                 # The command does not exist (127).
  notExecutable @5;            # (126)
  spawnFailed @6;              # It could not be started, or its worker lost it: see Cause.
  killed @7;                   # On request.
  preempted @8;                # So that something else has its room, or that it runs elsewhere.
                               # Never the end of a task.
  lost @9;                     # It came to nothing, and there is no other attempt: see Rerun. Only
                               # the end of a task, said by its home. Builds before do not know it.
}

enum Cause {
  # The party at fault for an attempt that came to nothing. What a node is at fault for never ends a
  # task and is no failure of it.
  task @0;                     # The task, its description or its user; also if it is not known.
  start @1;                    # The node: it could not start it.
  lost @2;                     # The node: what watched over the task died while it ran.
}

struct TaskUse {
  # What an attempt took beyond the times and the memory of its report, as far as its node could
  # count. A peak is the most in one period of sampling; of a shorter attempt, the mean over its
  # run.
  cpuPeak @0 :UInt32;          # milli-CPU; 0: not known.
  diskRead @1 :UInt64;         # Bytes that reached a disk or came from one ...
  diskWritten @2 :UInt64;
  netReceived @3 :UInt64;      # ... or went through a network.
  netSent @4 :UInt64;
  diskReadPeak @5 :UInt32;     # KiB/s
  diskWritePeak @6 :UInt32;
  netInPeak @7 :UInt32;
  netOutPeak @8 :UInt32;
  hasDisk @9 :Bool;            # Bytes of disks were counted; else theirs are 0 whatever it did.
  hasNet @10 :Bool;            # Likewise of networks.
}

struct Report {
  # The end of one attempt.
  index @0 :UInt32;
  attempt :group $Plain.cxx("AttemptNumber") { number @1 :UInt16; offices @12 :UInt16; }
  outcome @2 :Outcome;
  status @3 :Int32;            # Exit status, signal number, or errno: as `outcome` says.
  wall @4 :Int64 $Plain.cxx("Duration");
  cpu @5 :Int64 $Plain.cxx("Duration");   # User and system time, children included.
  memoryPeak @6 :UInt64;       # Bytes.
  outBytes @7 :UInt64;         # Written to stdout ...
  errBytes @8 :UInt64;         # ... and stderr.
  startedAt @9 :Int64;         # Wall clock, ns since 1970, where the driver has one; else 0.
  detail @10 :Text $Plain.atMost(255);  # E.g. which command was not found.
  cause @11 :Cause;
  use @13 :TaskUse $Plain.sparse;
}

struct Done {
  job @0 :Work.JobId;
  reports @1 :List(Report) $Plain.atMost(64) $Plain.heap;
  load @2 :Load;
  log @3 :UInt64;              # As in Reserve.
  speed @4 :UInt32;            # Of the node, in thousandths; 0: not told.
  worker @5 :UInt64 $Plain.cxx("PeerId");  # It ran them; 0: the sender. A deposed home passes on
                               # what it has heard.
}

struct DoneAck {
  job @0 :Work.JobId;
  tasks @1 :List(Work.Attempt) $Plain.atMost(64) $Plain.heap;
}

struct Renew {
  job @0 :Work.JobId;
  incarnation @1 :UInt32;
  tasks @2 :List(Work.Attempt) $Plain.atMost(128) $Plain.heap;
  load @3 :Load;
  since @4 :UInt32;            # The worker's first incarnation whose tasks it has kept; those bound
                               # to an earlier one are gone.
  away @5 :UInt32 $Plain.cxx("Duration");  # The leases of these tasks last longer by so much: the
                               # worker restarts, and its tasks run on. 0: as always.
  log @6 :UInt64;              # As in Reserve.
  version @7 :UInt64;          # Of the log's set, as the worker knows it: a later one is told.
  suspended @8 :List(UInt32) $Plain.atMost(128) $Plain.heap;  # Those of `tasks` that stand still.
}

struct RenewAck {
  job @0 :Work.JobId;
  hasPriority @1 :Bool;        # Its user has set the priority of the job, ...
  priority @2 :Int16;          # ... which tasks that run have, too, from now on.
}

struct Remaining {
  # The work that a job has left, by the sum of task times. All its waiting reservations rank by it,
  # and those of the group by the length of its tasks.
  job @0 :Work.JobId;
  work @1 :Int64 $Plain.cxx("Duration");
  group @2 :UInt16;
  taskTime @3 :Int64 $Plain.cxx("Duration");
  hasTerms @4 :Bool;           # The next two are told; a frontend of before does not.
  priority @5 :Int16;          # As in Reserve: the user may have set them meanwhile.
  deadline @6 :Int64 $Plain.cxx("OptionalDuration");
  urgent @7 :Bool;             # As in Reserve.
  inputs @8 :List(Work.InputTerms) $Plain.atMost(1) $Plain.heap;  # As in Reserve.
}

struct TellExtent {
  # Follows Remaining where a worker packs.
  job @0 :Work.JobId;
  group @1 :UInt16;
  extent @2 :Work.Extent;
}

struct Cancel {
  job @0 :Work.JobId;
  group @1 :UInt16;
  servedTo @2 :UInt32;         # As in Tasks.
}

struct Kill {
  job @0 :Work.JobId;
  tasks @1 :List(Work.Attempt) $Plain.atMost(128) $Plain.heap;
  requeue @2 :Bool;            # They are to run again: they end as preempted.
}

struct AskAfter {
  # It was said that these have started there, and their worker has not spoken of them itself. Those
  # that are not there come back as refused.
  job @0 :Work.JobId;
  tasks @1 :List(Work.Attempt) $Plain.atMost(64) $Plain.heap;
}

struct DrainTerms {
  # Why a node takes no tasks, at the word of an administrator. It holds until another word of one,
  # through restarts. Times are of the wall clock, in ns since 1970.
  reason @0 :Text $Plain.atMost(255);
  by @1 :Text $Plain.atMost(127);  # The user, and the node at which that spoke; empty: unknown.
  since @2 :Int64;             # 0: unknown.
  until @3 :Int64;             # It ends by itself then; 0: it does not.
}

struct FactsRequest {
  request @0 :UInt64;
}

struct Facts {
  # All facts about a node, for people: a node that asks gets them fresh.
  request @0 :UInt64;
  name @1 :Text $Plain.atMost(63);
  incarnation @2 :UInt32;
  total @3 :Work.Resources;
  free @4 :Work.Resources;
  attributes @5 :List(Work.Attribute) $Plain.atMost(64) $Plain.heap;
  limits @6 :Text $Plain.atMost(15);   # "v2", "v1", "rlimit", "sim"
  version @7 :Text $Plain.atMost(31);
  draining @8 :Bool;
  running @9 :UInt32;
  queued @10 :UInt32;
  jobs @11 :UInt32;            # Submitted there and not finished.
  trouble @12 :Text $Plain.atMost(255);  # A matter for the operator, in a sentence.
  sick @13 :Text $Plain.atMost(255);  # Why the node takes no tasks; empty: it is well.
  capabilities @14 :UInt64;    # What its build can do beyond the first protocol: see node_spec.h.
  replica @15 :UInt64;         # Its disk, as a place for copies of logs; 0: it keeps none.
  machine @16 :UInt64;         # Nodes of one machine say the same; 0: unknown.
  slots @17 :Work.SlotCounts;
  drain @18 :List(DrainTerms) $Plain.atMost(1) $Plain.heap;  # If an administrator drains it.
}

struct DrainRequest {
  request @0 :UInt64;
  on @1 :Bool;
  terms @2 :List(DrainTerms) $Plain.atMost(1) $Plain.heap;
}

struct DrainReply {
  # What it says is stored.
  request @0 :UInt64;
  running @1 :UInt32;
}

struct Inquiry {
  # A frontend does not hear a worker that has tasks of its jobs.
  request @0 :UInt64;
  node @1 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
}

struct Testimony {
  # The answer of a node which asked the worker for its facts.
  request @0 :UInt64;
  node @1 :UInt64 $Plain.cxx("PeerId");
  silent @2 :Bool;             # It left all questions unanswered.
}

struct FindHome {
  # Of a node with a copy of the job's log, or with the books that have the log.
  request @0 :UInt64;
  job @1 :Work.JobId;
  log @2 :UInt64;              # If that is known; else 0.
}

struct EndRequest {
  request @0 :UInt64;
  job @1 :Work.JobId;               # Lineage 0: whatever it is.
  plain @2 :Bool;                   # It has no replicas: its origin alone can say how it ended.
}

enum JobStanding {
  open @0;                     # It goes on.
  ended @1;
  unknown @2;                  # Its origin has no such job, or has forgotten it.
  elsewhere @3;                # Another node drives it.
}

struct Borrow {
  # A task with its input at the receiver is to start at the sender: so much of the receiver is lent
  # to it. Said again, the loan goes on for as long as it says.
  loan @0 :UInt64;             # Names it among those of the sender, of all its incarnations.
  diskRead @1 :UInt32;         # KiB/s.
  netOut @2 :UInt32;
  lease @3 :UInt32 $Plain.cxx("Duration");  # It ends by itself after that, unless it is renewed.
}

struct Lent {
  loan @0 :UInt64;
  granted @1 :Bool;            # Else the receiver of this holds nothing by that number.
}

struct Repay {
  loan @0 :UInt64;
}

struct JobEnd {
  request @0 :UInt64;          # Of EndRequest; 0: the job has ended meanwhile.
  job @1 :Work.JobId;
  standing @2 :JobStanding;
  tasks @3 :UInt32;
  succeeded @4 :UInt32;        # Of them.
  replicas @5 :UInt8;          # Standbys that it wants; 0: no other node ever drives it.
  home @6 :List(Logs.LogReplica) $Plain.atMost(1) $Plain.heap;  # The node that drives it.
  begunFor @7 :Int64 $Plain.cxx("OptionalDuration");  # Since its first task was handed out, from
                               # 1 ns; 0: none was, or a build before does not say.
}

struct Message {
  union {
    reserve @0 :Work.Reserve;
    queued @1 :Queued;
    bounced @2 :Bounced;
    getTask @3 :GetTask;
    tasks @4 :Work.Tasks;
    refused @5 :Refused;
    done @6 :Done;
    doneAck @7 :DoneAck;
    renew @8 :Renew;
    renewAck @9 :RenewAck;
    cancel @10 :Cancel;
    kill @11 :Kill;
    factsRequest @12 :FactsRequest;
    facts @13 :Facts;
    drainRequest @14 :DrainRequest;
    drainReply @15 :DrainReply;
    remaining @16 :Remaining;
    inquiry @17 :Inquiry;
    testimony @18 :Testimony;
    logAppend @19 :Logs.LogAppend;
    logAppended @20 :Logs.LogAppended;
    logBehind @21 :Logs.LogBehind;
    findHome @22 :FindHome;
    homeIs @23 :Logs.HomeIs;
    listJobs @24 :Listing.ListJobs;
    jobsListed @25 :Listing.JobsListed;
    nodesListed @26 :Listing.NodesListed;
    endRequest @27 :EndRequest;
    jobEnd @28 :JobEnd;
    attach @29 :Federation.Attach;
    attached @30 :Federation.Attached;
    cellView @31 :Federation.CellView;
    launchTasks @32 :Federation.LaunchTasks;
    launchReply @33 :Federation.LaunchReply;
    rollCall @34 :Federation.RollCall;
    memberRow @35 :Federation.MemberRow;
    startTasks @36 :Federation.StartTasks;
    park @37 :Federation.Park;
    offer @38 :Federation.Offer;
    passedLaunch @39 :Federation.PassedLaunch;
    tellExtent @40 :TellExtent;
    borrow @41 :Borrow;
    lent @42 :Lent;
    repay @43 :Repay;
    askAfter @44 :AskAfter;
  }
}
