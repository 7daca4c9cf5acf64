// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"
#include "sched/message.h"

namespace dunlin::sched {

/// Parts of a node are counted in millionths, so that a small task of a large node counts, too.
inline constexpr std::uint32_t kWholeNode = 1'000'000;

/// The part of a node that a task occupies, in millionths of the whole: its part of the resource of
/// which it takes the largest part. 0 only for a demand of nothing; kWholeNode and more if it
/// cannot fit. Source: Ghodsi 2011 (dominant resource fairness).
std::uint32_t dominant_part(const Resources& demand, const Resources& total);

/// Says which class is due, so that in the long run each class that wants to run occupies its node
/// in proportion to its tickets, however long and however large its tasks are.
///
/// A class pays as it goes: its *pass* grows with what it holds × time / its portion. The class
/// with the smallest pass is due. Nothing is bought in advance, so no wrong estimate must be paid
/// back; to look ahead, charge a copy for what is expected (expect()).
///
/// Classes that want nothing hold no other up and save nothing: one that comes back begins at
/// virtual time. One with few tickets or none is served as if it had a hundredth of all, so that it
/// never starves.
///
/// Source: Waldspurger and Weihl 1995, stride scheduling (2.1 passes and strides, 2.2 clients that
/// join and leave, 2.3 changes of tickets, 2.4 quanta of any length). Goyal 1996: virtual time is
/// the pass of the class served last, not an average.
class Stride {
 public:
  explicit Stride(Time now) : settled_(now) {}

  // Time never goes back from one call to the next.

  /// Replaces all tickets, by class. A class that is not named has none. Leads and debts of classes
  /// are rescaled, so that a change takes effect at once, and not only after what they had bought.
  void set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets);

  /// From now on, `class_id` occupies `part` millionths of the node more, or less.
  void hold(Time now, ClassId class_id, std::uint64_t part);
  void release(Time now, ClassId class_id, std::uint64_t part);

  /// From now on these want to run, whether or not they can at once, and no other class does.
  void contend(Time now, std::span<const ClassId> class_ids);
  /// It was due and is served. Requires that it contends.
  void serve(ClassId class_id);
  /// Charges in advance for what `class_id` will occupy. Do so only on a copy that is dropped soon.
  void expect(ClassId class_id, std::uint64_t part, Duration time);

  /// Its pass as of the last call with a time. The smallest is due; of equals, the first id.
  std::int64_t pass(ClassId class_id) const;
  /// Its pass less virtual time, as of the last call: what it had beyond its due.
  std::int64_t lead(ClassId class_id) const { return pass(class_id) - virtual_time_; }
  /// Occupied by it now, in millionths of the node.
  std::uint64_t held(ClassId class_id) const;
  /// Tickets of a class, 0 if it has none.
  Tickets tickets(ClassId class_id) const;
  /// Its part of all tickets, in (0, 1]: at least a hundredth.
  double portion(ClassId class_id) const;

 private:
  struct Class {
    ClassId class_id = 0;
    Tickets tickets = 0;
    std::uint64_t held = 0;  ///< Millionths of the node.
    std::int64_t pass = 0;
    bool contends = false;
  };

  Class* find(ClassId class_id);
  const Class* find(ClassId class_id) const;
  Class& of(ClassId class_id);
  std::int64_t weight(Tickets tickets) const;
  void advance(Time now);
  void forget_the_idle();
  void rebase();

  std::vector<Class> classes_;  ///< By class.
  Tickets sum_ = 0;             ///< All tickets together.
  std::int64_t virtual_time_ = 0;
  Time settled_;  ///< All classes have paid until then.
};

}  // namespace dunlin::sched
