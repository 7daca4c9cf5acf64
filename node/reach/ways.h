// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "node/reach/address_rank.h"
#include "node/reach/unreached.h"
#include "overlay/address.h"
#include "overlay/ids.h"
#include "overlay/time.h"

namespace dunlin::node {

/// The ways to other nodes: a node may have several addresses, of which not all can be reached from
/// here, and the one that it tells all may be one that cannot. A node is known by its key, so where
/// its datagrams come from, and which of its addresses answers a question, is proven. No socket, no
/// clock.
///
/// An address *leads* to a node if its datagrams came from there lately, or if it answered a
/// challenge that was sent there. What is meant for an address that leads nowhere goes to the best
/// that does; both are asked from time to time, so the one that is told is used once it works.
class Ways {
 public:
  static constexpr std::size_t kNodesMax = 4096;
  static constexpr std::size_t kAddressesMax = 8;
  /// An address that the node's datagrams came from leads there for so long after the last.
  static constexpr overlay::Duration kHeardFor = std::chrono::seconds(10);
  /// One that answered leads there for so long; it is asked again before that.
  static constexpr overlay::Duration kAnsweredFor = std::chrono::seconds(40);
  static constexpr overlay::Duration kAskBefore = std::chrono::seconds(15);
  /// A node that was told something, and said nothing for so long, may be elsewhere; ...
  static constexpr overlay::Duration kSilence = std::chrono::seconds(10);
  /// ... one that was never heard, sooner.
  static constexpr overlay::Duration kSilenceFirst = std::chrono::seconds(1);
  /// An address is asked so often, after ever longer waits, before it counts as unreachable; ...
  static constexpr int kQuestionsMax = 4;
  static constexpr overlay::Duration kWaitMin = std::chrono::seconds(1);
  /// ... and again after this time, as long as something is to go there.
  static constexpr overlay::Duration kLookAgain = std::chrono::seconds(30);
  /// Something went there not longer ago than this.
  static constexpr overlay::Duration kWantedFor = std::chrono::seconds(60);

  /// A challenge that is to be sent.
  struct Question {
    overlay::Endpoint to;
    std::uint64_t challenge = 0;
  };

  /// The networks that this machine is in: what can be reached there goes first.
  void set_own(std::vector<Subnet> own) { own_ = std::move(own); }

  /// Where to send what is meant for `to`.
  overlay::Address route(const overlay::Endpoint& to, overlay::Time now);
  /// A datagram that was proven to be of that node came from there.
  void heard(overlay::PeerId node, const overlay::Address& from, overlay::Time now);
  /// An earlier process of this node reached that one so. It goes that way until the node is heard,
  /// or is silent.
  void remember(overlay::PeerId node, const Unreached& before, overlay::Time now);
  /// The node, or another one, says that these are addresses of it: hints, which are tried.
  void hint(overlay::PeerId node, std::span<const overlay::Address> addresses, overlay::Time now);
  /// Appends the challenges that are due, each with a number of `draw`.
  void ask(
      overlay::Time now, const std::function<std::uint64_t()>& draw, std::vector<Question>& out);
  /// The node answered that challenge.
  void answered(overlay::PeerId node, std::uint64_t challenge, overlay::Time now);

  /// All addresses known of a node, those that lead there first.
  std::vector<overlay::Address> addresses_of(overlay::PeerId node, overlay::Time now) const;
  /// Where its datagrams came from last; port 0 if it was not heard.
  overlay::Address heard_from(overlay::PeerId node) const;
  /// True if it was heard within kHeardFor.
  bool is_near(overlay::PeerId node, overlay::Time now) const;
  /// True if a node was heard from there within kHeardFor.
  bool is_heard_from(const overlay::Address& address, overlay::Time now) const;
  /// The nodes heard within kHeardFor.
  std::vector<overlay::PeerId> near(overlay::Time now) const;
  /// Empty unless that address of it was asked in vain, while another one works.
  std::optional<Unreached> unreached(
      overlay::PeerId node, const overlay::Address& told, overlay::Time now) const;
  /// True if that address of it leads there.
  bool is_reached_at(
      overlay::PeerId node, const overlay::Address& address, overlay::Time now) const;
  /// Nodes for which an address was asked in vain, or is being asked.
  const std::set<overlay::PeerId>& in_question() const { return in_question_; }
  /// Those of them that nothing leads to, and that others should be asked about; each at most so
  /// often as an address is.
  std::vector<overlay::PeerId> take_lost(overlay::Time now);
  /// Nodes that were heard for the first time, or from an address where they were not heard before,
  /// since the last call.
  std::vector<overlay::PeerId> take_new();
  std::size_t size() const { return nodes_.size(); }

 private:
  using Moment = std::optional<overlay::Time>;
  struct Way {
    overlay::Address address;
    Moment heard, answered,
        wanted;  ///< The last time each; `wanted`: that something was to go there.
    overlay::Time asked{};
    std::uint64_t challenge = 0;  ///< The last sent there; 0: none is open.
    int questions = 0;            ///< Unanswered ones.
  };
  struct Node {
    std::vector<Way> ways;
    Moment heard;
    overlay::Address from;            ///< Where it was heard then.
    Moment told;                      ///< Since then it was told things, and said nothing.
    std::optional<Unreached> before;  ///< See remember(); not once it was heard.
    overlay::Time lost_at{};
    int lost = 0;  ///< How often others were asked about it.
  };

  static bool leads(const Node& node, const Way& way, overlay::Time now);
  static bool is_silent(const Node& node, overlay::Time now);
  /// True if something is meant for an address that leads nowhere.
  static bool is_lame(const Node& node, overlay::Time now);
  const Way* best(const Node& node, overlay::Time now) const;
  static Way* find(Node& node, const overlay::Address& address);
  /// The place of that address, which may take that of one that is of no use; null if there is
  /// none.
  static Way* place(Node& node, const overlay::Address& address, overlay::Time now);
  Node* find(overlay::PeerId id);
  const Node* find(overlay::PeerId id) const;
  Node* find_or_add(overlay::PeerId id, overlay::Time now);
  /// True if something is to be asked of that way, now or later.
  static bool is_open(const Node& node, const Way& way, overlay::Time now);
  static bool is_due(const Way& way, overlay::Time now);

  std::vector<Subnet> own_;
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::set<overlay::PeerId> in_question_;
  std::vector<overlay::PeerId> new_;
  overlay::Time swept_{};
};

}  // namespace dunlin::node
