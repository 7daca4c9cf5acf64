// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/message.h"
#include "overlay/turn.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::sched {

class Executor;
class Observer;
class Profiles;
class RaftStore;
class Store;
struct Effort;
namespace replica {
class LogStore;
}

/// Everything that a driver lends to a peer for one call.
struct Host {
  Time now;
  Rng& rng;
  overlay::Port<overlay::Message>& gossip;
  overlay::Port<Message>& out;
  Observer& events;
  Store& store;
  Executor& executor;
  overlay::Port<cell::Message>& cells;
  RaftStore& books;
  replica::LogStore& logs;
  Effort* effort = nullptr;      ///< See Turn.
  Profiles* profiles = nullptr;  ///< Likewise.
};

}  // namespace dunlin::sched
