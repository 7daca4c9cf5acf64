@0xe3b1f0a4c2d95871;
# Messages of scheduling as a later build may send them: a part of sched/message.capnp with the same
# numbers, and with fields, words and members that this build does not know.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("dunlin::newer");

struct JobId {
  home @0 :UInt64;
  number @1 :UInt32;
  lineage @2 :UInt64;
  realm @3 :Text;              # New.
}

struct FactsRequest {
  request @0 :UInt64;
  since @1 :UInt64;            # New.
  depth @2 :List(Text);        # New.
}

enum BounceReason {
  neverFits @0; constraint @1; draining @2; queueFull @3; duplicate @4; express @5; sick @6;
  tired @7;                    # New.
}

struct Load { cpuFree @0 :UInt32; memoryFree @1 :UInt32; queued @2 :UInt32; energy @3 :UInt64; }

struct Bounced {
  job @0 :JobId;
  group @1 :UInt16;
  probe @2 :UInt32;
  reason @3 :BounceReason;
  load @4 :Load;
}

struct TaskUse {
  cpuPeak @0 :UInt32;
  diskRead @1 :UInt64;
  diskWritten @2 :UInt64;
  netReceived @3 :UInt64;
  netSent @4 :UInt64;
  diskReadPeak @5 :UInt32;
  diskWritePeak @6 :UInt32;
  netInPeak @7 :UInt32;
  netOutPeak @8 :UInt32;
  hasDisk @9 :Bool;
  hasNet @10 :Bool;
  energy @11 :UInt64;          # New.
  hosts @12 :List(Text);       # New.
}

struct Report {
  index @0 :UInt32;
  attempt :group { number @1 :UInt16; offices @12 :UInt16; }
  outcome @2 :UInt16;
  status @3 :Int32;
  wall @4 :Int64;
  cpu @5 :Int64;
  memoryPeak @6 :UInt64;
  outBytes @7 :UInt64;
  errBytes @8 :UInt64;
  startedAt @9 :Int64;
  detail @10 :Text;
  cause @11 :UInt16;
  use @13 :TaskUse;
  mood @14 :Text;              # New.
}

struct Done { job @0 :JobId; reports @1 :List(Report); }

struct Novelty { text @0 :Text; }

struct Message {
  union {
    reserve @0 :AnyPointer;
    queued @1 :AnyPointer;
    bounced @2 :Bounced;
    getTask @3 :AnyPointer;
    tasks @4 :AnyPointer;
    refused @5 :AnyPointer;
    done @6 :Done;
    doneAck @7 :AnyPointer;
    renew @8 :AnyPointer;
    renewAck @9 :AnyPointer;
    cancel @10 :AnyPointer;
    kill @11 :AnyPointer;
    factsRequest @12 :FactsRequest;
    facts @13 :AnyPointer;
    drainRequest @14 :AnyPointer;
    drainReply @15 :AnyPointer;
    remaining @16 :AnyPointer;
    inquiry @17 :AnyPointer;
    testimony @18 :AnyPointer;
    logAppend @19 :AnyPointer;
    logAppended @20 :AnyPointer;
    logBehind @21 :AnyPointer;
    findHome @22 :AnyPointer;
    homeIs @23 :AnyPointer;
    listJobs @24 :AnyPointer;
    jobsListed @25 :AnyPointer;
    nodesListed @26 :AnyPointer;
    endRequest @27 :AnyPointer;
    jobEnd @28 :AnyPointer;
    attach @29 :AnyPointer;
    attached @30 :AnyPointer;
    cellView @31 :AnyPointer;
    launchTasks @32 :AnyPointer;
    launchReply @33 :AnyPointer;
    rollCall @34 :AnyPointer;
    memberRow @35 :AnyPointer;
    startTasks @36 :AnyPointer;
    park @37 :AnyPointer;
    offer @38 :AnyPointer;
    passedLaunch @39 :AnyPointer;
    tellExtent @40 :AnyPointer;
    borrow @41 :AnyPointer;
    lent @42 :AnyPointer;
    repay @43 :AnyPointer;
    askAfter @44 :AnyPointer;
    novelty @45 :Novelty;      # New.
  }
}
