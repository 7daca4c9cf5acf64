// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "node/access/principal.h"
#include "node/control/home/relay.h"
#include "node/control/json.h"
#include "overlay/address.h"
#include "overlay/time.h"

namespace dunlin::node {

class AgentServices;

/// Asks many nodes one question, a bounded number of them at a time.
class NodePoll {
 public:
  static constexpr std::size_t kAtOnce = 64;

  /// `question` is a request as a client makes it, asked for `viewer`. Nodes that have not answered
  /// at `until` are silent. `relays` must outlive this.
  NodePoll(Relays& relays, const Principal& viewer, Json question, overlay::Time until);
  ~NodePoll();
  NodePoll(const NodePoll&) = delete;
  NodePoll& operator=(const NodePoll&) = delete;

  /// One more node to ask.
  void add(const overlay::Endpoint& node) { unasked_.push_back(node); }
  /// One of which it is known that it will not answer.
  void add_silent(overlay::PeerId node) { silent_.push_back(node); }

  /// Takes the answers that came: `ok` of the last reply of a node.
  using OnAnswer = std::function<void(overlay::PeerId, const Json& ok)>;
  /// False once it is over.
  bool advance(AgentServices& agent, const OnAnswer& on_answer);
  /// When advance() is wanted next even if nothing happens.
  overlay::Time due() const;
  /// The nodes that did not answer, ascending. Call it when all is over.
  std::vector<overlay::PeerId> silent() const;

 private:
  struct Asked {
    std::shared_ptr<RelayLink> link;
    std::uint64_t request = 0;
  };
  void take_answers(overlay::Time now, const OnAnswer& on_answer);
  void ask_more(AgentServices& agent);
  std::shared_ptr<RelayLink> link_to(AgentServices& agent, const overlay::Endpoint& node);

  Relays& relays_;
  Json question_;
  overlay::Time until_;
  overlay::Time again_{};
  std::size_t asked_in_all_ = 0;
  std::deque<overlay::Endpoint> unasked_;
  std::map<overlay::PeerId, Asked> asked_;
  std::vector<overlay::PeerId> silent_;
};

}  // namespace dunlin::node
