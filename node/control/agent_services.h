// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/agent_ports.h"

namespace dunlin::node {

class Accounts;
class ActionLog;
class DayUsage;
class EventFeed;
class FigureBook;
class GoneNodes;
class PastRing;
class ProfileBook;
class RoundTrips;
class TaskInputs;
class TasksHere;

/// Parts of this agent that requests use as they are.
struct LocalParts {
  ActionLog& actions;      ///< The log of actions by users.
  TaskInputs& inputs;      ///< What clients give to tasks of this node to read.
  const TasksHere& tasks;  ///< What the tasks that run here are.
  EventFeed& events;
  bool suspends;  ///< Tasks can be suspended here.
  ProfileBook& profiles;
  GoneNodes& gone;     ///< The nodes that left without a good-bye.
  Accounts& accounts;  ///< What the requests of each user cost.
  const PastRing& past;
  const RoundTrips& round_trips;
  DayUsage& day;        ///< What was used today, for quotas.
  FigureBook& figures;  ///< What tasks took, of the jobs that were asked about last.
};

/// All that the requests of clients may see and do: every port of the agent, which implements them;
/// a test may, too. A handler names the ports that it needs; only what hands requests to handlers
/// has all.
///
/// A call that changes something changes it within the current turn of the loop. Its records are
/// durable when durable() says so of the record_mark() after the call, and a client may be told of
/// success only then. Orders are inherited as virtual bases, so that a class of their own takes
/// them.
class AgentServices : public AgentKnowledge,
                      public virtual JobOrders,
                      public virtual NodeOrders,
                      public virtual TaskHistory,
                      public OtherAgents,
                      public ClusterLists,
                      public TaskOutput {
 public:
  virtual LocalParts local() = 0;
};

}  // namespace dunlin::node
