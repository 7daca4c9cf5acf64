// SPDX-License-Identifier: MIT
#include "tests/support/grouped_raft_store.h"

namespace dunlin::test {

void GroupedRaftStore::commit() {
  for (auto& [group, store] : groups_) store.commit();
}
void GroupedRaftStore::crash() {
  for (auto& [group, store] : groups_) store.crash();
}
std::vector<sched::StoredRaft> GroupedRaftStore::disk() const {
  std::vector<sched::StoredRaft> replicas;
  for (const auto& [group, store] : groups_) {
    if (store.disk()) replicas.push_back(*store.disk());
  }
  return replicas;
}
std::string GroupedRaftStore::violation() const {
  for (const auto& [group, store] : groups_) {
    if (!store.violation().empty()) return store.violation();
  }
  return {};
}

}  // namespace dunlin::test
