// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <uv.h>

#include "overlay/time.h"

namespace dunlin::node {

/// What the system's databases say of a user that another user names.
struct UserRights {
  std::string name;            ///< As the kernel's id of that user is called; empty: there is none.
  bool administrator = false;  ///< Root, the agent's own user, or in the group of administrators.
  int trouble = 0;             ///< The errno for which it could not be found out; 0: it was.
  friend bool operator==(const UserRights&, const UserRights&) = default;
};

/// Rights of users by their names, which take time to be found out.
class RightsBook {
 public:
  /// Null: not looked up yet, or too long ago.
  virtual const UserRights* find(const std::string& user) const = 0;
  /// Begins to look them up, unless that is under way, or too many are: then it does nothing, and
  /// may be asked once more when something was found.
  virtual void look_up(const std::string& user) = 0;

 protected:
  ~RightsBook() = default;
};

/// Those of the system, looked up by libuv's threads and remembered for a while.
class SystemRights final : public RightsBook {
 public:
  /// Rights are good for so long: an administrator may be one no more.
  static constexpr overlay::Duration kKeep = std::chrono::minutes(1);
  /// What could not be found out is looked up again after so long.
  static constexpr overlay::Duration kTroubleKeep = std::chrono::seconds(1);
  /// Users remembered at most, ...
  static constexpr std::size_t kUsersMax = 4096;
  /// ... and looked up at a time: a service that hangs must not take all threads that there are.
  static constexpr std::size_t kLookupsMax = 2;

  /// Calls `on_found`, from the loop, each time that rights were found. `loop` must outlive this.
  SystemRights(uv_loop_t& loop, std::function<void()> on_found)
      : loop_(loop),
        on_found_(std::move(on_found)) {}
  /// Nothing that is under way is heard of any more.
  ~SystemRights();
  SystemRights(const SystemRights&) = delete;
  SystemRights& operator=(const SystemRights&) = delete;

  const UserRights* find(const std::string& user) const override;
  void look_up(const std::string& user) override;

 private:
  struct Request;
  struct Known {
    UserRights rights;
    std::uint64_t until = 0;  ///< By the loop's clock, ms.
  };
  static void on_done(uv_work_t* work, int status);

  uv_loop_t& loop_;
  std::function<void()> on_found_;
  std::map<std::string, Known> known_;
  std::set<Request*> open_;
};

/// Asks the system's databases: may block. `admins`: the name of the group of administrators.
UserRights rights_of(const std::string& user, const char* admins);

}  // namespace dunlin::node
