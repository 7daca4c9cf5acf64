// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace dunlin::web {

/// How codes are bounded; times in seconds.
struct CodeBounds {
  std::int64_t lifetime_s = 60;
  /// So that no user can use up the codes of all.
  std::size_t of_one_user = 16;
  std::size_t in_all = 4'096;
};

/// Codes by which a user whom the kernel has named opens a session in a browser. Each counts once,
/// for a minute. Pure, but for the chance that draws them.
/// A link with a code passes through a terminal, a history and perhaps a chat. So it counts once
/// and for a minute, and what opens the session afterwards never stands in an address.
class Codes {
 public:
  explicit Codes(CodeBounds bounds = {}) : bounds_(bounds) {}

  /// A new one. Of a user who has too many the oldest counts no more. Empty if there are too many
  /// in all.
  std::optional<std::string> issue(const std::string& user, std::int64_t now_s);
  /// The user to whom it was issued; it counts no more. Empty: there is none like it.
  /// A code that is wrong tells nothing: used, old and made up look the same.
  std::optional<std::string> redeem(std::string_view code, std::int64_t now_s);

 private:
  struct Code {
    std::string user;
    std::int64_t issued_s = 0;
    /// The order of issue: several may have the same second.
    std::uint64_t number = 0;
  };
  void forget_old(std::int64_t now_s);

  CodeBounds bounds_;
  std::map<std::string, Code, std::less<>> codes_;  ///< By their hash.
  std::uint64_t number_last_ = 0;
};

/// Who failed to log in too often, by the address.
/// Codes are too long to be guessed; this keeps one address from having the gateway hash all day.
class FailedLogins {
 public:
  /// Failures of one address within a minute from which on none is listened to.
  static constexpr std::size_t kFailuresMax = 10;

  /// True if that address must wait.
  bool blocked(const std::string& address, std::int64_t now_s);
  void failed(const std::string& address, std::int64_t now_s);

 private:
  struct Minute {
    std::int64_t began_s = 0;
    std::size_t failures = 0;
  };
  std::map<std::string, Minute> minutes_;
};

}  // namespace dunlin::web
