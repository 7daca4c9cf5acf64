// SPDX-License-Identifier: MIT
#include "node/task/task_card.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "node/fields.h"
#include "node/warden/protocol.h"
#include "sched/resources.h"

// What an agent must know of a task that it did not start. It is written at the start, lies in the
// warden unread, and is read by the next agent, which may be of a later build. So it is flat, has a
// version, and is taken whole or not at all: a task of another version is ended, since to guess its
// demand would give room away twice.
namespace dunlin::node {
namespace {

using warden::IsA;

/// Grows when the fields below change. What came with a later one is left out of cards of the
/// versions before, which tasks have that ran when the agent was replaced.
constexpr std::uint8_t kCardVersion = 7;
constexpr std::uint8_t kCardWithUser = 6;
constexpr std::uint8_t kCardOldest = 5;

struct CardAmount {
  std::string name;
  std::uint32_t count = 0;
};
void fields(auto& archive, IsA<CardAmount> auto& m) {
  archive(m.name, m.count);
}

struct CardStandby {
  std::uint64_t replica = 0;
  std::uint64_t node = 0;
  std::uint64_t address_high = 0;
  std::uint64_t address_low = 0;
  std::uint16_t port = 0;
};
void fields(auto& archive, IsA<CardStandby> auto& m) {
  archive(m.replica, m.node, m.address_high, m.address_low, m.port);
}

struct CardDevices {
  std::string resource;
  std::vector<std::uint32_t> numbers;
};
void fields(auto& archive, IsA<CardDevices> auto& m) {
  archive(m.resource, m.numbers);
}

// A card has no names, only an order: what is added goes to the end, and nothing is taken out.
struct Card {
  std::uint8_t version = kCardVersion;
  std::uint64_t home = 0;
  std::uint32_t number = 0;
  std::uint64_t lineage = 0;
  std::uint32_t index = 0;
  std::uint32_t attempt = 0;
  std::uint64_t frontend = 0;
  std::uint64_t address_high = 0;
  std::uint64_t address_low = 0;
  std::uint16_t port = 0;
  std::uint32_t cpu = 0;
  std::uint32_t memory = 0;
  std::vector<CardAmount> custom;  ///< Rates are among them, by their keys: see kRates.
  std::int64_t task_time = 0;
  std::int64_t time_limit = 0;
  std::uint32_t class_id = 0;
  std::uint64_t log = 0;
  std::uint32_t epoch = 0;
  std::vector<CardStandby> standbys;
  bool scratch = false;
  bool fed = false;
  std::vector<CardDevices> devices;
  std::int16_t priority = 0;
  sched::OnPreempt on_preempt = sched::OnPreempt::never;
  std::uint16_t preemptions = 0;
  std::uint8_t warning = 0;
  std::uint32_t warning_ms = 0;
  std::uint64_t user = 0;  ///< Since version 6, ...
  std::string owner;       ///< ... and these three since version 7.
  std::string job_name;
  std::vector<std::string> command;
};
void fields(auto& archive, IsA<Card> auto& m) {
  archive(m.version, m.home, m.number, m.lineage, m.index, m.attempt, m.frontend, m.address_high,
      m.address_low, m.port, m.cpu, m.memory, m.custom, m.task_time, m.time_limit, m.class_id,
      m.log, m.epoch, m.standbys, m.scratch, m.fed, m.devices, m.priority, m.on_preempt,
      m.preemptions, m.warning, m.warning_ms);
  if (m.version >= kCardWithUser) archive(m.user);
  if (m.version >= kCardVersion) archive(m.owner, m.job_name, m.command);
}

}  // namespace

// Rates are written as custom amounts, under their keys: so a new kind of rate needs no new
// version.
std::string write_card(const sched::Launch& launch, const TaskCard::Notes& notes) {
  Card card{.home = launch.task.job.home.value,
      .number = launch.task.job.number,
      .lineage = launch.task.job.lineage,
      .index = launch.task.index,
      .attempt = launch.attempt,
      .frontend = launch.frontend.id.value,
      .address_high = launch.frontend.address.high,
      .address_low = launch.frontend.address.low,
      .port = launch.frontend.address.port,
      .cpu = launch.demand.cpu,
      .memory = launch.demand.memory,
      .custom = {},
      .task_time = launch.task_time.count(),
      .time_limit = launch.time_limit.count(),
      .class_id = launch.class_id,
      .log = launch.log.log,
      .epoch = launch.log.epoch,
      .standbys = {},
      .scratch = notes.scratch,
      .fed = notes.fed,
      .devices = {},
      .priority = launch.yield.priority,
      .on_preempt = launch.yield.on_preempt,
      .preemptions = launch.yield.preemptions,
      .warning = notes.warning.signal,
      .warning_ms = notes.warning.time_ms,
      .user = launch.user,
      .owner = notes.about.owner,
      .job_name = notes.about.job_name,
      .command = notes.about.command};
  for (const sched::Rate& rate : sched::kRates) {
    const std::uint32_t amount = launch.demand.*rate.amount;
    if (amount > 0) card.custom.push_back({std::string(rate.key), amount});
  }
  for (const auto& amount : launch.demand.custom) {
    card.custom.push_back({std::string(amount.name), amount.count});
  }
  for (const sched::LogReplica& standby : launch.log.standbys) {
    card.standbys.push_back({standby.replica, standby.node.value, standby.address.high,
        standby.address.low, standby.address.port});
  }
  for (const TaskDevices& each : notes.devices) {
    // A kind of which the task has none holds nothing that must be given back.
    if (!each.numbers.empty()) card.devices.push_back({each.resource, each.numbers});
  }
  std::string text;
  FieldWriter write(text);
  write(card);
  return text;
}

std::optional<TaskCard> read_card(std::string_view text) {
  Card card;
  FieldReader read(text);
  read(card);
  const bool is_known = card.version >= kCardOldest && card.version <= kCardVersion;
  if (!read.finished() || !is_known) return std::nullopt;
  // A byte that was read is no enumerator before it is checked.
  if (static_cast<std::size_t>(card.on_preempt) >= std::size(sched::kOnPreemptWords)) return {};
  TaskCard result;
  result.notes = {.scratch = card.scratch,
      .fed = card.fed,
      .devices = {},
      .warning = {.signal = card.warning, .time_ms = card.warning_ms},
      .about = {.owner = std::move(card.owner),
          .job_name = std::move(card.job_name),
          .command = std::move(card.command)}};
  for (CardDevices& each : card.devices) {
    result.notes.devices.push_back({std::move(each.resource), std::move(each.numbers)});
  }
  sched::KeptTask& task = result.task;
  task.task = {{.home = {card.home}, .number = card.number, .lineage = card.lineage}, card.index};
  task.attempt = card.attempt;
  task.frontend.id = {card.frontend};
  task.frontend.address.high = card.address_high;
  task.frontend.address.low = card.address_low;
  task.frontend.address.port = card.port;
  task.demand.cpu = card.cpu;
  task.demand.memory = card.memory;
  for (CardAmount& amount : card.custom) {
    const auto* const rate = std::ranges::find(sched::kRates, amount.name, &sched::Rate::key);
    if (rate != sched::kRates.end()) {
      task.demand.*rate->amount = amount.count;
      continue;
    }
    task.demand.custom.push_back({std::move(amount.name), amount.count});
  }
  task.task_time = sched::Duration{card.task_time};
  task.time_limit = sched::Duration{card.time_limit};
  task.class_id = card.class_id;
  task.user = card.user;
  task.yield = {
      .priority = card.priority, .on_preempt = card.on_preempt, .preemptions = card.preemptions};
  task.log = {card.log, card.epoch, {}};
  for (const CardStandby& standby : card.standbys) {
    task.log.standbys.push_back({.replica = standby.replica,
        .node = {standby.node},
        .address = {standby.address_high, standby.address_low, standby.port}});
  }
  return result;
}

}  // namespace dunlin::node
