// SPDX-License-Identifier: MIT
#include "node/warden/use/slot_net.h"

#include <algorithm>

// To attach the programs takes as long as a short task. So it is done for tasks that demand a rate,
// and for those that run for longer than a period; and a slot that has them keeps them.
namespace dunlin::node {

Result<void> limit_net(
    CgroupSlots::Slot& slot, const std::string& directory, const NetRates& rates) {
  if (!slot.net && rates == NetRates{}) return {};
  if (!slot.net) {
    auto guard = NetGuard::attach(directory);
    if (!guard) return tl::unexpected(guard.error());
    slot.net.emplace(std::move(*guard));
  }
  slot.net_before = slot.net->bytes();
  return slot.net->limit(rates);
}

bool watch_net(CgroupSlots::Slot& slot, const std::string& directory) {
  if (slot.net) return true;
  auto guard = NetGuard::attach(directory);
  if (!guard) return false;
  slot.net.emplace(std::move(*guard));
  slot.net_before = {};
  return true;
}

std::optional<NetBytes> net_of(const CgroupSlots::Slot& slot) {
  if (!slot.net) return std::nullopt;
  const NetBytes now = slot.net->bytes();
  return NetBytes{.received = now.received - std::min(now.received, slot.net_before.received),
      .sent = now.sent - std::min(now.sent, slot.net_before.sent)};
}

}  // namespace dunlin::node
