// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sched/federation/expressions.h"
#include "sched/federation/params.h"

namespace dunlin::sched::federation {

/// What a local master says of one of its members, or a global master believes of it.
struct Row {
  PeerId node;
  std::uint64_t version = 0;  ///< Counts what the node said of itself; grows with each restart.
  KindNumber kind = 0;
  Resources free;
  std::uint32_t queued = 0;  ///< Reservations that wait there.
  bool draining = false;     ///< It takes no task.
  friend bool operator==(const Row&, const Row&) = default;
};

/// What a task asks of a node. The constraints are those that the Expressions keep: a wish is made
/// anew for each match.
struct Wish {
  Resources demand;
  std::vector<Expressions::Handle> constraints;
};

/// What matches have looked at.
struct Search {
  std::uint64_t rows = 0;   ///< Rows of which the room was looked at ...
  std::uint64_t words = 0;  ///< ... and words of vectors.
};

/// The rows of one partition: members of one local master that belong to one global master. It
/// keeps a vector of bits for each constraint expression that was asked of it, so that a match is
/// an AND of vectors and a look at what is free. Source: Megha, section IV-B, eq. 5 and 6.
class Partition {
 public:
  /// Takes in the row, or replaces the one of that node.
  void put(const Row& row, Expressions& expressions);
  /// Forgets the node; nothing if it has no row here.
  void remove(PeerId node);

  /// Nullptr if the node has no row here.
  const Row* find(PeerId node) const;
  const std::vector<Row>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }
  /// The CPU that is free at all nodes which take tasks, in thousandths of one.
  std::uint64_t room() const { return room_; }

  /// A row that satisfies all constraints and has room in every resource; nullptr if there is none.
  /// `search` grows by what was looked at.
  const Row* match(const Wish& wish, Pick pick, Expressions& expressions, Rng& rng, Search& search);

 private:
  struct Vector {
    std::uint64_t generation = 0;  ///< Of the expression; 0: this one was never made.
    Bits bits;
  };

  void set_bits(std::size_t slot, Expressions& expressions);
  void copy_bits(std::size_t from, std::size_t to);
  void make_vector(const Expressions::Handle& expression, Expressions& expressions);

  std::vector<Row> rows_;
  std::map<PeerId, std::size_t> slots_;
  std::uint64_t room_ = 0;
  Bits open_;                    ///< Nodes that take tasks, and have some CPU.
  std::vector<Vector> vectors_;  ///< By index of the expression.
};

}  // namespace dunlin::sched::federation
