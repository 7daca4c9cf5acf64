// SPDX-License-Identifier: MIT
#include <string>

#include "tools/dunlin/manual/manual.h"

// The one page that is written and not made: what Dunlin is, its words, a first session, and what
// all commands share. A test holds the words to those of the glossary.
namespace dunlin::cli {
namespace {

/// A word without which the other pages make no sense.
struct OverviewWord {
  const char* word;
  const char* meaning;
};

constexpr OverviewWord kOverviewWords[] = {
    {"job", "What a user submits. It has one task or many, and a number at the node that took it."},
    {"task", "One command that is to run once. Tasks of a job are numbered from 0."},
    {"group",
        "Tasks of one job with equal demand. A job file may have several groups, and let one wait "
        "for another."},
    {"attempt",
        "One try to run a task. A failure that is forgiven, or a node that is lost, makes another "
        "one."},
    {"agent",
        "The program that runs on each machine. It takes jobs, runs tasks, and speaks with other "
        "agents."},
    {"node", "An agent with the machine that it offers to tasks."},
    {"home",
        "The node that drives a job: the one that took it, or the standby that went on with it."},
    {"standby",
        "A node on another machine that keeps a copy of a job's records. One of them goes on with "
        "the job when its home is gone."},
    {"warden",
        "The process beside an agent that starts, limits and stops tasks. It keeps them while the "
        "agent restarts."},
    {"class",
        "Jobs that share the cluster together. A class has a weight, and gets its part when all is "
        "full."},
    {"cell", "Up to 40 nodes that are managed together. Cells form cells of cells."},
    {"manager", "The node that its cell elected to lead it. If it dies, another one is elected."},
    {"books",
        "What a cell must not lose: its members, its tickets, and which node drives each job with "
        "standbys. Three of its nodes keep them, five at the root."},
};

// In mdoc: words that are typed get .Ql or a display, so that a dash in them is a minus, which can
// be copied.
constexpr const char* kOverview = R"mdoc(.Sh DESCRIPTION
Dunlin runs jobs on a cluster of machines, and has no head node.
An agent,
.Xr dunlin-agent 1 ,
runs on each machine; the agents find each other by gossip, and any of them takes jobs, places their
tasks and tells what became of them.
Whatever machine dies, the others go on.
.Pp
Jobs are named by number:
.Ql 12 ,
.Ql last ,
.Ql all ,
.Ql 3\-7 ;
jobs of other nodes with the name of their node,
.Ql merlin.12 .
Tasks follow after a dot and count from 0:
.Ql 12.0\-9 .
)mdoc";

constexpr const char* kFirstSteps = R"mdoc(.Ss A first session
A small cluster on one machine, to try things out, ends with Ctrl-C:
.Bd -literal -offset indent
$ dunlin dev
.Ed
.Pp
In another terminal,
.Ev DUNLIN_ADDRESS
set as it prints:
.Bd -literal -offset indent
$ dunlin run \-\- echo hello
hello
$ dunlin submit \-\-count 4 \-\- sh \-c \(aqecho task $DUNLIN_TASK_INDEX; sleep 2\(aq
job 2: 4 tasks
$ dunlin wait last
job 2: done; 4 of 4 tasks done
$ dunlin logs last.3
task 3
.Ed
.Ss A cluster for good
Make a key once, copy it to every machine with mode 0600, and start an agent on each:
.Bd -literal -offset indent
# dunlin keygen
# dunlin agent \-\-join node1
.Ed
.Pp
The settings of agents are in
.Xr dunlin.toml 5 ,
those of jobs in
.Xr dunlin-job 5 .
.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev DUNLIN_ADDRESS
The agent that commands ask: the path of a socket, or HOST[:PORT]; or several, with commas between
them: the first that answers.
Not set: the agent of this machine.
.It Ev DUNLIN_KEY
The file of the cluster's key, to ask an agent of another machine.
.It Ev DUNLIN_ Ns Ar SECTION Ns _ Ns Ar NAME
A setting of an agent: see
.Xr dunlin.toml 5 .
.It Ev DUNLIN_WARDEN
The program that the agent starts as its warden.
.It Ev NO_COLOR
If it is set and not empty, nothing is printed in colours.
.It Ev TMPDIR
Where
.Xr dunlin-dev 1
keeps the data of its agents.
Not set:
.Pa /tmp .
.It Ev XDG_RUNTIME_DIR , XDG_STATE_HOME , XDG_CONFIG_HOME
Where the socket, the data and the key are, for who is not root.
.El
.Pp
Tasks get variables of their own, such as
.Ev DUNLIN_TASK_INDEX ,
.Ev DUNLIN_ENTRY
and
.Ev DUNLIN_GPUS ;
the guide for users lists them.
.Sh FILES
.Bl -tag -width Ds
.It Pa /etc/dunlin/agent.toml
The settings of the agent.
.It Pa /etc/dunlin/cluster.key , ~/.config/dunlin/cluster.key
The key of the cluster, for root and for others.
.It Pa /var/lib/dunlin , ~/.local/state/dunlin
The data of the agent: its identity, jobs, results and output.
.It Pa /run/dunlin/agent.sock , $XDG_RUNTIME_DIR/dunlin/agent.sock
The socket at which the agent answers commands of this machine.
.El
.Sh EXIT STATUS
Every command ends with one of these;
.Xr dunlin-run 1
has those of tasks besides, and ends with the status of the task.
.Bl -tag -width Ds
.It 0
It did what was asked.
.It 1
It failed: no agent answers, it refused, a task failed, or output could not be written.
.It 2
The words of the command line or of a job file are not understood, or ask for what cannot be.
.It 124
The time that was given with
.Fl \-timeout
or
.Fl \-deadline
ran out.
.It 128 + N
The command was ended by signal N: 130 for Ctrl-C.
.El
)mdoc";

}  // namespace

config::ManualPage overview_page() {
  const config::PageName name{"dunlin", 7};
  std::string words = ".Ss Words\n.Bl -tag -width Ds\n";
  for (const auto& [word, meaning] : kOverviewWords) {
    words += config::list_item(std::string("Em ") + word, meaning);
  }
  words += ".El\n";
  return {name,
      config::page_head(name) +
          config::name_section(name.name, "Cluster resource manager with no head node") +
          kOverview + words + kFirstSteps +
          config::see_also_section({{"dunlin", 1}, {"dunlin-agent", 1}, {"dunlin-dev", 1},
              {"dunlin-run", 1}, {"dunlin-sim", 1}, {"dunlin-job", 5}, {"dunlin.toml", 5}})};
}

}  // namespace dunlin::cli
