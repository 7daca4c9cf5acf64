// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <uv.h>
#include <vector>

#include "node/access/accounts.h"
#include "node/agent/outbox.h"
#include "node/agent/records.h"
#include "node/agent_options.h"
#include "node/closed_process.h"
#include "node/control/cells/balance_ring.h"
#include "node/control/overlay/round_trips.h"
#include "node/control/past/past_ring.h"
#include "node/control/use/figure_book.h"
#include "node/events/event_feed.h"
#include "node/identity/identity.h"
#include "node/identity/identity_marks.h"
#include "node/log.h"
#include "node/loop/loop_signal.h"
#include "node/loop/wakeup.h"
#include "node/metrics.h"
#include "node/net/keyring.h"
#include "node/net/transport.h"
#include "node/reach/own_choice.h"
#include "node/reach/unreached.h"
#include "node/task/executor.h"
#include "node/task/output/output.h"
#include "node/task/output/output_copies.h"
#include "node/task/output/output_service.h"
#include "sched/peer.h"
#include "sched/turn.h"

namespace dunlin::node {

/// The parts of an agent: the peer, and all that the peer is lent. Optional parts and pointers are
/// empty until open_parts(). Each part rests on those above it, so they end in reverse.
struct AgentParts {
  AgentParts(uv_loop_t& on, Configuration from, const UserSettings& settings = {})
      : loop(on),
        configuration(std::move(from)),
        user(settings),
        log(configuration.agent.log_level, configuration.agent.log_format, metrics),
        started(node::now(on)) {
    log.pass_on(feed);
  }

  overlay::Time now() const { return node::now(loop); }

  /// All that the peer is lent for one call. Requires that all parts are open.
  sched::Host host() {
    return {.now = now(),
        .rng = *rng,
        .gossip = outbox.gossip(),
        .out = outbox.scheduling(),
        .events = log,
        .store = records->jobs(),
        .executor = *executor,
        .cells = outbox.cells(),
        .books = records->books(),
        .logs = records->logs(),
        .profiles = &records->store().profiles()};
  }

  uv_loop_t& loop;
  Configuration configuration;
  UserSettings user;  ///< For tasks.
  Metrics metrics;
  /// Places and costs of each user's clients here, whichever way they came in.
  Accounts accounts;
  EventFeed feed;
  PastRing past;
  BalanceRing balances;
  FigureBook figures;
  RoundTrips round_trips;
  Log log;
  overlay::Time started;
  std::string not_joined;  ///< Why the agent has no neighbour, though it should; or empty.
  /// What is told others, if nobody said what to tell.
  std::optional<OwnAddressChoice> own_address;
  /// Nodes that cannot be reached at the address that they tell.
  std::map<overlay::PeerId, Unreached> unreachable;
  std::vector<std::string> address_notes;  ///< What else is wrong with addresses, a line each.
  /// Nodes of which somebody wants to know the name, and how often others were asked for it.
  struct Nameless {
    overlay::Time asked{};
    int times = 0;
  };
  std::map<overlay::PeerId, Nameless> nameless;
  bool copy = false;  ///< Another directory has this node's identity, and is the elder.
  std::optional<Keyring> keyring;
  std::optional<IdentityMarks> marks;
  std::optional<LoopSignal> committed;  ///< Turns the loop when a commit has ended.
  std::optional<Records> records;
  std::optional<Identity> identity;
  std::optional<OutputStore> output;
  std::optional<OutputCopies> output_copies;
  std::vector<sched::Exit> exits;  ///< Attempts that have ended, and the peer has not heard of.
  /// Commands for the ends of jobs that have ended, and those that an earlier agent began.
  std::vector<sched::Exit> end_exits;
  std::vector<sched::KeptTask> kept_end_commands;
  std::optional<std::string> trial;  ///< The end of a trial that the peer has not heard of.
  std::unique_ptr<ProcessExecutor> executor;
  std::unique_ptr<Transport> transport;
  std::optional<overlay::Rng> rng;
  std::optional<sched::Peer> peer;
  Outbox outbox{metrics, round_trips};
  std::optional<OutputService> output_service;
};

/// How a node calls itself: by its facts, else by what was heard of it before. Empty if it is not
/// known. Requires that all parts are open.
std::string known_name(const AgentParts& parts, overlay::PeerId node);

/// Opens all parts, in the order in which things can go wrong; fills in the options that are left
/// to the machine. `receive` and `notice` are told what the network brings, once the loop runs.
/// Fails, saying in one line what to do, if a directory, the key, the database or the port is not
/// as it must be.
Result<void> open_parts(AgentParts& parts, Transport::Receive receive, Transport::Notice notice);

}  // namespace dunlin::node
