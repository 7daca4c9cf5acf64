// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/books_types.h"
#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// What a task occupies of a node: of its resources the one it takes most of, in thousandths of the
/// whole, rounded up. 0 for a demand of nothing; 1000 and more if it cannot fit. Source: Ghodsi
/// 2011 (dominant resource fairness).
std::uint32_t dominant_share(const Resources& demand, const Resources& total);

/// Which class's queue a worker serves next: in the long run, each class that wants to run occupies
/// its node in proportion to its tickets. Classes that want nothing hold nobody up and save nothing
/// here: that is what their accounts are for. One with hardly any tickets or none is served as if
/// it had a hundredth of all, so that it never starves. Source: Waldspurger and Weihl 1995, stride
/// scheduling (passes, strides, ticket changes); Goyal 1996 (virtual time is that of who was served
/// last).
class Stride {
 public:
  /// Replaces all tickets, by class. A class that is not named has none. What a class is ahead or
  /// behind is rescaled, so that a change takes effect at once and not after what it had bought.
  void set_tickets(std::span<const std::pair<ServiceId, Tickets>> tickets);

  /// Of the classes in `waiting` the one to serve next: that of the least pass; of equals, the
  /// first. Empty if none waits. Does not charge: nothing may fit.
  std::optional<ServiceId> next(std::span<const ServiceId> waiting);

  /// A task of `service` starts, which occupies `share` thousandths of the node for about
  /// `estimate`.
  void start(ServiceId service, std::uint32_t share, Duration estimate);
  /// It took `actual`, and was charged for `estimate`.
  void finish(ServiceId service, std::uint32_t share, Duration estimate, Duration actual);

  /// Tickets of a class, 0 if it has none.
  Tickets tickets(ServiceId service) const;
  /// How far its pass is ahead of virtual time: what it has had beyond its due. For explanations.
  std::int64_t lead(ServiceId service) const;

 private:
  struct Class {
    ServiceId service = 0;
    Tickets tickets = 0;
    std::int64_t pass = 0;
    bool waiting = false;  ///< When last asked ...
    bool waited = false;   ///< ... and the time before.
  };

  Class* find(ServiceId service);
  const Class* find(ServiceId service) const;
  Class& of(ServiceId service);
  Tickets weight(const Class& weighed) const;
  void charge(Class& charged, std::uint32_t share, Duration time);
  void rebase();

  std::vector<Class> classes_;  ///< By service.
  Tickets sum_ = 0;             ///< Of all tickets.
  std::int64_t global_ = 0;     ///< Virtual time: the pass of who was served last.
};

}  // namespace dunlin::sched
