// SPDX-License-Identifier: MIT
// A snapshot of a cell's books: as it is, and as the body of one with the right checksum.
#include "sched/ledger/codec_books.h"
#include "tests/fuzz/message_fuzz.h"
#include "tests/support/books_commands.h"

namespace dunlin::fuzz {
namespace {

void run_books_snapshot(const std::uint8_t* data, std::size_t size) {
  using sched::Ledger;
  const std::string bytes(text_of(data, size));
  (void)Ledger::load(bytes, sched::CellId{1});

  const std::string snapshot = testing::sealed(bytes);
  for (const sched::CellId cell : {sched::CellId{0}, sched::CellId{1}}) {
    auto ledger = Ledger::load(snapshot, cell);
    if (!ledger) continue;
    const auto again = Ledger::load(ledger->save(), cell);
    ensure(again && again->state() == ledger->state(), "a snapshot of something else");
    // It goes on from there.
    testing::outcome_of(*ledger, sched::books::Claim{}, ledger->state().epoch);
    testing::outcome_of(*ledger, sched::books::Mint{.node = sched::PeerId{77}, .tickets = 10},
        ledger->state().epoch, 1 << 30);
    (void)ledger->save();
  }
}

std::size_t mutate_books_snapshot(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  using namespace dunlin;
  // Now and then the books of a short life: chance alone would never find any that balance.
  const auto encode_by_chance = [seed](auto&, std::string& out) {
    sched::Ledger ledger = testing::ledger_with({1}, 1 + seed / 16 % 3);
    std::uint64_t period = 0;
    overlay::Rng rng(seed);
    for (std::uint32_t i = 0; i < rng.below(4); ++i) {
      testing::outcome_of(ledger,
          testing::deposits_of(++period, {testing::saving(1, rng.below(3), 1 + rng.below(500))}));
      testing::outcome_of(ledger,
          sched::books::HoldSavings{.to = {2 + rng.below(2)},
              .number = 1,
              .class_id = rng.below(3),
              .tickets = 1 + rng.below(50)});
    }
    sched::books::encode(ledger.state(), out);
  };
  return fuzz::mutate(data, size, size_max, seed, encode_by_chance);
}

const Registered kBooksSnapshot(
    {.name = "books_snapshot", .run = run_books_snapshot, .mutate = mutate_books_snapshot});

}  // namespace
}  // namespace dunlin::fuzz
