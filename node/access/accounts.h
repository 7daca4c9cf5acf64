// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/access/census.h"
#include "overlay/result.h"
#include "overlay/time.h"

// Who is charged for what. A user of the group may use the agent, and must not take it from others:
// whatever a request costs is on its user's account, of which each scarce thing has a share.
// docs/design/security.md has the table.
namespace dunlin::node {

/// Things of which an agent has so many, and each use takes one for a while.
enum class Place : std::uint8_t { client, stream, relay, follower, end_command };
inline constexpr std::size_t kPlaces = 5;

/// How many there are, and how many of them one user may have.
struct Share {
  std::string_view name;  ///< "clients"
  std::string_view said;  ///< "clients are connected"
  std::size_t all = 0;
  std::size_t user = 0;   ///< While other users have some: a quarter.
  std::size_t alone = 0;  ///< While nobody else has any; others find room for a quarter.
  std::size_t kept = 0;   ///< Of all, for administrators alone, who are bound by nothing else.
};

/// By Place.
inline constexpr std::array<Share, kPlaces> kShares = {{
    {"clients", "clients are connected", 128, 32, 80, 16},
    {"streams", "clients of other nodes are connected", 128, 32, 80, 16},
    {"relays", "conversations with other nodes are under way", 128, 32, 96, 16},
    {"followers", "clients follow the events of this agent", 32, 8, 8, 4},
    {"end_commands", "commands for the ends of jobs run", 8, 2, 6, 0},
}};
constexpr const Share& share_of(Place place) {
  return kShares[static_cast<std::size_t>(place)];
}

/// What the requests of one user cost.
struct Account {
  explicit Account(std::string name) : user(std::move(name)) {}

  std::string user;                           ///< By name; empty: a holder of the cluster key.
  std::array<std::size_t, kPlaces> places{};  ///< Taken now.
  std::uint64_t requests = 0;                 ///< In all; so the following.
  std::uint64_t refused = 0;                  ///< Because a share was used up.
  std::uint64_t failed = 0;                   ///< By a fault of this agent.
  overlay::Duration loop{0};                  ///< Time that the agent worked for this user.
  std::uint64_t upload_bytes = 0;             ///< Of jobs that come in pieces: held now.

 private:
  friend class Accounts;
  std::uint64_t turn_ = 0;            ///< The last turn with work for this user, ...
  overlay::Duration turn_loop_{0};    ///< ... the work in it, ...
  overlay::Duration rests_until_{0};  ///< ... and the time before which there is no more.
};
using AccountPtr = std::shared_ptr<Account>;

/// A place that a user has, until this goes.
class HeldPlace {
 public:
  HeldPlace() = default;
  HeldPlace(Place place, AccountPtr account);
  ~HeldPlace() { release(); }
  HeldPlace(HeldPlace&& other) noexcept;
  HeldPlace& operator=(HeldPlace&& other) noexcept;

  /// Null if there is none.
  const AccountPtr& account() const { return account_; }
  Place place() const { return place_; }

 private:
  void release();
  Place place_ = Place::client;
  AccountPtr account_;
};

/// What a user has an agent hold of a job that comes in pieces, until this goes.
class HeldUpload {
 public:
  HeldUpload() = default;
  explicit HeldUpload(AccountPtr account) : account_(std::move(account)) {}
  ~HeldUpload() { hold(0); }
  HeldUpload(HeldUpload&& other) noexcept;
  HeldUpload& operator=(HeldUpload&& other) noexcept;

  /// It is so many bytes by now.
  void hold(std::uint64_t bytes);
  /// Null if no user is charged.
  const AccountPtr& account() const { return account_; }

 private:
  AccountPtr account_;
  std::uint64_t bytes_ = 0;
};

/// The accounts of all users of an agent.
class Accounts {
 public:
  /// A time that passes. Tests have one of their own.
  using Clock = std::function<overlay::Duration()>;
  /// Called for each request that failed by a fault of this agent.
  using OnFault =
      std::function<void(const Account&, std::string_view verb, std::string_view fault)>;

  /// The loop works so long for one user before it turns to others, ...
  static constexpr overlay::Duration kTurnShare = std::chrono::milliseconds(2);
  /// ... and so long for all of them before it turns to timers and the network.
  static constexpr overlay::Duration kTurnMax = std::chrono::milliseconds(20);
  /// Who had work done within this time is there, and not to be held up.
  static constexpr overlay::Duration kThere = std::chrono::seconds(1);
  /// Accounts at most; beyond, those that nothing holds are forgotten.
  static constexpr std::size_t kAccountsMax = 4096;

  Accounts();
  explicit Accounts(Clock clock) : clock_(std::move(clock)) {}

  /// The account of that user, made if there is none.
  AccountPtr of(const std::string& user);
  /// In order of their names.
  std::vector<AccountPtr> all() const;

  /// True if take() would find one.
  bool has_room(Place place, const Account& account, bool administrator) const;
  /// Takes a place for that user. Fails with `busy`, naming the user with most of them.
  Result<HeldPlace> take(Place place, const AccountPtr& account, bool administrator);
  /// True if one of `holder` may be taken away, so that `newcomer` has one: its own, or that of a
  /// user with more of them.
  static bool yields(Place place, const Account& holder, const Account& newcomer) {
    const auto at = static_cast<std::size_t>(place);
    return &holder == &newcomer || holder.places[at] > newcomer.places[at] + 1;
  }

  /// A turn of the loop begins, with time for all.
  void begin_turn();
  overlay::Duration time() const { return clock_(); }
  /// The loop worked for that user. One whose single request took far more than its share rests
  /// for as long, if others are there: what can't be divided must not be most of the time.
  void charge(Account& account, overlay::Duration worked);
  /// True if the loop may begin something for that user in this turn.
  bool may_run(const Account& account) const;
  /// The time until it may in a later turn; 0: in the next one.
  overlay::Duration rest_of(const Account& account) const;

  Census& census() { return census_; }

  void on_fault(OnFault handler) { on_fault_ = std::move(handler); }
  void tell_fault(Account& account, std::string_view verb, std::string_view fault);

 private:
  std::size_t taken(Place place) const;
  std::size_t own_max(Place place, const Account& account, bool administrator) const;
  /// "64 clients are connected, 60 of them of one user, alice".
  std::string most_of(Place place) const;

  Clock clock_;
  std::map<std::string, AccountPtr> accounts_;
  std::uint64_t turn_ = 1;
  overlay::Duration turn_loop_{0};
  const Account* latest_ = nullptr;  ///< The last one that was charged, only to be compared; ...
  overlay::Duration latest_at_{0};   ///< ... when that was, ...
  overlay::Duration other_at_{0};    ///< ... and when the last other one was.
  Census census_;
  OnFault on_fault_;
};

}  // namespace dunlin::node
