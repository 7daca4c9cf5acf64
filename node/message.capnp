@0xe4c2b19f6d7a8035;
# What agents tell each other beyond the protocols: task output. And what a task runs, which the
# scheduling layer carries without looking inside.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::node::wire");
$Plain.namespace("dunlin::node");
$Plain.include("overlay/wire_types.h sched/kernel.h");

struct Variable {
  name @0 :Text $Plain.atMost(255);
  value @1 :Text $Plain.atMost(32768);
}

struct Word {
  text @0 :Text $Plain.atMost(65536);
}

struct TaskSpec {
  # What a task runs. Placeholders (%{TASK_INDEX}, %{ENTRY} ...) are filled in on the worker.
  command @0 :List(Word) $Plain.atMost(4096) $Plain.heap;   # The program and its arguments.
  environment @1 :List(Variable) $Plain.atMost(1024) $Plain.heap;
  directory @2 :Text $Plain.atMost(4096);        # Working directory; empty: a scratch one.
  stdoutPath @3 :Text $Plain.atMost(4096);       # Empty: kept by the worker. "none": discarded.
  stderrPath @4 :Text $Plain.atMost(4096);
  submitDirectory @5 :Text $Plain.atMost(4096);
}

enum OutputStream { out @0; err @1; }

struct OutputRequest {
  request @0 :UInt64;
  home @1 :UInt64 $Plain.cxx("overlay::PeerId");
  job @2 :UInt32;
  index @3 :UInt32;
  attempt @4 :UInt16;          # 0: the last one here.
  stream @5 :OutputStream;
  offset @6 :UInt64;
  most @7 :UInt32;             # Bytes.
  wait @8 :UInt32 $Plain.cxx("overlay::Duration");
  # Answer empty only after so long, if it still runs.
}

struct OutputChunk {
  request @0 :UInt64;
  found @1 :Bool;
  ended @2 :Bool;              # No more will be written.
  attempt @3 :UInt16;
  total @4 :UInt64;            # Bytes so far.
  data @5 :Data $Plain.atMost(49152);
}

struct Message {
  union {
    outputRequest @0 :OutputRequest;
    outputChunk @1 :OutputChunk;
  }
}
