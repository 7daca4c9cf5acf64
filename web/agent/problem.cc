// SPDX-License-Identifier: MIT
#include "web/agent/problem.h"

#include <array>
#include <utility>

#include "node/client/json.h"

namespace dunlin::web {
namespace {

// Scripts branch on `kind`, proxies and libraries on the status. So a status says only what those
// do about it: 4xx is not to be tried again as it is, 429 and 503 are, after Retry-After.
using KindStatus = std::pair<std::string_view, int>;
constexpr std::array kKinds = {KindStatus{"usage", 400}, KindStatus{"session", 401},
    KindStatus{"forbidden", 403}, KindStatus{"refused", 403}, KindStatus{"not_found", 404},
    KindStatus{"elsewhere", 404}, KindStatus{"method", 405}, KindStatus{"conflict", 409},
    KindStatus{"too_large", 413}, KindStatus{"media_type", 415}, KindStatus{"range", 416},
    KindStatus{"host", 421}, KindStatus{"quota", 429}, KindStatus{"busy", 429},
    KindStatus{"header", 431}, KindStatus{"io", 500}, KindStatus{"corrupt", 500},
    KindStatus{"away", 503}, KindStatus{"full", 503}, KindStatus{"stopping", 503},
    KindStatus{"timeout", 504}};

constexpr std::int64_t kNsOfRetryS = 1'000'000'000;
/// What is said where the agent told no time.
constexpr std::int64_t kRetryS = 2;

/// Whole seconds, for HTTP knows no others: rather late than too early.
std::int64_t seconds_of(std::int64_t retry_ns) {
  if (retry_ns <= 0) return kRetryS;
  return retry_ns / kNsOfRetryS + (retry_ns % kNsOfRetryS == 0 ? 0 : 1);
}

}  // namespace

int status_of_kind(std::string_view kind) {
  for (const auto& [known, status] : kKinds) {
    if (known == kind) return status;
  }
  // An agent that is newer than this may have kinds that are not in the table.
  return 500;
}

Response problem_answer(const Trouble& trouble) {
  const int status = status_of_kind(trouble.kind);
  Response response{.status = status,
      .headers = {{"Content-Type", "application/problem+json"}, {"Cache-Control", "no-store"}}};
  if (status == 429 || status == 503) {
    response.headers.push_back({"Retry-After", std::to_string(seconds_of(trouble.retry_ns))});
  }
  // 401 without a header WWW-Authenticate, though RFC 9110 (section 15.5.2) asks for one.
  // Browsers would ask for a password by a window of their own, were it said as it should be.
  response.body = R"({"type":"about:blank","title":)" + client::json_text(reason_of(status)) +
      ",\"status\":" + std::to_string(status) + ",\"kind\":" + client::json_text(trouble.kind) +
      ",\"detail\":" + client::json_text(trouble.detail);
  if (trouble.retry_ns > 0) response.body += ",\"retry_ns\":" + std::to_string(trouble.retry_ns);
  response.body += '}';
  return response;
}

}  // namespace dunlin::web
