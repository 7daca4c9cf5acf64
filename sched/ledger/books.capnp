@0xe5b1c07a94d3f268;
# The books of a cell: the commands that its voters put into their log, and the state that these
# make.
# Plain structs and the codec derive from this file. See docs/design/sharing.md.

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
$Cxx.namespace("dunlin::sched::books::wire");
$Plain.namespace("dunlin::sched::books");
$Plain.include("sched/kernel.h sched/ledger/books_types.h");

# ---- commands ----

struct Claim {
  # The first command of a new leader. From now on, lower epochs are refused.
}

struct Tick {
  # Only time passes: deposits that are too old expire.
}

struct Mint {
  # A node joins the cell with its tickets.
  node @0 :UInt64 $Plain.cxx("MemberId");
  tickets @1 :Int64;
}

struct Burn {
  # A node leaves. Its tickets are destroyed at once if it gave its grants back, otherwise when the
  # grants are over.
  node @0 :UInt64 $Plain.cxx("MemberId");
  returned @1 :Bool;
}

struct Share {
  classId @0 :UInt32;
  tickets @1 :Int64;
}

struct Sheet {
  # The grants of one node, by class.
  node @0 :UInt64 $Plain.cxx("MemberId");
  grants @1 :List(Share) $Plain.atMost(64) $Plain.heap;
}

struct Saving {
  # A part of a class's share of a node that it leaves unused.
  node @0 :UInt64 $Plain.cxx("MemberId");
  classId @1 :UInt32;
  tickets @2 :Int64;
  expires @3 :Int64 $Plain.cxx("Time");
  local @4 :Bool;              # Kept for use on this same node, not in the bank.
}

struct Drawing {
  classId @0 :UInt32;
  tickets @1 :Int64;
  node @2 :UInt64 $Plain.cxx("MemberId");  # The node of a local reserve; 0: the bank.
}

struct Allocate {
  # The decisions of a period, or some of them. The sheets replace those of these nodes.
  period @0 :UInt64;           # Greater than that of any Allocate before it.
  until @1 :Int64 $Plain.cxx("Time");    # The workers count on the grants until then.
  release @2 :Int64 $Plain.cxx("Time");  # The time at which the grants are over on any clock.
  sheets @3 :List(Sheet) $Plain.atMost(1024) $Plain.heap;
  deposits @4 :List(Saving) $Plain.atMost(4096) $Plain.heap;
  draws @5 :List(Drawing) $Plain.atMost(4096) $Plain.heap;
}

struct Return {
  # A worker gave its grants of that period back, signed.
  node @0 :UInt64 $Plain.cxx("MemberId");
  period @1 :UInt64;
}

struct HoldSavings {
  # The sender holds savings for another cell until that cell has decided. Transfers to one receiver
  # are numbered from 1.
  to @0 :UInt64 $Plain.cxx("CellId");
  number @1 :UInt64;
  classId @2 :UInt32;
  tickets @3 :Int64;
}

struct Accept {
  # The receiver takes a transfer, once. `settledBelow` comes from the sender, which is done with
  # all of its transfers below that number and will never ask for them again.
  from @0 :UInt64 $Plain.cxx("CellId");
  number @1 :UInt64;
  classId @2 :UInt32;
  tickets @3 :Int64;
  life @4 :Int64 $Plain.cxx("Duration");  # Until they expire.
  settledBelow @5 :UInt64;
  alone @6 :Bool;              # No other was under way from there, and these books had taken `sent`
  sent @7 :Int64;              # tickets before. What they have forgotten of that was set back.
}

struct Refuse {
  from @0 :UInt64 $Plain.cxx("CellId");
  number @1 :UInt64;
  settledBelow @2 :UInt64;
}

struct Settle {
  # The sender heard that the receiver committed Accept. With `below`, that these books are older
  # than those that the receiver knew (an older database was brought back): an earlier life of them
  # was done with all transfers below that number, which the receiver has taken, `received` in all.
  to @0 :UInt64 $Plain.cxx("CellId");
  number @1 :UInt64;
  below @2 :UInt64;
  received @3 :Int64;
}

struct Undo {
  # The sender heard that the receiver committed Refuse; for no other reason.
  to @0 :UInt64 $Plain.cxx("CellId");
  number @1 :UInt64;
}

struct WriteOff {
  # An operator declares a cell lost with all its replicas. Transfers under way to it come back, and
  # up to what it had in net from here is issued again.
  cell @0 :UInt64 $Plain.cxx("CellId");
  issue @1 :List(Share) $Plain.atMost(64) $Plain.heap;
  expires @2 :Int64 $Plain.cxx("Time");
}

struct Action {
  union {
    claim @0 :Claim;
    tick @1 :Tick;
    mint @2 :Mint;
    burn @3 :Burn;
    allocate @4 :Allocate;
    return @5 :Return;
    holdSavings @6 :HoldSavings;
    accept @7 :Accept;
    refuse @8 :Refuse;
    settle @9 :Settle;
    undo @10 :Undo;
    writeOff @11 :WriteOff;
  }
}

struct Command {
  epoch @0 :UInt64;            # The leader's.
  at @1 :Int64 $Plain.cxx("Time");  # The leader's stamp: the only time that a ledger knows.
  client @2 :UInt64;           # The client that asked, and the number of this among its commands.
  sequence @3 :UInt64;
  acknowledged @4 :UInt64;     # The client has the outcomes of all up to this one.
  action @5 :Action;
}

# ---- state ----

enum Outcome {
  applied @0;
  staleEpoch @1;               # A newer leader has claimed the books.
  unclaimed @2;                # This leader has not yet.
  forgotten @3;                # An old command once more: its client has acknowledged it.
  ahead @4;                    # Too far above what its client has acknowledged.
  malformed @5;                # Amounts or names that make no sense.
  tooMany @6;                  # A list of the books is full.
  tooLarge @7;                 # More tickets than can be counted.
  unknownNode @8;
  knownNode @9;                # It has its tickets already.
  overCommitted @10;           # More than the node has.
  oldPeriod @11;
  insufficient @12;            # The account holds less.
  done @13;                    # That transfer is finished, or decided already.
  outOfOrder @14;              # Its number is not the next one.
  unknownTransfer @15;
  lostCell @16;                # Written off.
  unknownLog @17;
  staleVersion @18;            # The entry of the log has changed since, or the asker has no say.
}

struct Deposit {
  expires @0 :Int64 $Plain.cxx("Time");
  tickets @1 :Int64;
}

struct Account {
  classId @0 :UInt32;
  node @1 :UInt64 $Plain.cxx("MemberId");  # The node of a local reserve; 0: the bank.
  deposits @2 :List(Deposit) $Plain.atMost(128) $Plain.heap;  # The first to expire first.
}

struct Node {
  node @0 :UInt64 $Plain.cxx("MemberId");
  tickets @1 :Int64;
  leaving @2 :Bool;
  period @3 :UInt64;           # The period of its sheet.
  until @4 :Int64 $Plain.cxx("Time");
  release @5 :Int64 $Plain.cxx("Time");
  grants @6 :List(Share) $Plain.atMost(64) $Plain.heap;
}

struct Outgoing {
  number @0 :UInt64;
  classId @1 :UInt32;
  deposits @2 :List(Deposit) $Plain.atMost(8) $Plain.heap;  # As they were, should they come back.
}

struct Incoming {
  number @0 :UInt64;
  accepted @1 :Bool;
  tickets @2 :Int64;
}

struct Partner {
  # Another cell, as far as transfers go.
  cell @0 :UInt64 $Plain.cxx("CellId");
  lost @1 :Bool;
  numberLast @2 :UInt64;       # The number of our last transfer to it.
  sent @3 :Int64;              # Settled, in all.
  received @4 :Int64;          # Accepted, in all.
  settledBelow @5 :UInt64;     # Its transfers below this number are done with.
  outgoing @6 :List(Outgoing) $Plain.atMost(64) $Plain.heap;  # By number.
  incoming @7 :List(Incoming) $Plain.atMost(64) $Plain.heap;
}

struct Answer {
  sequence @0 :UInt64;
  outcome @1 :Outcome;
}

struct Client {
  client @0 :UInt64;
  acknowledged @1 :UInt64;
  used @2 :UInt64;             # The count of commands when it last sent one.
  answers @3 :List(Answer) $Plain.atMost(64) $Plain.heap;
}

struct Totals {
  # The sums of all that ever came into these books and left them. They only grow.
  minted @0 :Int64;            # By nodes that joined ...
  burned @1 :Int64;            # ... and left.
  issued @2 :Int64;            # Deposited: shares that were left unused,
  reissued @3 :Int64;          # or written off elsewhere ...
  redeemed @4 :Int64;          # ... drawn,
  expired @5 :Int64;           # or grown too old.
  received @6 :Int64;          # From other cells ...
  sent @7 :Int64;              # ... and to them, settled.
}

struct State {
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  now @2 :Int64 $Plain.cxx("Time");
  period @3 :UInt64;
  counted @4 :UInt64;          # Commands of the epochs claimed.
  totals @5 :Totals;
  nodes @6 :List(Node) $Plain.atMost(8192) $Plain.heap;        # Each list is sorted by its key.
  accounts @7 :List(Account) $Plain.atMost(4096) $Plain.heap;
  partners @8 :List(Partner) $Plain.atMost(1024) $Plain.heap;
  clients @9 :List(Client) $Plain.atMost(256) $Plain.heap;
}
