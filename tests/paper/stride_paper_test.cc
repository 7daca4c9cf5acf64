// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "overlay/rng.h"
#include "sched/worker/share/stride.h"

// Stride Scheduling: Deterministic Proportional-Share Resource Management (Waldspurger and Weihl,
// MIT/LCS/TM-528, 1995), claim by claim. A quantum is a task that takes the whole node for a
// second.
namespace dunlin::test {
namespace {

using sched::ClassId;
using sched::Stride;
using sched::Tickets;
using sched::Time;
using std::chrono::milliseconds;
using std::chrono::seconds;

using Shares = std::vector<std::pair<ClassId, Tickets>>;

class StrideNode {
 public:
  explicit StrideNode(const Shares& shares) { stride_.set_tickets(now_, shares); }

  void set_tickets(const Shares& shares) { stride_.set_tickets(now_, shares); }
  /// A quantum for whichever of `clients` has the least pass, or as much of one as it uses.
  ClassId allocate(
      const std::vector<ClassId>& clients, const std::map<ClassId, milliseconds>& lengths = {}) {
    stride_.contend(now_, clients);
    const ClassId client = *std::ranges::min_element(
        clients, {}, [&](ClassId each) { return std::pair(stride_.pass(each), each); });
    stride_.serve(client);
    const auto length = lengths.find(client);
    const milliseconds time = length == lengths.end() ? seconds(1) : length->second;
    stride_.hold(now_, client, sched::kWholeNode);
    now_ += time;
    stride_.release(now_, client, sched::kWholeNode);
    received_[client] += std::chrono::duration<double>(time).count();
    return client;
  }
  double received(ClassId client) { return received_[client]; }
  double quanta() const { return std::chrono::duration<double>(now_ - Time{}).count(); }

 private:
  Time now_{};
  Stride stride_{now_};
  std::map<ClassId, double> received_;
};

// Section 2.1, figure 2: tickets 3 : 2 : 1. In each 6 quanta, 3, 2 and 1.
TEST(StridePaper, AllocatesInProportionInEachRound) {
  StrideNode node({{1, 3}, {2, 2}, {3, 1}});
  std::string order;
  for (int i = 0; i < 12; ++i) order += static_cast<char>('A' + node.allocate({1, 2, 3}) - 1);
  EXPECT_EQ(order, "ABCABAABCABA");
}

std::vector<ClassId> ids_of(const Shares& shares) {
  std::vector<ClassId> ids;
  for (const auto& [id, tickets] : shares) ids.push_back(id);
  return ids;
}

/// Two to eight clients of 4 to 40 tickets each: none below a hundredth of all, where ours differ.
Shares any_shares(overlay::Rng& rng) {
  Shares shares;
  const std::uint32_t clients = 2 + rng.below(7);
  for (ClassId id = 1; id <= clients; ++id) shares.emplace_back(id, 4 + rng.below(37));
  return shares;
}

/// Runs `check(rng)` for many draws of chance; of one that fails, the seed is told.
void for_all(auto&& check) {
  for (std::uint64_t seed = 1; seed <= 100 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    overlay::Rng rng(seed);
    check(rng);
  }
}

// Section 2.1: "the relative error for any pair of clients is never greater than one, independent
// of the number of allocations": of the quanta that two of them got, each has its proportion, to
// within one.
TEST(StridePaper, PairwiseErrorIsAtMostOneQuantum) {
  for_all([](overlay::Rng& rng) {
    const Shares shares = any_shares(rng);
    const auto clients = ids_of(shares);
    StrideNode node(shares);
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
      node.allocate(clients);
      for (const auto& [a, of_a] : shares) {
        for (const auto& [b, of_b] : shares) {
          const double both = node.received(a) + node.received(b);
          const double due = both * static_cast<double>(of_a) / static_cast<double>(of_a + of_b);
          worst = std::max(worst, std::abs(node.received(a) - due));
        }
      }
    }
    EXPECT_LE(worst, 1 + 1e-6);
  });
}

// Section 2.4: clients that use only a part of their quanta get more of them.
TEST(StridePaper, QuantaOfAnyLengthKeepTheProportion) {
  for_all([](overlay::Rng& rng) {
    const Shares shares = any_shares(rng);
    const auto clients = ids_of(shares);
    std::map<ClassId, milliseconds> lengths;
    double sum = 0;
    for (const auto& [id, tickets] : shares) {
      lengths[id] = milliseconds(100) * (1 + rng.below(10));
      sum += static_cast<double>(tickets);
    }
    StrideNode node(shares);
    for (int i = 0; i < 1000; ++i) node.allocate(clients, lengths);
    for (const auto& [id, tickets] : shares) {
      const double due = node.quanta() * static_cast<double>(tickets) / sum;
      EXPECT_NEAR(node.received(id), due, static_cast<double>(shares.size()));
    }
  });
}

// Section 2.3: a change of tickets scales what is left until the client's next turn.
TEST(StridePaper, TicketsThatChangeScaleTheRemainder) {
  StrideNode node({{1, 10}, {2, 10}});
  for (int i = 0; i < 11; ++i) node.allocate({1, 2});  // Client 1 is one quantum ahead.
  node.set_tickets({{1, 30}, {2, 10}});
  const double before = node.received(1);
  for (int i = 0; i < 40; ++i) node.allocate({1, 2});
  EXPECT_NEAR(node.received(1) - before, 30, 1);
}

// Section 2.2 lets a client that comes back keep what it was ahead *or behind* when it left. Ours
// keeps only what it was ahead: see sched/worker/share/stride.h.
TEST(StridePaper, WhoLeavesAheadComesBackAhead) {
  StrideNode node({{1, 10}, {2, 10}, {3, 80}});
  node.allocate({1, 2, 3});  // Client 1.
  for (int i = 0; i < 5; ++i) node.allocate({2, 3});
  EXPECT_NE(node.allocate({1, 2, 3}), 1u) << "it had a quantum, and is due one in ten";
}

}  // namespace
}  // namespace dunlin::test
