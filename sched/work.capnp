@0x9e5d30b7c2f1486a;
# The words in which messages of scheduling speak of tasks and nodes: demands, names, reservations
# and the tasks that answer them. Their own messages are in /sched/message.capnp and in the schemas
# that it imports.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Logs = import "/sched/logs/message.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Amount {
  name @0 :Text $Plain.atMost(31);
  count @1 :UInt32;
}

struct Resources {
  # A demand, a capacity, or the free part of it.
  # CPUs of each task: none of 0, or thousands would fill all places of every node for ever.
  cpu @0 :UInt32 $Plain.key("cpu_milli") $Plain.toml("cpus") $Plain.flag("-c,--cpus")
      $Plain.value("CPUS") $Plain.unit("milli_cpu") $Plain.min(1) $Plain.max(1000000000)
      $Plain.initial(1000);
  # Thousandths of a CPU.
  memory @1 :UInt32 $Plain.key("memory_mib") $Plain.toml("memory") $Plain.flag("--memory")
      $Plain.value("SIZE") $Plain.unit("mib") $Plain.max(4294967295);
  # Memory of each task; 0: none set aside, no limit.
  custom @2 :List(Amount) $Plain.atMost(8) $Plain.heap;  # Sorted by name, none of them 0.
  # The four rates, in KiB/s. 0 in a demand: none. 0 in the whole of a node: it declares none, and
  # has it without limit; of such a rate 2^32 - 1 is free.
  diskRead @3 :UInt32 $Plain.key("disk_read") $Plain.flag("--disk-read") $Plain.value("RATE")
      $Plain.unit("kib_per_second") $Plain.max(2147483648);
  diskWrite @4 :UInt32 $Plain.key("disk_write") $Plain.flag("--disk-write") $Plain.value("RATE")
      $Plain.unit("kib_per_second") $Plain.max(2147483648);
  netIn @5 :UInt32 $Plain.key("net_in") $Plain.flag("--net-in") $Plain.value("RATE")
      $Plain.unit("kib_per_second") $Plain.max(2147483648);
  netOut @6 :UInt32 $Plain.key("net_out") $Plain.flag("--net-out") $Plain.value("RATE")
      $Plain.unit("kib_per_second") $Plain.max(2147483648);
}

struct AmountSum {
  name @0 :Text $Plain.atMost(31);
  count @1 :UInt64;
}

struct ResourceSums {
  # What many tasks take together, each amount in the unit that it has in Resources; or that times
  # the milliseconds for which they take it. What exceeds the numbers counts as the largest of them.
  cpu @0 :UInt64;
  memory @1 :UInt64;
  diskRead @2 :UInt64;
  diskWrite @3 :UInt64;
  netIn @4 :UInt64;
  netOut @5 :UInt64;
  custom @6 :List(AmountSum) $Plain.atMost(8) $Plain.heap;
}

struct Extent {
  # The numbers by which a worker that packs ranks a job. Its frontend alone knows them.
  work @0 :ResourceSums;       # What its waiting tasks will take, times milliseconds.
  held @1 :ResourceSums;       # What its tasks that are bound hold, wherever they are.
  finished @2 :UInt16;         # Tasks of the group that have ended, in thousandths, rounded down.
}

enum Comparison { equal @0; notEqual @1; less @2; atMost @3; greater @4; atLeast @5; }

struct SlotCounts {
  # The slots of a node by what they do: see /sched/plan/slot_width.h. What is none of the other
  # three is available. No slots at all: not told.
  all @0 :UInt32;
  occupied @1 :UInt32;         # Held for a task, but none runs.
  busy @2 :UInt32;
  down @3 :UInt32;             # The node takes no task.
}

struct Constraint {
  # A demand on one attribute of a node.
  key @0 :Text $Plain.atMost(63);
  comparison @1 :Comparison;
  value @2 :Text $Plain.atMost(127);
}

struct Attribute {
  key @0 :Text $Plain.atMost(63);
  value @1 :Text $Plain.atMost(127);
}

struct Label {
  # What its user says of a job by a key, to find it again.
  key @0 :Text $Plain.atMost(63);
  value @1 :Text $Plain.atMost(127);
}

struct JobId {
  # Names one job for ever. A frontend which loses its disk, or gets an old one back, may give a
  # number again; it never gives a lineage again, so nothing of the first job matches the second.
  home @0 :UInt64 $Plain.cxx("PeerId");  # The frontend it was submitted to.
  number @1 :UInt32;           # Counts that frontend's jobs from 1: for people.
  lineage @2 :UInt64;          # Drawn by chance with the job's record; 0: older than lineages.
}

struct Attempt {
  index @0 :UInt32;
  attemptNumber :group $Plain.cxx("AttemptNumber") $Plain.member("attempt") {
    number @1 :UInt16;
    offices @2 :UInt16;
  }
}

enum HopRule {
  # The choice of the next node of a walk.
  random @0;                   # Any that could fit.
  greedy @1;                   # The best one known.
  mixed @2;                    # Greedy with the probability greedyShare, else random.
}

enum HopRank {
  # Of nodes that have room, the best for a greedy hop (design, section 5).
  room @0;                     # Most of it, by the number that ranks views.
  alignment @1;                # The largest dot product of demand and room.
  cosine @2;                   # Room that is most like the demand.
  bestFit @3;                  # The least that is left over.
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
  rank @7 :HopRank;
}

struct InputTerms {
  # What the tasks of a group with inputs in places do there and elsewhere: see
  # /sched/inputs/input_rates.h.
  diskRead @0 :UInt32;         # KiB/s of disk read for a task where its input is, ...
  netIn @1 :UInt32;            # ... and of network in for one elsewhere, as well as of disk read
                               # and network out at a node that has the input.
  left @2 :UInt32;             # Tasks to hand out the input of which the receiver has. If there are
                               # any it shall ask for those.
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
  urgent @25 :Bool;            # By what its frontend knows, its job misses its deadline else.
  extent @26 :List(Extent) $Plain.atMost(1) $Plain.heap;  # If some worker that packs was met.
  inputs @27 :List(InputTerms) $Plain.atMost(1) $Plain.heap;  # If inputs of the tasks have places;
                               # then `demand` is that of a task elsewhere.
  guessed @28 :UInt8;          # What of the demand is an estimate: an AmountSet.
  user @29 :UInt64;            # A number for the owner of the job; 0: not told.
  gang @30 :Bool;              # Its tasks start together: it holds slots until there are enough,
                               # and has none stopped.
}

enum OnPreempt {
  # What becomes of a task that is in the way of one which may take its room.
  never @0;                    # It stays; also if its frontend is of a build before.
  requeue @1;                  # It is asked to end, and runs again.
  checkpoint @2;               # Likewise, but a signal of its user's choice warns it first.
  suspend @3;                  # It stands still, without its CPU, until there is room again. No
                               # message says so: see Tasks.suspends.
}

struct Source {
  # A node that has the input of a task.
  node @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
}

struct Assignment {
  index @0 :UInt32;
  attempt :group $Plain.cxx("AttemptNumber") { number @1 :UInt16; offices @3 :UInt16; }  # From 1.
  entry @2 :Data $Plain.atMost(65536);  # The task's own line, if the job has lines.
  preemptions @4 :UInt16;      # Attempts of it that were preempted.
  remote @5 :Bool;             # Its input is elsewhere, ...
  sources @6 :List(Source) $Plain.atMost(4) $Plain.heap;  # ... at these nodes, as far as known.
}

struct Tasks {
  # The answer to GetTask; no tasks: drop the reservation.
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  request @3 :UInt32;
  spec @4 :Data $Plain.atMost(1310720);  # The work; opaque here, the driver's business.
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
  onPreempt @18 :OnPreempt;
  measured @19 :Int64 $Plain.cxx("Duration");  # Lately by such tasks, at speed 1; 0: not known.
  hasItsSlots @20 :Bool;       # There would be more tasks, but for GetTask.slotsMax.
  suspends @21 :Bool;          # With OnPreempt.requeue: suspend them. A build before requeues them.
  inputs @22 :List(InputTerms) $Plain.atMost(1) $Plain.heap;  # As in Reserve, after this answer.
  gathers @23 :Bool;           # No answer yet: its tasks start together with others, which have no
                               # slots. The worker keeps these, and asks again. A build before gives
                               # them up.
}
