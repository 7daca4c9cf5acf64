// SPDX-License-Identifier: MIT
#include "web/gateway/assets.h"

#include <algorithm>
#include <string>

namespace dunlin::web {
namespace {

/// True if a header with a list, such as Accept-Encoding, names `word` and does not refuse it.
/// The weights between 0 and 1, by which a client says what it would rather have, do not matter:
/// there are two bodies, and each client that reads the packed one gains by it.
bool lists(std::string_view header, std::string_view word) {
  while (!header.empty()) {
    const auto end = std::min(header.find(','), header.size());
    std::string_view each = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (each.starts_with(' ')) each.remove_prefix(1);
    const bool refused = each.ends_with("q=0") || each.ends_with("q=0.0");
    const auto name = each.substr(0, each.find_first_of("; "));
    if (name == word && !refused) return true;
  }
  return false;
}

}  // namespace

const Asset* find_asset(std::string_view path) {
  constexpr std::string_view kStart = "page/index.html";
  const auto assets = all_assets();
  const auto found =
      std::ranges::lower_bound(assets, path.empty() ? kStart : path, {}, &Asset::path);
  const bool there = found != assets.end() && found->path == (path.empty() ? kStart : path);
  return there ? &*found : nullptr;
}

void answer_with_asset(Exchange& exchange, const Asset& asset) {
  const Request& request = exchange.request();
  const bool packed = lists(request.header("accept-encoding"), "gzip");
  // Two bodies, two tags.
  // A proxy that keeps answers would else hand the packed one to a client that cannot read it.
  const std::string tag = "\"" + std::string(asset.hash) + (packed ? "-gz\"" : "\"");
  // "no-cache" lets browsers keep the file and has them ask each time: after an update of the
  // program no page is made of files of both.
  Response response{.headers = {{"Content-Type", std::string(asset.type)}, {"ETag", tag},
                        {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}}};
  const auto known = request.header("if-none-match");
  // "W/" is what some proxies make of a tag when they pack or unpack by themselves.
  if (known == "*" || lists(known, tag) || lists(known, "W/" + tag)) {
    response.status = 304;
    return exchange.answer(std::move(response));
  }
  if (packed) response.headers.push_back({"Content-Encoding", "gzip"});
  response.body = packed ? asset.packed : asset.bytes;
  exchange.answer(std::move(response));
}

}  // namespace dunlin::web
