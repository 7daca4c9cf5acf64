// SPDX-License-Identifier: MIT
#include "sched/federation/kinds.h"

#include <string_view>

#include "sched/resources.h"

namespace dunlin::sched::federation {
namespace {

/// FNV-1a over words and texts. Different kinds of one hash are only slower to tell apart.
class Hash {
 public:
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) step(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) step(word >> shift & 0xff);
  }
  std::uint64_t value() const { return value_; }

 private:
  void step(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(const NodeKind& kind) {
  Hash hash;
  for (const Attribute& attribute : kind.attributes) {
    hash.add(attribute.key);
    hash.add(attribute.value);
  }
  hash.add(kind.total.cpu);
  hash.add(kind.total.memory);
  for (const Rate& rate : kRates) {
    if (kind.total.*rate.amount > 0) hash.add(kind.total.*rate.amount);
  }
  for (const Amount& amount : kind.total.custom) {
    hash.add(amount.name);
    hash.add(amount.count);
  }
  return hash.value();
}

}  // namespace

KindNumber Kinds::number_of(const NodeKind& kind) {
  const std::uint64_t hash = hash_of(kind);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (kinds_[known->second] == kind) return known->second;
  }
  const auto number = static_cast<KindNumber>(kinds_.size());
  kinds_.push_back(kind);
  by_hash_.emplace(hash, number);
  return number;
}

}  // namespace dunlin::sched::federation
