// SPDX-License-Identifier: MIT
#include "sched/peer/comeback.h"

#include <utility>

#include "sched/frontend/frontend.h"
#include "sched/logs/log_store.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_parts.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {

void Comeback::restore(const Host& host,
    std::vector<StoredJob> jobs,
    std::uint32_t number_last,
    std::span<const StoredHolder> holders) {
  if (jobs.empty() && number_last == 0) return;
  Turn turn = PeerParts::turn(host);
  parts_.ensure_frontend().restore(turn, std::move(jobs), number_last, nullptr, holders);
}

void Comeback::restore_keys(Time now, std::vector<SpentKey> keys) {
  if (!keys.empty()) parts_.ensure_frontend().restore_keys(now, std::move(keys));
}

void Comeback::restore_logs(const Host& host, std::vector<replica::StoredLog> logs) {
  if (!logs.empty()) parts_.seldom.ensure_logs().restore(parts_, host, std::move(logs));
}

void Comeback::take_back(const Host& host, std::uint32_t since, std::span<const KeptTask> kept) {
  Turn turn = PeerParts::turn(host);
  parts_.ensure_worker().take_back(turn, since, kept);
  parts_.publish(host);
}

}  // namespace dunlin::sched
