// SPDX-License-Identifier: MIT
#include "node/quotas.h"

#include <algorithm>
#include <chrono>

#include "node/agent_options.h"
#include "overlay/param_entries.h"

namespace dunlin::node {
namespace {

constexpr std::string_view kUserQuota = "user:";
constexpr std::string_view kClassQuota = "class:";
constexpr std::size_t kQuotasMax = 1000;

tl::unexpected<Error> no_quota(std::string_view item, std::string_view must_be) {
  return failure(
      ErrorKind::usage, "agent.quota: '" + std::string(item) + "' must be " + std::string(must_be));
}

Result<std::int64_t> seconds_of(std::string_view text) {
  const bool bare = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  const auto time = overlay::parse_duration(bare ? std::string(text) + "s" : std::string(text));
  if (!time) return tl::unexpected(time.error());
  return *time / std::chrono::seconds(1);
}

}  // namespace

Result<std::vector<Quota>> parse_quotas(std::string_view text) {
  std::vector<Quota> quotas;
  for (const std::string& item : split_list(text)) {
    const std::size_t equal = item.rfind('=');
    const bool of_class = item.starts_with(kClassQuota);
    const std::size_t begin = of_class ? kClassQuota.size() : kUserQuota.size();
    const bool formed =
        (of_class || item.starts_with(kUserQuota)) && equal != item.npos && equal > begin;
    if (!formed) return no_quota(item, "user:NAME=TIME or class:NAME=TIME, such as user:alice=2h");
    const auto ceiling = seconds_of(std::string_view(item).substr(equal + 1));
    if (!ceiling) return no_quota(item, "of CPU seconds, or a time such as 2h");
    Quota quota{
        .of_class = of_class, .name = item.substr(begin, equal - begin), .ceiling_s = *ceiling};
    if (of_class && quota.name == Quota::kEachUser) return no_quota(item, "of one class");
    const bool twice = std::ranges::any_of(quotas, [&](const Quota& other) {
      return other.of_class == quota.of_class && other.name == quota.name;
    });
    if (twice) return no_quota(item, "said once");
    if (quotas.size() >= kQuotasMax) return no_quota(item, "among 1000 at most");
    quotas.push_back(std::move(quota));
  }
  return quotas;
}

}  // namespace dunlin::node
