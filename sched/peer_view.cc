// SPDX-License-Identifier: MIT
#include "sched/peer_view.h"

namespace dunlin::sched {

// The empty objects are never changed, so all peers may share them.
const Directory& directory_of(const Peer& peer) {
  static const Directory kEmpty({}, {});
  const Directory* directory = peer.directory();
  return directory != nullptr ? *directory : kEmpty;
}

const Frontend& frontend_of(const Peer& peer) {
  static const Frontend kEmpty({}, {});
  const Frontend* frontend = peer.frontend();
  return frontend != nullptr ? *frontend : kEmpty;
}

Resources free_of(const Peer& peer) {
  const Worker* worker = peer.worker();
  return worker != nullptr ? worker->slots().free() : peer.self().total;
}

std::uint32_t running_of(const Peer& peer) {
  const Worker* worker = peer.worker();
  return worker != nullptr ? static_cast<std::uint32_t>(worker->running().size()) : 0;
}

}  // namespace dunlin::sched
