// SPDX-License-Identifier: MIT
#include "sched/logs/lent_copy.h"

#include <utility>
#include <variant>

#include "sched/ledger/log_commands.h"
#include "sched/overloaded.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"

namespace dunlin::sched::logs {
namespace {

/// A turn for a copy that is made.
class Nowhere final : public replica::Port {
 public:
  void send(const Endpoint&, const replica::Message&) override {}
  void propose(const replica::Command&) override {}
};

/// The disk, for a part of a log that is being made.
class Disk final : public replica::CopyStore {
 public:
  Disk(replica::LogStore& store, std::uint64_t log) : store_(store), log_(log) {}
  void put_batch(std::uint64_t position, const replica::Batch& batch) override {
    store_.put_batch(log_, position, batch);
  }
  void truncate(std::uint64_t position) override { store_.truncate(log_, position); }
  void put_office(const replica::HomeRecord& office) override { store_.put_office(log_, office); }
  void put_entry(const replica::Entry& entry) override { store_.put_entry(log_, entry); }

 private:
  replica::LogStore& store_;
  std::uint64_t log_;
};

}  // namespace

replica::Copy copy_of(const PeerParts& parts, const Host& host, replica::StoredLog stored) {
  replica::CopyParams params;
  params.home.standbys = 0;
  params.home_lease = parts.params->frontend.home_lease;
  params.home.deaf_after = params.home_lease;
  Nowhere nowhere;
  Disk disk(host.logs, stored.facts.log);
  return {params, parts.as_member(), parts.overlay.self().incarnation,
      {std::move(stored.log), std::move(stored.office), std::move(stored.entry)},
      {.now = host.now, .out = nowhere, .store = disk}};
}

cell::LogWish wish_of(std::uint64_t log, const replica::Command& command) {
  return std::visit(
      Overloaded{
          [&](const replica::ChangeSet& m) -> cell::LogWish {
            return books::ChangeLogSet{.log = log,
                .epoch = m.epoch,
                .version = m.version,
                .set = books::members_of(m.set)};
          },
          [&](const replica::TakeOver& m) -> cell::LogWish {
            return books::TakeOverLog{
                .log = log, .epoch = m.epoch, .claimant = books::member_of(m.claimant)};
          },
          [&](const replica::Ask&) -> cell::LogWish { return cell::AskLog{.log = log}; },
      },
      command);
}

void tell(const Host& host,
    const Message& message,
    const replica::Set& set,
    const replica::Member& self) {
  for (const replica::Member& member : set) {
    if (member.replica != self.replica) host.out.send(member.node, message);
  }
}

}  // namespace dunlin::sched::logs
