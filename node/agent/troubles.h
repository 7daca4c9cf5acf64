// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "node/agent/agent_parts.h"

namespace dunlin::node {

/// The troubles of this node that an operator should see to, a sentence a subject. All nodes show
/// them, because they are part of this node's facts.
class Troubles {
 public:
  /// `parts` must outlive this, and be open when something is set.
  explicit Troubles(AgentParts& parts) : parts_(parts) {}

  /// Takes the place of an earlier sentence about `subject`. An empty one ends the trouble.
  void set(const std::string& subject, std::string sentence);
  /// Logs what the store has found damaged since the last call, and makes a trouble of it.
  void tell_damage();
  /// Makes a trouble of records that cannot be stored, as long as they cannot. Logs of jobs move
  /// away from this node meanwhile.
  void tell_failing_disk();
  /// Makes a trouble of the slots that are stuck, as long as there are any.
  void tell_stuck();
  /// Logs that the socket was made again, or makes a trouble of it that it is gone and cannot be,
  /// as ControlServer::restore() says.
  void tell_socket(const Result<bool>& restored);
  /// Counts a request of `user` that met a fault of this agent, and logs it; where they come fast,
  /// one line a second.
  void tell_fault(std::string_view user, std::string_view verb, std::string_view fault);

 private:
  AgentParts& parts_;
  /// By subject.
  std::map<std::string, std::string> sentences_;
  /// What was told last, here and below: it is told once.
  std::size_t damage_told_ = 0;
  std::string failing_told_;
  std::string socket_told_;
  std::size_t stuck_told_ = 0;
  overlay::Time fault_told_{};
};

}  // namespace dunlin::node
