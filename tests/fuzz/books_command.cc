// SPDX-License-Identifier: MIT
// An entry of a cell's log: whatever it says, the books stay whole (Ledger::apply() checks them).
#include "sched/ledger/codec_books.h"
#include "tests/fuzz/message_fuzz.h"
#include "tests/support/books_commands.h"

namespace dunlin::sched {
namespace {

Ledger busy_ledger(const books::Command& command) {
  Ledger ledger = testing::ledger_with(1, 3);
  testing::outcome_of(ledger,
      testing::deposits_of(1, {testing::saving(1, 4, 500), testing::saving(2, 5, 300, 50, true)}));
  testing::outcome_of(
      ledger, books::HoldSavings{.to = 2, .number = 1, .class_id = 4, .tickets = 100});
  testing::outcome_of(ledger, books::Claim{}, command.epoch);
  return ledger;
}

}  // namespace
}  // namespace dunlin::sched

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace books = dunlin::sched::books;
  const auto command = books::decode_command(dunlin::fuzz::bytes_of(data, size));
  if (!command) return 0;
  std::string again;
  books::encode(*command, again);
  const auto decoded = books::decode_command(std::as_bytes(std::span(again)));
  dunlin::ensure(decoded && *decoded == *command, "decodes to something else");

  auto ledger = dunlin::sched::busy_ledger(*command);
  ledger.apply(*command);
  ledger.apply(*command);
  const auto loaded = dunlin::sched::Ledger::load(ledger.save(), 1);
  dunlin::ensure(loaded && loaded->state() == ledger.state(), "a snapshot of something else");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  namespace books = dunlin::sched::books;
  const auto encode_by_chance = [seed](auto& random, std::string& out) {
    books::Command command;
    random.fill(command, 0);
    command.action =
        random.template draw<books::Action>(seed / 16 % std::variant_size_v<books::Action>);
    books::encode(command, out);
  };
  return dunlin::fuzz::mutate(data, size, size_max, seed, encode_by_chance);
}
