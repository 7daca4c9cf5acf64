// SPDX-License-Identifier: MIT
#include "sched/replica/standby.h"

#include <algorithm>

// What a standby has beyond the home's log was never promised by this home, or the home would have
// it: the standby drops it. It drops nothing before it meets a batch that differs, because messages
// overtake each other and an old one ends sooner than the log does by now.
namespace dunlin::sched::replica {

void Standby::on_message(Port& out, const Endpoint& from, const Append& append) {
  if (append.stamp < heard_) return;
  heard_ = append.stamp;
  const std::uint64_t before = append.before.position;
  const bool known =
      before <= log_.end() && (!rules_.compare_stamps || log_.mark(before) == append.before);
  if (!known) return out.send(from, Behind{append.stamp, self_, log_.runs()});
  std::uint64_t position = before;
  for (const Batch& batch : append.batches) {
    ++position;
    if (position <= log_.end() && log_.at(position).stamp == batch.stamp) continue;
    if (position <= log_.end()) {
      log_.truncate(position - 1);
      kept_ = std::min(kept_, position - 1);
    }
    log_.append(batch);
  }
  word_ = Word{from, {append.stamp, self_, position}};
  if (!rules_.standby_disk_first) on_durable(out, log_.end());
}

void Standby::on_durable(Port& out, std::uint64_t end) {
  if (!word_ || word_->appended.position > end) return;
  out.send(word_->home, word_->appended);
  word_.reset();
}

}  // namespace dunlin::sched::replica
