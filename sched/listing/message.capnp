@0xb84d1c6e37f0a925;
# The messages by which a node lists the jobs of the cluster. It walks the tree of managers: each
# says at once which cells it manages and where others are, and then, when it has asked the members
# of its cell, what each of them has. Members of the union in /sched/message.capnp.
#
#   any node -> manager  ListJobs      which of your members have such jobs?
#                                      -> JobsListed at once, NodesListed for each cell of nodes
#   manager -> member    ListJobs      how many such jobs are yours?  -> NodesListed

using Cxx = import "/capnp/c++.capnp";
using Plain = import "/overlay/plain.capnp";
using Work = import "/sched/work.capnp";
$Cxx.namespace("dunlin::sched::wire");
$Plain.namespace("dunlin::sched");
$Plain.include("overlay/wire_types.h sched/kernel.h sched/ledger/books_types.h");

enum JobSort {
  # The order of a list; jobs that are equal in it come newest first.
  number @0;                   # By home, then by number.
  newest @1;
  oldest @2;
  tasks @3;                    # Those with most of them first.
  name @4;
  user @5;
  state @6;
}

struct FirstJob {
  # A job's place in a list, as far as the order looks at it: of a node's job that would stand
  # first, or of the last that was shown.
  number @0 :UInt32;
  submittedAt @1 :Int64;
  tasks @2 :UInt32;
  state @3 :UInt8;             # Its place in kJobStates.
  key @4 :Text $Plain.atMost(127);  # The name, or the user, if the order is by that.
  origin @5 :UInt64 $Plain.cxx("PeerId");  # The node that took it; 0: the one that tells of it.
}

struct ListedJob {
  # A job by its name.
  node @0 :UInt64 $Plain.cxx("PeerId");  # That took it.
  number @1 :UInt32;
}

struct JobFilter {
  # The jobs that a list is of, and its order: see sched/listing/job_query.h. An empty text: any.
  all @0 :Bool;                # Those that have ended, too.
  state @1 :Text $Plain.atMost(15);
  user @2 :Text $Plain.atMost(127);
  serviceClass @3 :Text $Plain.atMost(127);
  name @4 :Text $Plain.atMost(127);  # A pattern of the shell.
  since @5 :Int64;             # Submitted then or later: wall clock, ns since 1970; 0: whenever.
  sort @6 :JobSort;
  endedSince @7 :Int64;        # Those that ended then or later; 0: whether or not they ended. Nodes
                               # of before do not know this and what follows: they tell of more.
  ids @8 :List(ListedJob) $Plain.atMost(64) $Plain.heap;  # Only these; none: any.
  after @9 :List(FirstJob) $Plain.atMost(1) $Plain.heap;  # Only those behind this place are listed.
  labels @10 :List(Work.Label) $Plain.atMost(8) $Plain.heap;  # Those that have all of these. An
                               # empty value: any of that key.
}

struct ListJobs {
  request @0 :UInt64;          # Echoed.
  cells @1 :Bool;              # The jobs of all members of the cells managed there; else its own.
  filter @2 :JobFilter;
  list @3 :UInt64;             # Names the list: asked again for it, a manager goes on with it.
}

struct NodeJobs {
  # What one node has of the jobs that a list is of.
  node @0 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @1 :UInt64; low @2 :UInt64; port @3 :UInt16; }
  silent @4 :Bool;             # It did not answer its manager: then nothing more is known.
  totals @5 :List(UInt32) $Plain.atMost(6);  # Jobs by state, as kJobStates.
  matching @6 :UInt32;         # Of those, the ones to be listed, behind JobFilter.after or not.
  first @7 :FirstJob;          # Of those behind it, if there is one.
  orphans @8 :Bool;            # It has records of jobs whose home and books are gone.
  passed @9 :Bool;             # None that matches is behind JobFilter.after.
  noUsage @10 :Bool;           # It has added up no usage, so it need not be asked for any.
}

struct ManagerAt {
  cell @0 :UInt64 $Plain.cxx("CellId");
  node @1 :UInt64 $Plain.cxx("PeerId");
  address :group $Plain.cxx("Address") { high @2 :UInt64; low @3 :UInt64; port @4 :UInt16; }
}

struct ListedCell {
  # A cell by the word of its manager.
  cell @0 :UInt64 $Plain.cxx("CellId");
  epoch @1 :UInt64;
  parent @2 :UInt64 $Plain.cxx("CellId");  # 0: none.
  children @3 :List(ManagerAt) $Plain.atMost(64) $Plain.heap;  # From level 1.
}

struct JobsListed {
  # At once: by this the asker finds the other managers. Of each cell of nodes here NodesListed
  # follows, when its members have been asked.
  request @0 :UInt64;
  cells @1 :List(ListedCell) $Plain.atMost(8) $Plain.heap;  # That are managed there.
  places @2 :List(ManagerAt) $Plain.atMost(64) $Plain.heap;  # Where others are said to be.
}

struct NodesListed {
  request @0 :UInt64;
  cell @1 :UInt64 $Plain.cxx("CellId");  # 0: a node of itself.
  nodes @2 :List(NodeJobs) $Plain.atMost(1024) $Plain.heap;
}
