// SPDX-License-Identifier: MIT
#include "web/agent/problem.h"

#include <array>
#include <utility>

#include "node/client/json.h"

namespace dunlin::web {
namespace {

using Kind = std::pair<std::string_view, int>;
constexpr std::array kKinds = {Kind{"usage", 400}, Kind{"session", 401}, Kind{"forbidden", 403},
    Kind{"refused", 403}, Kind{"not_found", 404}, Kind{"elsewhere", 404}, Kind{"method", 405},
    Kind{"conflict", 409}, Kind{"too_large", 413}, Kind{"media_type", 415}, Kind{"range", 416},
    Kind{"host", 421}, Kind{"quota", 429}, Kind{"busy", 429}, Kind{"header", 431}, Kind{"io", 500},
    Kind{"corrupt", 500}, Kind{"away", 503}, Kind{"stopping", 503}, Kind{"timeout", 504}};

}  // namespace

int status_of_kind(std::string_view kind) {
  for (const auto& [known, status] : kKinds) {
    if (known == kind) return status;
  }
  return 500;
}

Response problem_answer(const Trouble& trouble) {
  const int status = status_of_kind(trouble.kind);
  Response response{.status = status,
      .headers = {{"Content-Type", "application/problem+json"}, {"Cache-Control", "no-store"}}};
  if (status == 429 || status == 503) response.headers.push_back({"Retry-After", "2"});
  // Browsers would ask for a password by a window of their own, were it said as it should be.
  response.body = R"({"type":"about:blank","title":)" + client::json_text(reason_of(status)) +
      ",\"status\":" + std::to_string(status) + ",\"kind\":" + client::json_text(trouble.kind) +
      ",\"detail\":" + client::json_text(trouble.detail) + "}";
  return response;
}

}  // namespace dunlin::web
