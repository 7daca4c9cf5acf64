@0xe4c2b19f6d7a8035;
# The messages between agents beyond the protocols: task output, and the facts about cells that
# operators want to see. Also the content of a task, which the scheduling layer carries without
# looking inside.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Roster = import "/sched/ledger/roster.capnp";
$Cxx.namespace("dunlin::node::wire");
$Plain.namespace("dunlin::node");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

struct Variable {
  name @0 :Text $Plain.atMost(255);
  value @1 :Text $Plain.atMost(131071);  # With its name, as a word.
}

struct Word {
  text @0 :Text $Plain.atMost(131071);  # As long as Linux takes one.
}

struct TaskSpec {
  # The command of a task. Placeholders (%{TASK_INDEX}, %{ENTRY} ...) are filled in on the worker.
  command @0 :List(Word) $Plain.atMost(4096) $Plain.heap;   # The program and its arguments.
  environment @1 :List(Variable) $Plain.atMost(1024) $Plain.heap;
  directory @2 :Text $Plain.atMost(4096);        # Working directory; empty: a scratch one.
  stdoutPath @3 :Text $Plain.atMost(4096);       # Empty: kept by the worker. "none": discarded.
  stderrPath @4 :Text $Plain.atMost(4096);
  submitDirectory @5 :Text $Plain.atMost(4096);
  owner @6 :Text $Plain.atMost(255);   # The user that it runs as; empty: the agent's.
  array @7 :Bool;
  # Its entry is an index of the user's own: see node/task/task_array.h.
  stdinPath @8 :Text $Plain.atMost(4096);        # Empty, or "none": there is nothing to read.
  input @9 :TaskInput;
  rows @10 :UInt16 $Plain.key("rows") $Plain.max(65535);  # The size of its terminal, ...
  columns @11 :UInt16 $Plain.key("columns") $Plain.max(65535);  # ... until a client says another.
  checkpointSignal @12 :UInt8 $Plain.key("checkpoint_signal") $Plain.flag("--checkpoint-signal")
      $Plain.value("SIGNAL") $Plain.min(1) $Plain.max(64);
  # Warns it that it is about to be preempted; 0: nothing does.
  checkpointTime @13 :UInt32 $Plain.cxx("overlay::Duration") $Plain.key("checkpoint_time_ns")
      $Plain.toml("checkpoint_time") $Plain.flag("--checkpoint-time") $Plain.value("TIME")
      $Plain.unit("ns") $Plain.min(1) $Plain.max(86400000000000) $Plain.initial(30000000000);
  # From then until it is asked to end.
  literal @14 :Bool;                   # Its words and paths have no placeholders.
  groupFirst @15 :UInt32;              # The group's first task in the job, ...
  groupSize @16 :UInt32;               # ... and its tasks; 0: an older frontend's, which says not.
  groupName @17 :Text $Plain.atMost(255);
  umask @18 :UInt16;                   # One more than the umask of its tasks; 0: the agent's.
  limits @19 :List(SoftLimit) $Plain.atMost(16) $Plain.heap;
  truncate @20 :Bool;                  # Its files of output begin empty. Builds before append.
  limitSignal @21 :UInt8 $Plain.key("limit_signal") $Plain.flag("--limit-signal")
      $Plain.value("SIGNAL@TIME") $Plain.min(1) $Plain.max(64);
  # Tells it that the time limit of its attempt is near; 0: nothing does. Builds before send none.
  limitSignalTime @22 :UInt32 $Plain.cxx("overlay::Duration") $Plain.key("limit_signal_time_ns")
      $Plain.toml("limit_signal_time") $Plain.unit("ns") $Plain.min(1)
      $Plain.max(4233600000000000) $Plain.initial(60000000000);
  # It gets the signal so long before.
  script @23 :Data $Plain.atMost(1048576);
  # A text that its #! line runs, as it is; empty: there is a command. See node/task/task_script.h.
  arguments @24 :List(Word) $Plain.atMost(4096) $Plain.heap;
  # Those of the script. The command is empty then: builds before refuse to run such a task.
}

struct SoftLimit {
  # What a task may take of a resource of setrlimit(2), within the agent's hard limit.
  resource @0 :UInt8;                  # As kLimitNames in node/task/soft_limits.h counts them.
  max @1 :UInt64;                      # All bits set: no limit.
}

# Where standard input comes from: the file above, a client through a pipe, or a client's terminal,
# which output goes to as well.
enum TaskInput { file @0; client @1; terminal @2; }

enum OutputStream { out @0; err @1; }

struct OutputRequest {
  request @0 :UInt64;
  home @1 :UInt64 $Plain.cxx("overlay::PeerId");
  job @2 :UInt32;
  index @3 :UInt32;
  attempt :group $Plain.cxx("sched::AttemptNumber") { number @4 :UInt16; offices @10 :UInt16; }
                               # 0: the last one here.
  stream @5 :OutputStream;
  offset @6 :UInt64;
  bytesMax @7 :UInt32;
  wait @8 :UInt32 $Plain.cxx("overlay::Duration");
  # Answer empty only after so long, if it still runs.
  lineage @9 :UInt64;          # The job's: see JobId in sched/message.capnp.
}

struct OutputChunk {
  request @0 :UInt64;
  found @1 :Bool;
  ended @2 :Bool;              # No more will be written.
  attempt :group $Plain.cxx("sched::AttemptNumber") { number @3 :UInt16; offices @6 :UInt16; }
  total @4 :UInt64;            # Bytes so far.
  data @5 :Data $Plain.atMost(49152);
  cutOff @7 :Bool;             # The task could not write all: the disk there had no room.
  atLimit @8 :Bool;            # That is all that agent.output_task_limit there keeps of a task.
}

struct OutputCopy {
  # The end of what an attempt wrote, from its worker to the replicas of its job's log.
  log @0 :UInt64;
  home @1 :UInt64 $Plain.cxx("overlay::PeerId");  # The job's, as in OutputRequest.
  job @2 :UInt32;
  lineage @3 :UInt64;
  index @4 :UInt32;
  attempt :group $Plain.cxx("sched::AttemptNumber") { number @5 :UInt16; offices @6 :UInt16; }
  stream @7 :OutputStream;
  begin @8 :UInt64;            # So many bytes come before.
  data @9 :Data $Plain.atMost(524288);
}

struct KeptJob {
  # Of the home that is asked, or that answers.
  number @0 :UInt32;
  lineage @1 :UInt64;
}

struct OutputCheck {
  # A node keeps output of tasks of these jobs, and asks their home -> OutputGone, if it forgot any.
  jobs @0 :List(KeptJob) $Plain.atMost(64);
}

struct OutputGone {
  # The sender is the home of these jobs, and knows them no more: nobody can ask for their output.
  jobs @0 :List(KeptJob) $Plain.atMost(64);
}

struct CellQuestion {
  # Asks any agent for its knowledge of sharing and for the cells that it manages -> CellAnswer.
  request @0 :UInt64;          # Echoed. An answer counts only from the agent asked.
  cell @1 :UInt64 $Plain.cxx("sched::CellId");  # Only that cell; 0: all that are managed there.
  members @2 :Bool;            # Name the members of cells of nodes, too.
  partners @3 :Bool;           # Tell what went to other cells and came from them: to those with
  after @4 :UInt64 $Plain.cxx("sched::CellId");  # ids above this one, as many as fit.
  membersAfter @5 :UInt64 $Plain.cxx("sched::MemberId");  # Likewise of the members.
  plan @6 :Bool;               # Tell how slots are divided, too.
  masters @7 :Bool;            # Tell what managers do as local masters, too.
  past @8 :Bool;               # Tell what classes had saved over time, too.
}

struct CellPlace {
  # Where a cell is said to be managed. Whoever acts on it asks there.
  cell @0 :UInt64 $Plain.cxx("sched::CellId");
  node @1 :UInt64 $Plain.cxx("overlay::PeerId");
  address :group $Plain.cxx("overlay::Address") {
    high @2 :UInt64;
    low @3 :UInt64;
    port @4 :UInt16;
  }
}

struct ReportedMember {
  member @0 :UInt64 $Plain.cxx("sched::MemberId");  # A node, or from level 1 on a cell.
  node @1 :UInt64 $Plain.cxx("overlay::PeerId");  # The node that speaks for it.
  address :group $Plain.cxx("overlay::Address") {
    high @2 :UInt64;
    low @3 :UInt64;
    port @4 :UInt16;
  }
  tickets @5 :Int64;
  leaving @6 :Bool;
}

struct ReportedShare {
  # One class in one cell, in tickets.
  classId @0 :UInt32;
  name @1 :Text $Plain.atMost(63);
  weight @2 :Int64;            # From the class table: only proportions count.
  granted @3 :Int64;
  used @4 :Int64;              # In the last period ...
  need @5 :Int64;              # ... and what waited beyond.
  balance @6 :Int64;           # Saved: accounts and local reserves.
  cpu @7 :Int64;               # CPU time of the tasks that ended in the last period.
}

struct ReportedBalances {
  # What a class had saved in a cell, as its manager saw it.
  classId @0 :UInt32;
  values @1 :List(Int64) $Plain.atMost(120) $Plain.heap;  # At each minute, the newest last.
}

struct ReportedTransfer {
  number @0 :UInt64;
  accepted @1 :Bool;           # The last of those that came.
  tickets @2 :Int64;
}

struct ReportedPartner {
  # Another cell, as far as transfers go: the books of books.capnp without the deposits.
  cell @0 :UInt64 $Plain.cxx("sched::CellId");
  lost @1 :Bool;
  numberLast @2 :UInt64;
  sent @3 :Int64;
  received @4 :Int64;
  settledBelow @5 :UInt64;
  outgoing @6 :List(ReportedTransfer) $Plain.atMost(64) $Plain.heap;  # By number.
  incoming @7 :List(ReportedTransfer) $Plain.atMost(64) $Plain.heap;
}

struct ReportedMissing {
  # A cell that was a member, and of which nobody has heard since.
  cell @0 :UInt64 $Plain.cxx("sched::CellId");
  tickets @1 :Int64;
  saved @2 :Int64;
  age @3 :Int64 $Plain.cxx("overlay::Duration");
}

struct ReportedSums {
  # The tickets in the books of a cell, and their origin (sched/ledger/audit.h).
  minted @0 :Int64;
  created @1 :Int64;
  pools @2 :Int64;
  granted @3 :Int64;
  available @4 :Int64;
  inFlight @5 :Int64;
  sent @6 :Int64;
  received @7 :Int64;
  broken @8 :Text $Plain.atMost(255);  # The first thing that does not hold; empty if all does.
}

struct ReportedJobPlan {
  home @0 :UInt64 $Plain.cxx("overlay::PeerId");
  number @1 :UInt32;
  slots @2 :UInt32;
  need @3 :UInt32;             # The slots that the policy wanted for it.
  hasSlack @4 :Bool;
  slack @5 :Int64;             # In ns, below 0 if its deadline will be missed.
}

struct ReportedPlan {
  # The last plan of a manager, in its epoch.
  number @0 :UInt64;
  age @1 :Int64 $Plain.cxx("overlay::Duration");
  cause @2 :Text $Plain.atMost(31);
  slots @3 :UInt32;            # All there were.
  moved @4 :UInt32;            # Those that another job has now.
  jobs @5 :List(ReportedJobPlan) $Plain.atMost(128) $Plain.heap;  # As many as fit ...
  jobCount @6 :UInt32;         # ... of so many.
}

struct ReportedGlobalMaster {
  # A global master, as a local one knows it since it attached there.
  node @0 :UInt64 $Plain.cxx("overlay::PeerId");
  partition @1 :UInt32;        # Members.
  launched @2 :UInt64;         # Tasks.
  internal @3 :UInt64;         # Those for which the member that was chosen had no room, its own ...
  external @4 :UInt64;         # ... or one of another partition.
  refused @5 :UInt64;          # No other member had room for these.
  underWay @6 :UInt32;         # Their members have not answered yet.
  parked @7 :UInt32;           # Groups of tasks that wait there for room.
  preempting @8 :UInt64;       # Tasks for which others were to be stopped if there is no room, ...
  preempted @9 :UInt64;        # ... and those of them for which some were.
  borrowed @10 :UInt32;        # Members of other partitions where tasks of its run, ...
  borrowedCpu @11 :UInt64;     # ... with so many milli-CPU.
}

struct ReportedLocalMaster {
  # The manager of a cell as the local master of federated placement.
  rows @0 :UInt32;
  freeCpu @1 :UInt64;          # milli-CPU, by all rows, ...
  freeMemory @2 :UInt64;       # ... and MiB.
  age @3 :Int64 $Plain.cxx("overlay::Duration");  # Of the oldest word of a member that spoke.
  masters @4 :List(ReportedGlobalMaster) $Plain.atMost(128) $Plain.heap;  # By node.
}

struct CellReport {
  # A cell by the word of its manager: what is committed in its books.
  cell @0 :UInt64 $Plain.cxx("sched::CellId");
  epoch @1 :UInt64;
  parent @2 :UInt64 $Plain.cxx("sched::CellId");  # 0: none.
  age @3 :Int64 $Plain.cxx("overlay::Duration");  # By the clock of its books.
  version @4 :UInt64;          # The version of its class table.
  size @5 :UInt32;             # Members, ...
  sizeMax @6 :UInt32;          # ... and how many there may be.
  voters @7 :UInt16;
  dissolving @8 :Bool;
  closed @9 :Bool;
  tickets @10 :Int64;          # The sum over all members.
  sums @11 :ReportedSums;
  members @12 :List(ReportedMember) $Plain.atMost(256) $Plain.heap;
  shares @13 :List(ReportedShare) $Plain.atMost(16) $Plain.heap;
  partners @14 :List(ReportedPartner) $Plain.atMost(16) $Plain.heap;  # By cell ...
  more @15 :Bool;              # ... and there are more.
  manager @16 :UInt64 $Plain.cxx("overlay::PeerId");  # Whoever says this.
  moreMembers @17 :Bool;
  missing @18 :List(ReportedMissing) $Plain.atMost(64) $Plain.heap;  # By cell.
  plan @19 :Roster.PlanRule;
  plans @20 :List(ReportedPlan) $Plain.atMost(1) $Plain.heap;  # If one was made, and asked for.
  localMaster @21 :List(ReportedLocalMaster) $Plain.atMost(1) $Plain.heap;
                               # If its manager is one, and that was asked for.
  balances @22 :List(ReportedBalances) $Plain.atMost(16) $Plain.heap;  # If asked for.
}

struct CellAnswer {
  request @0 :UInt64;
  cells @1 :List(CellReport) $Plain.atMost(8) $Plain.heap;   # That are managed there.
  # Places of other cells it has heard of.
  places @2 :List(CellPlace) $Plain.atMost(64) $Plain.heap;
}

struct WriteOff {
  # An operator says that a cell is lost for good. To the manager of another one. -> WriteOffAnswer
  request @0 :UInt64;          # Echoed.
  cell @1 :UInt64 $Plain.cxx("sched::CellId");  # The cell with the books that must say so.
  lost @2 :UInt64 $Plain.cxx("sched::CellId");
  reissue @3 :Bool;            # Its net savings from there are issued again.
}

struct WriteOffAnswer {
  request @0 :UInt64;
  refusal @1 :Text $Plain.atMost(1023);  # Empty: it is on its way into the books.
}

struct Elsewhere {
  # The sender's knowledge of the receiver, which speaks as an earlier incarnation, or from another
  # address, or gives a datagram the number of an earlier one. Layer::link.
  incarnation @0 :UInt32;      # The latest that the sender knows, ...
  address :group $Plain.cxx("overlay::Address") {   # ... and where it was last heard.
    high @1 :UInt64;
    low @2 :UInt64;
    port @3 :UInt16;
  }
  counter @4 :UInt64;          # The highest number it had given to a datagram by then.
}

struct Twin {
  # Between two processes of one identity: a question, which is answered with its nonce echoed; and
  # that answer, too. Layer::link.
  nonce @0 :UInt64;            # Drawn by the sender.
  echo @1 :UInt64;             # The request answered; 0: a question.
  startedAt @2 :Int64;         # When the sender's process began: wall clock, ns since 1970.
  incarnation @3 :UInt32;
  age @4 :UInt64;              # How long that process had run when it drew the nonce, in ns. 0: an
                               # agent of before, which compares startedAt.
}

struct NodePlace {
  address :group $Plain.cxx("overlay::Address") {
    high @0 :UInt64;
    low @1 :UInt64;
    port @2 :UInt16;
  }
}

struct Whereabouts {
  # Between nodes that have met, when one of them sees something new. Layer::reach.
  name @0 :Text $Plain.atMost(63);     # The sender's.
  places @1 :List(NodePlace) $Plain.atMost(8);  # The sender's addresses, the one it tells first.
  seen :group $Plain.cxx("overlay::Address") {  # Where the receiver's datagrams come from; ...
    high @2 :UInt64;
    low @3 :UInt64;
    port @4 :UInt16;
  }
  unreached :group $Plain.cxx("overlay::Address") {
    # ... and the address that it tells, if it does not answer the sender there. Port 0: none.
    high @5 :UInt64;
    low @6 :UInt64;
    port @7 :UInt16;
  }
}

struct NodeSought {
  # Asks a node for what it knows of another one -> NodeFound. Layer::reach.
  node @0 :UInt64 $Plain.cxx("overlay::PeerId");
}

struct NodeFound {
  # Hints: the node itself proves where it is. Layer::reach.
  node @0 :UInt64 $Plain.cxx("overlay::PeerId");
  name @1 :Text $Plain.atMost(63);     # Empty: it is not known.
  places @2 :List(NodePlace) $Plain.atMost(8);  # Those that lead to it from the sender first.
}

struct Message {
  union {
    outputRequest @0 :OutputRequest;
    outputChunk @1 :OutputChunk;
    cellQuestion @2 :CellQuestion;
    cellAnswer @3 :CellAnswer;
    writeOff @4 :WriteOff;
    writeOffAnswer @5 :WriteOffAnswer;
    elsewhere @6 :Elsewhere;
    twin @7 :Twin;
    outputCopy @8 :OutputCopy;
    outputCheck @9 :OutputCheck;
    outputGone @10 :OutputGone;
    whereabouts @11 :Whereabouts;
    nodeSought @12 :NodeSought;
    nodeFound @13 :NodeFound;
  }
}
