@0xa7d3e2c4b1f09586;
# The messages by which peers learn which peers there are. Plain structs and the codec derive from
# this file: the messages are declared here and nowhere else.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "plain.capnp";
$Cxx.namespace("dunlin::overlay::wire");
$Plain.namespace("dunlin::overlay");
$Plain.include("overlay/wire_types.h");

struct Descriptor {
  # A peer as another one knows it. 10 words.
  id @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") {
    high @1 :UInt64;
    low @2 :UInt64;
    port @3 :UInt16;
  }
  queued @4 :UInt16;           # Reservations waiting in its queue, saturating.
  age @5 :UInt32 $Plain.cxx("Duration");
  # The time since its owner said this, in ms rounded up: an age only ever grows on its way.
  incarnation @6 :UInt32;      # Of the owner; a later one replaces all of an earlier.
  sequence @7 :UInt32;         # Counts the owner's statements in it; the freshest wins.
  cpuFree @8 :UInt32;          # milli-CPU; 0 while the owner drains.
  memoryFree @9 :UInt32;       # MiB
  cpuTotal @10 :UInt32;        # 0 while the owner is sick: it offers nothing at all.
  memoryTotal @11 :UInt32;     # Likewise.
  signature :group $Plain.cxx("Signature") {
    # A Bloom vector of its attributes (sched/constraints.h): never hides a node that would do.
    low @12 :UInt64;
    high @13 :UInt64;
  }
  ratesTotal @14 :UInt32;      # Its rates of disk and network, 8 bits each; 0: not declared.
  ratesUsed @15 :UInt32;       # The part of each that is taken (sched/packing/rate_bits.h).
}

struct ShuffleRequest {
  # Cyclon, step 4: the initiator's entries, itself among them.
  request @0 :UInt64;          # Drawn by chance; the reply must carry it and come from the partner.
  sample @1 :List(Descriptor) $Plain.atMost(12);
}

struct ShuffleReply {
  request @0 :UInt64;
  sample @1 :List(Descriptor) $Plain.atMost(12);
}

struct GradientRequest {
  # T-Man: the entries that rank best for the receiver, the sender among them.
  request @0 :UInt64;
  buffer @1 :List(Descriptor) $Plain.atMost(12);
}

struct GradientReply {
  request @0 :UInt64;
  buffer @1 :List(Descriptor) $Plain.atMost(12);
}

struct Join {
  # To any one contact, again and again until welcomed.
  request @0 :UInt64;
  joiner @1 :Descriptor;
}

struct Welcome {
  # A few peers to start from, the contact among them.
  request @0 :UInt64;
  sample @1 :List(Descriptor) $Plain.atMost(12);
}

struct JoinWalk {
  # A random walk that ends with the joiner in somebody's view, in exchange for an entry.
  joiner @0 :Descriptor;
  hops @1 :UInt8;              # Still to go.
}

struct JoinOffer {
  # The entry that made room for the joiner.
  evicted @0 :Descriptor;
}

struct Ping {
  request @0 :UInt64;
}

struct Pong {
  request @0 :UInt64;
  self @1 :Descriptor;
}

struct Leave {
  # A graceful farewell of this incarnation of the sender.
  incarnation @0 :UInt32;
}

struct Message {
  union {
    shuffleRequest @0 :ShuffleRequest;
    shuffleReply @1 :ShuffleReply;
    gradientRequest @2 :GradientRequest;
    gradientReply @3 :GradientReply;
    join @4 :Join;
    welcome @5 :Welcome;
    joinWalk @6 :JoinWalk;
    joinOffer @7 :JoinOffer;
    ping @8 :Ping;
    pong @9 :Pong;
    leave @10 :Leave;
  }
}
