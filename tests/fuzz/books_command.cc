// SPDX-License-Identifier: MIT
// An entry of a cell's log: whatever it says, the books stay whole (Ledger::apply() checks them).
#include "sched/ledger/codec_books.h"
#include "tests/fuzz/message_fuzz.h"
#include "tests/support/books_commands.h"

namespace dunlin::fuzz {
namespace {

namespace books = sched::books;

sched::Ledger busy_ledger(const books::Command& command) {
  sched::Ledger ledger = testing::ledger_with({1}, 3);
  testing::outcome_of(ledger,
      testing::deposits_of(1, {testing::saving(1, 4, 500), testing::saving(2, 5, 300, 50, true)}));
  testing::outcome_of(
      ledger, books::HoldSavings{.to = {2}, .number = 1, .class_id = 4, .tickets = 100});
  testing::outcome_of(ledger, books::Claim{}, command.epoch);
  return ledger;
}

void run_books_command(const std::uint8_t* data, std::size_t size) {
  const auto command = books::decode_command(bytes_of(data, size));
  if (!command) return;
  std::string again;
  books::encode(*command, again);
  const auto decoded = books::decode_command(std::as_bytes(std::span(again)));
  ensure(decoded && *decoded == *command, "decodes to something else");

  auto ledger = busy_ledger(*command);
  ledger.apply(*command);
  ledger.apply(*command);
  const auto loaded = sched::Ledger::load(ledger.save(), sched::CellId{1});
  ensure(loaded && loaded->state() == ledger.state(), "a snapshot of something else");
}

std::size_t mutate_books_command(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  const auto encode_by_chance = [seed](auto& random, std::string& out) {
    books::Command command;
    random.fill(command, 0);
    command.action =
        random.template draw<books::Action>(seed / 16 % std::variant_size_v<books::Action>);
    books::encode(command, out);
  };
  return mutate(data, size, size_max, seed, encode_by_chance);
}

const Registered kBooksCommand(
    {.name = "books_command", .run = run_books_command, .mutate = mutate_books_command});

}  // namespace
}  // namespace dunlin::fuzz
