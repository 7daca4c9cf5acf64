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
#   frontend -> worker   Cancel        drop the job's reservations
#   frontend -> worker   Kill          stop these
#   any node -> any node FactsRequest  what are you?                  -> Facts
#   any node -> any node DrainRequest  take no more tasks, or some    -> DrainReply
#   frontend -> any node Inquiry       do you reach that worker?      -> Testimony
#   home -> standby      LogAppend     what a log of jobs has more    -> LogAppended, LogBehind
#   any node -> any node FindHome      which node drives that job?    -> HomeIs
#   replica -> any node  HomeIs        another node drives that log: to who spoke to the wrong one
#   any node -> any node ListJobs      and what answers it: see /sched/listing/message.capnp
#   home -> home         EndRequest    a job here waits for one of yours -> JobEnd, now and when it
#                                      has ended

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Logs = import "/sched/logs/message.capnp";
using Listing = import "/sched/listing/message.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Amount {
  name @0 :Text $Plain.atMost(31);
  count @1 :UInt32;
}

struct Resources {
  # A demand, a capacity, or the free part of it.
  cpu @0 :UInt32;              # milli-CPU
  memory @1 :UInt32;           # MiB
  custom @2 :List(Amount) $Plain.atMost(8) $Plain.heap;  # Sorted by name, none of them 0.
}

enum Comparison { equal @0; notEqual @1; less @2; atMost @3; greater @4; atLeast @5; }

struct Constraint {
  # A demand on one attribute of a node.
  key @0 :Text $Plain.atMost(63);
  comparison @1 :Comparison;
  value @2 :Text $Plain.atMost(127);
}

struct JobId {
  # Names one job for ever. A frontend which loses its disk, or gets an old one back, may give a
  # number again; it never gives a lineage again, so nothing of the first job matches the second.
  home @0 :UInt64 $Plain.cxx("PeerId");  # The frontend it was submitted to.
  number @1 :UInt32;           # Counts that frontend's jobs from 1: for people.
  lineage @2 :UInt64;          # Drawn by chance with the job's record; 0: older than lineages.
}

struct Load {
  # The truth about a worker at this moment; on every reply.
  cpuFree @0 :UInt32;
  memoryFree @1 :UInt32;
  queued @2 :UInt32;
}

enum HopRule {
  # The choice of the next node of a walk.
  random @0;                   # Any that could fit.
  greedy @1;                   # The best one known.
  mixed @2;                    # Greedy with the probability greedyShare, else random.
}

struct Walk {
  # The past of a reservation, and the rule by which it goes on.
  rule @0 :HopRule;
  greedyShare @1 :UInt8;       # In 1/255; only for HopRule.mixed.
  hopsLeft @2 :UInt8;
  greedyHops @3 :UInt8;        # Hops so far that went to the best known node ...
  greedyHits @4 :UInt8;        # ... and 1 if the last of them could start the task.
  lastGreedy @5 :Bool;
  visited @6 :List(UInt64) $Plain.atMost(12);
}

struct Reserve {
  job @0 :JobId;
  group @1 :UInt16;            # The task group of the job: tasks of equal demand.
  probe @2 :UInt32;            # Names this reservation within its job.
  frontend :group $Plain.cxx("Address") { high @3 :UInt64; low @4 :UInt64; port @5 :UInt16; }
  demand @6 :Resources;
  constraints @7 :List(Constraint) $Plain.atMost(8) $Plain.heap;
  priority @8 :Int16;          # Larger runs first.
  waited @9 :UInt32 $Plain.cxx("Duration");  # Since the submit.
  tasksMax @10 :UInt16;        # Tasks worth asking for at once.
  walk @11 :Walk;
  taskTime @12 :Int64 $Plain.cxx("Duration");  # The run time of one task; 0 if unknown.
  work @13 :Int64 $Plain.cxx("Duration");  # The sum of it over all waiting tasks of the job.
  best :group $Plain.cxx("Address") { high @14 :UInt64; low @15 :UInt64; port @16 :UInt16; }
  bestNode @17 :UInt64 $Plain.cxx("PeerId");  # The node met at which it would wait least; 0: none.
  bestWait @18 :Int64 $Plain.cxx("Duration");
  settled @19 :Bool;           # Its walk is over: it queues here.
  classId @20 :UInt32;         # The class of the job: see sched/ledger/class_name.h.
  deadline @21 :Int64 $Plain.cxx("OptionalDuration");  # After the submit; 0: none.
  log @22 :UInt64;             # The log of its job; 0: the job has no replicas.
  epoch @23 :UInt32;           # The home's, of that log.
  home @24 :UInt64 $Plain.cxx("PeerId");  # The frontend's node; 0: the one that the job names.
}

struct Queued {
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  ahead @3 :UInt32;            # Reservations before it.
  load @4 :Load;
  walk @5 :Walk;
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
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  reason @3 :BounceReason;
  load @4 :Load;
  walk @5 :Walk;
}

struct GetTask {
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  request @3 :UInt32;          # Names the slots held for the answer, until the worker restarts.
  incarnation @4 :UInt32;      # The worker's.
  room @5 :UInt16;             # Tasks that fit now.
  load @6 :Load;
  walk @7 :Walk;
  since @8 :UInt32;            # As in Renew.
  log @9 :UInt64;              # As in Reserve.
}

struct Assignment {
  index @0 :UInt32;
  attempt :group $Plain.cxx("AttemptNumber") { number @1 :UInt16; offices @3 :UInt16; }  # From 1.
  entry @2 :Data $Plain.atMost(65536);  # The task's own line, if the job has lines.
}

struct Tasks {
  # The answer to GetTask; no tasks: drop the reservation.
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  request @3 :UInt32;
  spec @4 :Data $Plain.atMost(262144);  # The work; opaque here, the driver's business.
  timeLimit @5 :UInt32 $Plain.cxx("Duration");  # 0: none.
  taskCount @6 :UInt32;        # The tasks of the whole job.
  name @7 :Text $Plain.atMost(127);
  tasks @8 :List(Assignment) $Plain.atMost(64) $Plain.heap;
  remaining @9 :UInt32;        # Tasks of the group that no worker has asked for yet.
  taskTime @10 :Int64 $Plain.cxx("Duration");  # As in Reserve, as known by now.
  work @11 :Int64 $Plain.cxx("Duration");
  servedTo @12 :UInt32;        # Reservations of the group up to this one are of no use; 0: none.
  dueIn @13 :Int64 $Plain.cxx("OptionalDuration");  # Time left of the job's deadline, 1 ns once it
                               # has passed; 0: there is none.
  log @14 :UInt64;             # As in Reserve.
  epoch @15 :UInt32;
  standbys @16 :List(Logs.LogReplica) $Plain.atMost(5) $Plain.heap;  # To ask if the home is silent.
  version @17 :UInt64;         # Of the set that has them, as in HomeIs.
}

struct Attempt {
  index @0 :UInt32;
  attemptNumber :group $Plain.cxx("AttemptNumber") $Plain.member("attempt") {
    number @1 :UInt16;
    offices @2 :UInt16;
  }
}

struct Refused {
  job @0 :JobId;
  request @1 :UInt32;
  tasks @2 :List(Attempt) $Plain.atMost(64) $Plain.heap;
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
}

enum Cause {
  # The party at fault for an attempt that came to nothing. What a node is at fault for never ends a
  # task and is no failure of it.
  task @0;                     # The task, its description or its user; also if it is not known.
  start @1;                    # The node: it could not start it.
  lost @2;                     # The node: what watched over the task died while it ran.
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
}

struct Done {
  job @0 :JobId;
  reports @1 :List(Report) $Plain.atMost(64) $Plain.heap;
  load @2 :Load;
  log @3 :UInt64;              # As in Reserve.
}

struct DoneAck {
  job @0 :JobId;
  tasks @1 :List(Attempt) $Plain.atMost(64) $Plain.heap;
}

struct Renew {
  job @0 :JobId;
  incarnation @1 :UInt32;
  tasks @2 :List(Attempt) $Plain.atMost(128) $Plain.heap;
  load @3 :Load;
  since @4 :UInt32;            # The worker's first incarnation whose tasks it has kept; those bound
                               # to an earlier one are gone.
  away @5 :UInt32 $Plain.cxx("Duration");  # The leases of these tasks last longer by so much: the
                               # worker restarts, and its tasks run on. 0: as always.
  log @6 :UInt64;              # As in Reserve.
  version @7 :UInt64;          # Of the log's set, as the worker knows it: a later one is told.
}

struct RenewAck {
  job @0 :JobId;
}

struct Remaining {
  # The work that a job has left, by the sum of task times. All its waiting reservations rank by it,
  # and those of the group by the length of its tasks.
  job @0 :JobId;
  work @1 :Int64 $Plain.cxx("Duration");
  group @2 :UInt16;
  taskTime @3 :Int64 $Plain.cxx("Duration");
  hasTerms @4 :Bool;           # The next two are told; a frontend of before does not.
  priority @5 :Int16;          # As in Reserve: the user may have set them meanwhile.
  deadline @6 :Int64 $Plain.cxx("OptionalDuration");
}

struct Cancel {
  job @0 :JobId;
  group @1 :UInt16;
  servedTo @2 :UInt32;         # As in Tasks.
}

struct Kill {
  job @0 :JobId;
  tasks @1 :List(Attempt) $Plain.atMost(128) $Plain.heap;
}

struct Attribute {
  key @0 :Text $Plain.atMost(63);
  value @1 :Text $Plain.atMost(127);
}

struct FactsRequest {
  request @0 :UInt64;
}

struct Facts {
  # All facts about a node, for people: a node that asks gets them fresh.
  request @0 :UInt64;
  name @1 :Text $Plain.atMost(63);
  incarnation @2 :UInt32;
  total @3 :Resources;
  free @4 :Resources;
  attributes @5 :List(Attribute) $Plain.atMost(64) $Plain.heap;
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
}

struct DrainRequest {
  request @0 :UInt64;
  on @1 :Bool;
}

struct DrainReply {
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
  job @1 :JobId;
  log @2 :UInt64;              # If that is known; else 0.
}

struct EndRequest {
  request @0 :UInt64;
  job @1 :JobId;               # Lineage 0: whatever it is.
}

enum JobStanding {
  open @0;                     # It goes on.
  ended @1;
  unknown @2;                  # Its origin has no such job, or has forgotten it.
  elsewhere @3;                # Another node drives it.
}

struct JobEnd {
  request @0 :UInt64;          # Of EndRequest; 0: the job has ended meanwhile.
  job @1 :JobId;
  standing @2 :JobStanding;
  tasks @3 :UInt32;
  succeeded @4 :UInt32;        # Of them.
  replicas @5 :UInt8;          # Standbys that it wants; 0: no other node ever drives it.
  home @6 :List(Logs.LogReplica) $Plain.atMost(1) $Plain.heap;  # The node that drives it.
}

struct Message {
  union {
    reserve @0 :Reserve;
    queued @1 :Queued;
    bounced @2 :Bounced;
    getTask @3 :GetTask;
    tasks @4 :Tasks;
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
  }
}
