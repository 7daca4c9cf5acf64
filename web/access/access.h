// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "web/access/codes.h"
#include "web/access/logins.h"
#include "web/http/request.h"

namespace dunlin::web {

/// What decides whom a request is of.
struct AccessTerms {
  std::vector<std::string> hosts;  ///< Besides those of loopback, in small letters.
  bool https = false;
  std::uint16_t port = 0;  ///< In the name of the cookie, for cookies know no ports.
  std::string file;        ///< Where sessions and tokens outlive the process; empty: nowhere.
};

/// Codes, sessions and tokens, and the file that keeps the last two.
/// A request may have a token and a cookie; then the token counts, for a script that sets one means
/// it.
class Access {
 public:
  explicit Access(AccessTerms terms) : terms_(std::move(terms)) {}

  const AccessTerms& terms() const { return terms_; }
  /// Once the port is known.
  /// To be called before the first request: the cookie's name has it.
  void set_port(std::uint16_t port) { terms_.port = port; }

  Codes& codes() { return codes_; }
  Logins& logins() { return logins_; }
  FailedLogins& failed_logins() { return failed_; }

  /// Whom a request is of, by its token or its cookie; empty: nobody's.
  /// This is a use of the session, which puts off its end.
  std::optional<Caller> caller_of(const Request& request, std::int64_t now_s);
  /// True if it would be somebody's. It does not count as a use of the session.
  /// Streams ask it again and again while they are open: were that a use, a tab that is left open
  /// would keep its session for ever.
  bool is_known(const Request& request, std::int64_t now_s) const;
  /// The value of Set-Cookie that begins a session with this secret; an empty one ends it.
  std::string set_cookie(std::string_view secret) const;
  std::string_view session_secret(const Request& request) const;

  /// Reads what was kept. Fails if the file is there and cannot be read.
  Result<void> load();
  /// Writes it if it has changed.
  /// Cheap where nothing has changed. Fails as files do; what is not written is tried again the
  /// next time.
  Result<void> save();

 private:
  std::string cookie_name() const;

  AccessTerms terms_;
  Codes codes_;
  Logins logins_;
  FailedLogins failed_;
  /// As Logins::changes() was when the file was written.
  std::uint64_t saved_ = 0;
};

}  // namespace dunlin::web
