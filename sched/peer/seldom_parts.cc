// SPDX-License-Identifier: MIT
#include "sched/peer/seldom_parts.h"

#include "sched/federation/peer/peer_masters.h"
#include "sched/listing/listings.h"
#include "sched/logs/peer_logs.h"
#include "sched/witness.h"

namespace dunlin::sched {

struct SeldomParts::Made {
  std::unique_ptr<Witness> witness;
  std::unique_ptr<PeerLogs> logs;
  std::unique_ptr<Listings> listings;
  std::unique_ptr<federation::PeerMasters> masters;
};

namespace {

template <typename Part>
Part& ensure_part(std::unique_ptr<Part>& part) {
  if (!part) part = std::make_unique<Part>();
  return *part;
}

}  // namespace

SeldomParts::SeldomParts() = default;
SeldomParts::SeldomParts(SeldomParts&&) noexcept = default;
SeldomParts& SeldomParts::operator=(SeldomParts&&) noexcept = default;
SeldomParts::~SeldomParts() = default;

SeldomParts::Made& SeldomParts::ensure() {
  return ensure_part(made_);
}

Witness& SeldomParts::ensure_witness() {
  return ensure_part(ensure().witness);
}

PeerLogs& SeldomParts::ensure_logs() {
  return ensure_part(ensure().logs);
}

Listings& SeldomParts::ensure_listings() {
  return ensure_part(ensure().listings);
}

federation::PeerMasters& SeldomParts::ensure_masters() {
  return ensure_part(ensure().masters);
}

Witness* SeldomParts::made_witness() const {
  return made_->witness.get();
}

PeerLogs* SeldomParts::made_logs() const {
  return made_->logs.get();
}

Listings* SeldomParts::made_listings() const {
  return made_->listings.get();
}

federation::PeerMasters* SeldomParts::made_masters() const {
  return made_->masters.get();
}

}  // namespace dunlin::sched
