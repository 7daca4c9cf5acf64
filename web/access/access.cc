// SPDX-License-Identifier: MIT
#include "web/access/access.h"

#include "node/identity/private_file.h"
#include "web/access/gate.h"

namespace dunlin::web {
namespace {

/// Beyond what sessions and tokens can take at their bounds; a file that is larger is none of ours.
constexpr std::size_t kFileBytesMax = std::size_t{16} << 20;
constexpr unsigned kOfOthers = 077;  ///< No right of anybody else.
/// As long as a session may last: its own end comes sooner if it is not used.
constexpr std::string_view kWeekS = "604800";

std::string_view token_of(const Request& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view value = request.header("authorization");
  // Any other way to log in is none: it counts as no header, and the cookie is looked at.
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : std::string_view();
}

}  // namespace

// Browsers send a cookie to all ports of a host, so two gateways of one machine would overwrite
// each other's without the port in the name. The prefix __Host- has a browser take the cookie by
// TLS alone, and from this very host: a sibling domain cannot plant one.
std::string Access::cookie_name() const {
  return (terms_.https ? "__Host-dunlin-" : "dunlin-") + std::to_string(terms_.port);
}

std::string_view Access::session_secret(const Request& request) const {
  return cookie_of(request, cookie_name());
}

std::optional<Caller> Access::caller_of(const Request& request, std::int64_t now_s) {
  const std::string_view token = token_of(request);
  if (!token.empty()) return logins_.of_token(token, now_s);
  const std::string_view secret = session_secret(request);
  return secret.empty() ? std::nullopt : logins_.of_session(secret, now_s);
}

bool Access::is_known(const Request& request, std::int64_t now_s) const {
  const std::string_view token = token_of(request);
  if (!token.empty()) return logins_.of_token(token, now_s).has_value();
  return logins_.is_open(session_secret(request), now_s);
}

std::string Access::set_cookie(std::string_view secret) const {
  std::string cookie =
      // HttpOnly: no script reads it, not even one that got into the page. SameSite=Strict: it does
      // not come with requests that pages of others make.
      cookie_name() + "=" + std::string(secret) + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=";
  cookie.append(secret.empty() ? "0" : kWeekS);
  if (terms_.https) cookie += "; Secure";
  return cookie;
}

Result<void> Access::load() {
  if (terms_.file.empty()) return {};
  const auto text = node::read_private_file(terms_.file, kOfOthers, kFileBytesMax);
  // The first start. A file that is there and unreadable is told instead: going on without it would
  // write over the sessions of all.
  if (!text && text.error().kind == ErrorKind::not_found) return {};
  if (!text) return tl::unexpected(text.error());
  logins_.restore(*text);
  saved_ = logins_.changes();
  return {};
}

Result<void> Access::save() {
  if (terms_.file.empty() || saved_ == logins_.changes()) return {};
  auto written = node::write_private_file(terms_.file, logins_.text(), true);
  if (written) saved_ = logins_.changes();
  return written;
}

}  // namespace dunlin::web
