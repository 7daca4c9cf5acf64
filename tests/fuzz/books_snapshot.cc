// SPDX-License-Identifier: MIT
// A snapshot of a cell's books: as it lies there, and as the body of one whose checksum is right.
#include "sched/ledger/codec_books.h"
#include "tests/fuzz/message_fuzz.h"
#include "tests/support/books_commands.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dunlin::sched::Ledger;
  const std::string bytes(dunlin::fuzz::text_of(data, size));
  (void)Ledger::load(bytes, 1);

  const std::string snapshot = dunlin::testing::sealed(bytes);
  for (const dunlin::sched::CellId cell : {0u, 1u}) {
    auto ledger = Ledger::load(snapshot, cell);
    if (!ledger) continue;
    const auto again = Ledger::load(ledger->save(), cell);
    dunlin::ensure(again && again->state() == ledger->state(), "a snapshot of something else");
    // It goes on from there.
    dunlin::testing::outcome_of(*ledger, dunlin::sched::books::Claim{}, ledger->state().epoch);
    dunlin::testing::outcome_of(*ledger, dunlin::sched::books::Mint{.node = {77}, .tickets = 10},
        ledger->state().epoch, 1 << 30);
    (void)ledger->save();
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(
    std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  using namespace dunlin;
  // Now and then the books of a short life: chance alone would never find any that balance.
  const auto encode_by_chance = [seed](auto&, std::string& out) {
    sched::Ledger ledger = testing::ledger_with(1, 1 + seed / 16 % 3);
    std::uint64_t period = 0;
    overlay::Rng rng(seed);
    for (std::uint32_t i = 0; i < rng.below(4); ++i) {
      testing::outcome_of(ledger,
          testing::deposits_of(++period, {testing::saving(1, rng.below(3), 1 + rng.below(500))}));
      testing::outcome_of(ledger,
          sched::books::HoldSavings{.to = 2 + rng.below(2),
              .number = 1,
              .class_id = rng.below(3),
              .tickets = 1 + rng.below(50)});
    }
    sched::books::encode(ledger.state(), out);
  };
  return fuzz::mutate(data, size, size_max, seed, encode_by_chance);
}
