// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "node/access/principal.h"
#include "node/access/user_rights.h"
#include "node/control/json.h"
#include "node/control/requests/pending.h"
#include "overlay/result.h"

// The user that a request of one connection is made for: the one that made it, or another one that
// may be named.
namespace dunlin::node {

/// Reads for which users the requests of one client are. A holder of the cluster key may speak for
/// any user: agents do, for their clients. So may a delegate, one of the Unix users that
/// agent.delegates names, but what such a user may do the agent finds out for itself.
class Speakers {
 public:
  /// `delegates`: agent.delegates.
  Speakers(const Principal& caller, std::string_view delegates);

  /// Where rights of users stand; without it no delegate can name any. Must outlive this.
  void look_up_by(RightsBook& rights) { rights_ = &rights; }
  /// True if the client may name users, in its own machine's terms.
  bool is_delegate() const { return delegate_; }
  /// The user for whom that request is made; nothing: that has to be looked up, by look_up(). Fails
  /// if the client may not name that user, or there is no such user.
  Result<std::optional<Principal>> of(Args& request);
  /// Requests that have waited are made once more, before those that wait yet and came later.
  void let_pass(bool on) { pass_ = on; }
  /// Has the request made once more when it is known what its user may do. Requires that of() said
  /// nothing of it.
  std::unique_ptr<Pending> look_up(Json request);

 private:
  class Lookup;
  Result<std::optional<Principal>> named(const std::string& user);

  Principal caller_;
  bool delegate_;
  RightsBook* rights_ = nullptr;
  bool pass_ = false;
  /// Requests that wait, by the user whom they name: later ones wait behind them, or pieces of one
  /// input would pass each other.
  std::map<std::string, std::size_t> waiting_;
};

}  // namespace dunlin::node
