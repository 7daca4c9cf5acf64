// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"

namespace dunlin::web {

/// Whom a request is of.
struct Caller {
  std::string user;
  bool by_token = false;
  bool read_only = false;
  std::int64_t expires_s = 0;  ///< Since 1970; 0: never.
};

/// How sessions and tokens are bounded; times in seconds.
struct LoginBounds {
  /// Long enough for a night, so that a page that was open in the evening still is in the morning.
  std::int64_t idle_s = 12 * 3'600;
  std::int64_t lifetime_s = 7 * 86'400;
  std::size_t of_one_user = 64;  ///< Sessions, and as many tokens.
  std::size_t in_all = 16'384;
};

/// A token as its owner sees it.
struct TokenLine {
  std::string id;
  std::string note;
  bool read_only = false;
  std::int64_t made_s = 0;
  std::int64_t expires_s = 0;  ///< 0: never.
};

/// Sessions of browsers and tokens of scripts: who holds which. Of their secrets only hashes are
/// kept. Pure, but for the chance that draws them; times are seconds since 1970.
/// Every change that a user relies on (a log-out, a token taken back) moves changes(), and the
/// owner writes text() down before long. Uses of a session are written seldom: after a crash a
/// session may seem ten minutes older than it is, which costs nothing.
class Logins {
 public:
  explicit Logins(LoginBounds bounds = {}) : bounds_(bounds) {}

  /// Opens a session, and returns its secret. Of a user who has too many the one that was used
  /// least recently ends.
  std::string open_session(const std::string& user, std::int64_t now_s);
  /// Empty if there is none, or it has ended; otherwise this is a use of it.
  std::optional<Caller> of_session(std::string_view secret, std::int64_t now_s);
  /// True if there is such a session; that is no use of it.
  bool is_open(std::string_view secret, std::int64_t now_s) const;
  void close_session(std::string_view secret);

  /// Makes a token, and returns its secret. `note` is for people. Fails with `refused` if there are
  /// too many.
  Result<std::string> make_token(const std::string& user, TokenLine terms, std::int64_t now_s);
  std::optional<Caller> of_token(std::string_view secret, std::int64_t now_s) const;
  std::vector<TokenLine> tokens_of(const std::string& user, std::int64_t now_s);
  /// False if the user has no token of that id.
  bool revoke(const std::string& user, std::string_view id);

  /// All that outlives this process, a line each.
  std::string text() const;
  /// Takes what text() gave; lines that make no sense are left out.
  void restore(std::string_view text);
  /// Grows with each change that text() must tell before long.
  std::uint64_t changes() const { return changes_; }

 private:
  struct Session {
    std::string user;
    std::int64_t opened_s = 0;
    std::int64_t used_s = 0;
    std::int64_t kept_s = 0;  ///< `used_s` as text() last had to tell it.
  };
  struct Token {
    std::string user;
    TokenLine line;
  };
  /// It was not used for too long, or was opened too long ago.
  bool over(const Session& session, std::int64_t now_s) const;
  void forget_old(std::int64_t now_s);
  /// Older gateways may have written the file, newer ones too: what is not understood is skipped.
  void restore_line(std::string_view line);

  LoginBounds bounds_;
  std::map<std::string, Session, std::less<>> sessions_;  ///< By the hash of the secret.
  std::map<std::string, Token, std::less<>> tokens_;      ///< Likewise.
  std::uint64_t changes_ = 0;
};

}  // namespace dunlin::web
