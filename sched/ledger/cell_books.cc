// SPDX-License-Identifier: MIT
#include "sched/ledger/cell_books.h"

#include <algorithm>
#include <type_traits>

#include "sched/ledger/codec_books.h"
#include "sched/ledger/codec_roster.h"
#include "sched/ledger/log_commands.h"
#include "sched/raft/little_endian.h"

// The books are a pure function of the log. A manager decides outside, with reports and clocks that
// differ from node to node; only its decisions come here as commands, and every voter applies the
// same ones in the same order to the same state.
// Each command begins with a byte that names its half: the ledger (tickets) or the roster (members,
// classes, parent). Admit touches both halves, so that no crash leaves a member without tickets or
// tickets without a member.
// Books close for good when a cell dissolves: a late command must not revive tickets that have
// moved on.
namespace dunlin::sched {
namespace {

constexpr char kLedger = 0;
constexpr char kRoster = 1;
/// The bytes of a number: the time of a change, and the size of the ledger in a snapshot.
constexpr std::size_t kNumberSize = sizeof(std::uint64_t);

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <typename Action>
books::Command command_of(Epoch epoch, Time at, Action action) {
  books::Command command;
  command.epoch = epoch;
  command.at = at;
  command.action = std::move(action);
  return command;
}

}  // namespace

Result<void> validate(const books::Classes& classes) {
  const books::PlanRule& plan = classes.plan;
  if (plan.reserve > kPlanReserveMax || plan.horizon < Duration{0}) {
    return failure(ErrorKind::usage, "the reserve of the plan must be 0 to 1, its horizon above 0");
  }
  // A cluster may plan without sharing by classes.
  if (classes.classes.empty() && plan.horizon > Duration{0}) return {};
  Tickets sum = 0;
  const books::Class* before = nullptr;
  for (const auto& each : classes.classes) {
    if (each.share < 0 || each.share > kTicketsMax) {
      return failure(ErrorKind::usage,
          "class " + each.name + " has share " + std::to_string(each.share) +
              "; give it a whole number from 0 upwards");
    }
    if (before != nullptr && each.class_id <= before->class_id) {
      return failure(ErrorKind::usage, "class " + each.name + " is not in order, or named twice");
    }
    before = &each;
    sum += each.share;
  }
  if (sum > 0) return {};
  return failure(ErrorKind::usage, "no class has a share; give one of them 1 at least");
}

std::string CellBooks::encode(const books::Command& command) {
  std::string bytes(1, kLedger);
  books::encode(command, bytes);
  return bytes;
}

std::string CellBooks::encode(Time at, const books::Change& change) {
  std::string bytes(1, kRoster);
  put_number(bytes, static_cast<std::uint64_t>(to_wire(at)));
  books::encode(change, bytes);
  return bytes;
}

books::Outcome CellBooks::outcome_of(std::string_view result) {
  if (result.size() != 1) return books::Outcome::stale_epoch;
  return static_cast<books::Outcome>(result.front());
}

std::string CellBooks::apply(Epoch epoch, std::string_view command) {
  const auto outcome = perform(epoch, command);
  follow_ledger();
  return std::string(1, static_cast<char>(outcome));
}

// The engine has let only commands of the latest claim pass.
books::Outcome CellBooks::perform(Epoch epoch, std::string_view command) {
  if (command.empty() || roster_.closed) return books::Outcome::malformed;
  auto body = command.substr(1);
  if (command.front() == kLedger) {
    const auto read = books::decode_command(bytes_of(body));
    if (!read || read->epoch != epoch) return books::Outcome::malformed;
    return ledger_.apply(*read).outcome;
  }
  if (command.front() != kRoster || body.size() < kNumberSize) return books::Outcome::malformed;
  const auto stamp = static_cast<std::int64_t>(take_number<std::uint64_t>(body));
  const auto change = books::decode_change(bytes_of(body));
  Time at;
  if (!change || !from_wire(stamp, at)) {
    return books::Outcome::malformed;
  }
  return std::visit([&](const auto& action) { return act(epoch, at, action); }, *change);
}

void CellBooks::claim(Epoch epoch) {
  // Time goes on from where it was, because the clocks of two managers have nothing in common.
  (void)ledger_.apply(command_of(epoch, ledger_.state().now, books::Claim{}));
}

books::Outcome CellBooks::act(Epoch, Time, const books::Classes& classes) {
  if (!validate(classes)) return books::Outcome::malformed;
  // An older table is no error: tables arrive by many ways, and the highest version wins.
  if (classes.version <= roster_.classes.version) return books::Outcome::done;
  roster_.classes = classes;
  return books::Outcome::applied;
}

books::Outcome CellBooks::act(Epoch epoch, Time at, const books::Admit& admit) {
  const auto apply = [&](auto action) {
    return ledger_.apply(command_of(epoch, at, std::move(action))).outcome;
  };
  if (admit.tickets < 0 || admit.tickets > kTicketsMax || !admit.member) {
    return books::Outcome::malformed;
  }
  const books::Node* known = ledger_.node(admit.member);
  // A node that leaves may join again when its old tickets are burned, not before: it may still
  // obey an old sheet.
  if (known != nullptr && known->leaving) return books::Outcome::known_node;
  // The member says itself that it has other tickets now, so it counts on none of the old ones.
  if (known != nullptr && known->tickets != admit.tickets) {
    const auto burned = apply(books::Burn{.node = admit.member, .returned = true});
    if (burned != books::Outcome::applied) return burned;
    known = nullptr;
  }
  if (known == nullptr) {
    const auto minted = apply(books::Mint{.node = admit.member, .tickets = admit.tickets});
    if (minted != books::Outcome::applied) return minted;
  }
  auto& members = roster_.members;
  auto at_member = std::ranges::lower_bound(members, admit.member, {}, &books::Entrance::member);
  if (at_member == members.end() || at_member->member != admit.member) {
    at_member = members.insert(at_member, {.member = admit.member, .contact = {}});
  }
  at_member->contact = admit.contact;
  return books::Outcome::applied;
}

books::Outcome CellBooks::act(Epoch, Time, const books::SetParent& parent) {
  roster_.parent = parent.parent;
  roster_.parent_contacts = parent.contacts;
  return books::Outcome::applied;
}

books::Outcome CellBooks::act(Epoch, Time, const books::Dissolve& dissolve) {
  if (dissolve.into == cell()) return books::Outcome::malformed;
  roster_.dissolving = true;
  roster_.into = dissolve.into;
  return books::Outcome::applied;
}

// Only commands touch the entries of logs. They outlive their members, because a home that is
// evicted may be cut off alone. Books that are about to end take no new ones, and give away those
// that they have. One that other books froze for these is taken even then: no others may have it.
template <typename LogCommand>
books::Outcome CellBooks::act(Epoch, Time, const LogCommand& command) {
  const bool opens = std::is_same_v<LogCommand, books::OpenLog>;
  const bool freezes = std::is_same_v<LogCommand, books::FreezeLog>;
  const bool wrong_time = (opens && roster_.dissolving) || (freezes && !roster_.dissolving);
  if (wrong_time) return books::Outcome::malformed;
  if constexpr (freezes) {
    const auto* const log = books::find_log(roster_.logs, command.log);
    const bool moves = command.to != cell() && !command.contacts.empty();
    if (log != nullptr && books::has_claimants(*log) != moves) return books::Outcome::malformed;
  }
  if constexpr (std::is_same_v<LogCommand, books::AcceptLog>) {
    if (command.entry.moved_to != cell()) return books::Outcome::malformed;
  }
  return books::apply(roster_.logs, command);
}

// Books that still hold something never close, because what they hold would be lost.
books::Outcome CellBooks::act(Epoch, Time, const books::Close&) {
  const auto& state = ledger_.state();
  const bool under_way = std::ranges::any_of(
      state.partners, [](const auto& partner) { return !partner.outgoing.empty(); });
  const bool moved = std::ranges::all_of(
      roster_.logs, [](const books::LogEntry& log) { return log.moved_to != CellId{}; });
  const bool empty = state.nodes.empty() && state.accounts.empty() && moved;
  if (!roster_.dissolving || !empty || under_way) return books::Outcome::malformed;
  roster_.closed = true;
  return books::Outcome::applied;
}

// The stamp of the command is the time since when, as it is for all times in books.
books::Outcome CellBooks::act(Epoch, Time at, const books::Missing& missing) {
  auto& list = roster_.missing;
  const auto place = std::ranges::lower_bound(list, missing.cell, {}, &books::Missing::cell);
  if (place != list.end() && place->cell == missing.cell) return books::Outcome::done;
  if (!missing.cell || missing.cell == cell()) return books::Outcome::malformed;
  if (list.size() == books::Roster::kMissingMax) return books::Outcome::too_many;
  list.insert(place, missing)->since = at;
  return books::Outcome::applied;
}

books::Outcome CellBooks::act(Epoch, Time, const books::Found& found) {
  const auto erased =
      std::erase_if(roster_.missing, [&](const auto& each) { return each.cell == found.cell; });
  return erased == 0 ? books::Outcome::done : books::Outcome::applied;
}

// Closes whatever the books hold: others have issued it again, or done without.
books::Outcome CellBooks::act(Epoch, Time, const books::Annul& annul) {
  if (!annul.by || annul.by == cell()) return books::Outcome::malformed;
  roster_.dissolving = true;
  roster_.closed = true;
  return books::Outcome::applied;
}

bool CellBooks::is_lost(CellId cell) const {
  const auto& partners = ledger_.state().partners;
  const auto at = std::ranges::lower_bound(partners, cell, {}, &books::Partner::cell);
  return at != partners.end() && at->cell == cell && at->lost;
}

// A cell that is a member again is not missing. A cell that was written off never comes back.
void CellBooks::follow_ledger() {
  std::erase_if(roster_.members,
      [&](const books::Entrance& entrance) { return ledger_.node(entrance.member) == nullptr; });
  std::erase_if(roster_.missing, [&](const books::Missing& missing) {
    const books::Node* back = ledger_.node({missing.cell});
    return (back != nullptr && !back->leaving) || is_lost(missing.cell);
  });
}

// The ledger has its own checksum and version; the roster follows it.
std::string CellBooks::snapshot() const {
  const auto ledger = ledger_.save();
  std::string bytes;
  put_number(bytes, std::uint64_t{ledger.size()});
  bytes += ledger;
  books::encode(roster_, bytes);
  return bytes;
}

Result<void> CellBooks::restore(std::string_view bytes) {
  const auto cut = failure(ErrorKind::corrupt, "snapshot of a cell: it is cut short");
  if (bytes.size() < kNumberSize) return cut;
  const auto size = take_number<std::uint64_t>(bytes);
  if (size > bytes.size()) return cut;
  auto ledger = Ledger::load(bytes.substr(0, size), cell());
  if (!ledger) return tl::unexpected(ledger.error());
  auto roster = books::decode_roster(bytes_of(bytes.substr(size)));
  if (!roster) return tl::unexpected(roster.error());
  if (!books::are_sound(roster->logs)) {
    return failure(ErrorKind::corrupt, "snapshot of a cell: its entries of logs make no sense");
  }
  ledger_ = std::move(*ledger);
  roster_ = std::move(*roster);
  follow_ledger();
  return {};
}

const books::Contact* CellBooks::contact(MemberId member) const {
  const auto& members = roster_.members;
  const auto at = std::ranges::lower_bound(members, member, {}, &books::Entrance::member);
  return at != members.end() && at->member == member ? &at->contact : nullptr;
}

// Nodes that leave count no more, because nothing new is granted on them.
Tickets CellBooks::tickets() const {
  Tickets sum = 0;
  for (const auto& node : ledger_.state().nodes) {
    if (!node.leaving) sum += node.tickets;
  }
  return sum;
}

}  // namespace dunlin::sched
