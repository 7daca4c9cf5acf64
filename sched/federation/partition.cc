// SPDX-License-Identifier: MIT
#include "sched/federation/partition.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "sched/resources.h"

namespace dunlin::sched::federation {
namespace {

constexpr std::size_t kWordBits = 64;

void set_bit(Bits& bits, std::size_t slot, bool value) {
  const std::size_t word = slot / kWordBits;
  if (bits.size() <= word) bits.resize(word + 1);
  const std::uint64_t mask = std::uint64_t{1} << slot % kWordBits;
  bits[word] = value ? bits[word] | mask : bits[word] & ~mask;
}

bool get_bit(const Bits& bits, std::size_t slot) {
  return bits[slot / kWordBits] >> slot % kWordBits & 1;
}

std::uint64_t room_of(const Row& row) {
  return row.draining ? 0 : row.free.cpu;
}

/// What a node would have left, as the largest part of any of its resources: the tightest fit is
/// the one for which this is least.
double left_over(const Resources& demand, const Row& row, const Resources& total) {
  const auto part = [](std::uint64_t free, std::uint64_t taken, std::uint64_t all) {
    return all == 0 ? 0.0 : static_cast<double>(free - taken) / static_cast<double>(all);
  };
  double left = std::max(part(row.free.cpu, demand.cpu, total.cpu),
      part(row.free.memory, demand.memory, total.memory));
  for (const Rate& rate : kRates) {
    left = std::max(left, part(row.free.*rate.amount, demand.*rate.amount, total.*rate.amount));
  }
  for (const Amount& amount : row.free.custom) {
    left = std::max(
        left, part(amount.count, amount_of(demand, amount.name), amount_of(total, amount.name)));
  }
  return left;
}

}  // namespace

void Partition::put(const Row& row, Expressions& expressions) {
  const auto [at, is_new] = slots_.try_emplace(row.node, rows_.size());
  const std::size_t slot = at->second;
  const bool same_kind = !is_new && rows_[slot].kind == row.kind;
  room_ += room_of(row);
  if (is_new) {
    rows_.push_back(row);
  } else {
    room_ -= room_of(rows_[slot]);
    rows_[slot] = row;
  }
  set_bit(open_, slot, !row.draining && row.free.cpu > 0);
  if (!same_kind) set_bits(slot, expressions);
}

void Partition::remove(PeerId node) {
  const auto removed = slots_.extract(node);
  if (!removed) return;
  const std::size_t slot = removed.mapped();
  const std::size_t last = rows_.size() - 1;
  room_ -= room_of(rows_[slot]);
  if (slot != last) {
    rows_[slot] = std::move(rows_[last]);
    slots_[rows_[slot].node] = slot;
    copy_bits(last, slot);
  }
  rows_.pop_back();
  set_bit(open_, last, false);
}

const Row* Partition::find(PeerId node) const {
  const auto at = slots_.find(node);
  return at == slots_.end() ? nullptr : &rows_[at->second];
}

const Row* Partition::match(
    const Wish& wish, Pick pick, Expressions& expressions, Rng& rng, Search& search) {
  if (rows_.empty()) return nullptr;
  // Vectors first, since one that is made may move the others.
  for (const Expressions::Handle& each : wish.constraints) make_vector(each, expressions);
  const auto fitting = [&](std::size_t word) {
    search.words += 1 + wish.constraints.size();
    std::uint64_t bits = open_[word];
    for (const Expressions::Handle& each : wish.constraints) {
      bits &= vectors_[each.index].bits[word];
    }
    return bits;
  };

  const std::size_t start = pick == Pick::random ? rng.index(rows_.size()) : 0;
  const std::size_t words = open_.size();
  const Row* best = nullptr;
  double left_min = std::numeric_limits<double>::infinity();
  // The word of the start comes twice: first its bits from the start on, at the end those before.
  for (std::size_t step = 0; step <= words; ++step) {
    const std::size_t word = (start / kWordBits + step) % words;
    const std::uint64_t from_start = ~std::uint64_t{0} << start % kWordBits;
    std::uint64_t bits = fitting(word);
    if (step == 0) bits &= from_start;
    if (step == words) bits &= ~from_start;
    for (; bits != 0; bits &= bits - 1) {
      const Row& row = rows_[word * kWordBits + static_cast<std::size_t>(std::countr_zero(bits))];
      ++search.rows;
      if (!fits(wish.demand, row.free)) continue;
      if (pick != Pick::best) return &row;
      const double left = left_over(wish.demand, row, expressions.kinds().at(row.kind).total);
      if (left < left_min) {
        left_min = left;
        best = &row;
      }
    }
  }
  return best;
}

/// Sets the bit of a slot in every vector that is of use yet.
void Partition::set_bits(std::size_t slot, Expressions& expressions) {
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    Vector& vector = vectors_[i];
    if (vector.generation == 0) continue;
    const Expressions::Handle expression{static_cast<std::uint32_t>(i), vector.generation};
    if (expressions.keeps(expression)) {
      set_bit(vector.bits, slot, expressions.holds(expression, rows_[slot].kind));
    } else {
      vector = {};
    }
  }
}

void Partition::copy_bits(std::size_t from, std::size_t to) {
  set_bit(open_, to, get_bit(open_, from));
  for (Vector& vector : vectors_) {
    if (vector.generation != 0) set_bit(vector.bits, to, get_bit(vector.bits, from));
  }
}

void Partition::make_vector(const Expressions::Handle& expression, Expressions& expressions) {
  if (vectors_.size() <= expression.index) vectors_.resize(expression.index + 1);
  Vector& vector = vectors_[expression.index];
  if (vector.generation == expression.generation) return;
  vector = {.generation = expression.generation, .bits = Bits(open_.size())};
  for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
    set_bit(vector.bits, slot, expressions.holds(expression, rows_[slot].kind));
  }
}

}  // namespace dunlin::sched::federation
