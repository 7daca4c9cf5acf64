// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/plan/message.h"
#include "sched/plan/plan.h"
#include "sched/plan/planner_params.h"

namespace dunlin::sched {

/// Why a manager made a plan.
enum class PlanCause : std::uint8_t {
  rule,        ///< Another rule was set.
  jobs,        ///< A job came, ended, or its user changed its terms.
  workers,     ///< A node came, went, or has other slots or another speed.
  off_course,  ///< A job will end much sooner or later than the plan before had it.
};
inline constexpr std::string_view kPlanCauseWords[] = {"rule", "jobs", "workers", "off_course"};

/// A plan that was made. Of all but the last one, the allotments are left out.
struct PlanRecord {
  std::uint64_t number = 0;  ///< From 1, in the epoch of the manager.
  Time made{};
  PlanCause cause = PlanCause::jobs;
  PlanPolicyName policy = PlanPolicyName::assured;
  std::uint32_t slots = 0;  ///< All there were.
  SlotPlan plan;
};

/// The part of a cell's manager that plans. It keeps what members claim, by lease, and is passive:
/// it plans when a job or a node changes, or when claims show a job off its course, at most once in
/// plan.gap. What it keeps is soft: the next manager hears the claims anew. Source: Lin 2014,
/// section 3.2.
class Planner {
 public:
  /// Plans that are kept, for people.
  static constexpr std::size_t kPlansKept = 100;
  /// What one member may claim to have, one job to want, and the jobs of a cell that are known at
  /// most: of more than that, those that come later are left out.
  static constexpr std::uint32_t kSlotsMax = 1 << 16;
  static constexpr std::uint32_t kLeftMax = 1 << 24;
  static constexpr std::size_t kJobsMax = 20'000;
  /// Jobs at most that are offered, at one member, a slot which others hold.
  static constexpr std::size_t kOffersMax = 4;
  /// Jobs with too many slots of which one member is told at most.
  static constexpr std::size_t kOverMax = 64;
  static constexpr std::size_t kGuestsMax = 2048;

  /// A member or guest, or the claim of a job, that is not heard of for `lease` is forgotten. It
  /// plans no earlier than `settle` after it first has a rule, so that its first plan knows the
  /// jobs of all members, unless hear_all() says that they are all known. `params` outlives it.
  Planner(const PlannerParams& params, Duration lease, Duration settle);

  /// Plans by `rule` from now on; empty: not at all. True if that is news.
  bool set_rule(Time now, const std::optional<PlanParams>& rule);
  const std::optional<PlanParams>& rule() const { return rule_; }

  /// Takes in what a member claims, or a guest: a node of another cell, which has no slots here.
  /// False, and nothing changes, if newer claims of it came before, or there are too many guests.
  bool hear(Time now, const Endpoint& from, const cell::Claims& said);
  /// So many nodes are members, as far as the books know: once all of them were heard, there is
  /// nothing more to wait for before the first plan.
  void hear_all(std::size_t members);
  /// Forgets the nodes of which `is_member` says that they are no members any more, and their jobs.
  void forget_others(const std::function<bool(PeerId)>& is_member);

  /// Forgets what has lapsed, and plans if that is due. Returns the members whose allotments are
  /// others than before.
  std::vector<Endpoint> wake(Time now);
  /// When wake() should be called; kNever if nothing is known.
  Time deadline() const;

  /// What the last plan gives jobs at `member`; empty if there was no plan, or it is not known.
  /// Cell, epoch and life are the caller's to fill in.
  std::optional<cell::Allotments> allotments(PeerId member) const;
  /// The slots that the last plan gives to no job; 0 without one.
  std::uint32_t spare() const;
  /// The slots that the last plan gives to each of the jobs that are known.
  std::map<JobId, std::uint32_t> given() const;
  /// The last plans, the oldest first.
  const std::deque<PlanRecord>& plans() const { return plans_; }
  /// The first of these that does not hold, in words: no member gives more slots than it has, and
  /// no job gets more than its tasks can use. Empty while a plan is due, since something changed
  /// then.
  std::optional<std::string> broken_invariant() const;
  std::size_t members() const { return members_.size() - guests_; }
  std::size_t guests() const { return guests_; }
  std::size_t jobs() const { return jobs_.size(); }

 private:
  struct Member {
    Endpoint endpoint;
    std::uint64_t sequence = 0;  ///< Of its last claims.
    Time heard{};
    std::uint32_t slots = 0;
    double speed = 1;
    bool guest = false;
    bool preempts = false;                 ///< Tasks there yield by plan.
    std::vector<cell::Allotted> allotted;  ///< By rank.
    std::vector<cell::Lack> lacks;         ///< Of the jobs that it drives.
  };
  /// What a plan expects of a job.
  struct Course {
    std::uint32_t slots = 0;
    double throughput = 0;  ///< Of these slots: tasks of a second, in a second.
    Time ends{};            ///< kNever if the length of its tasks was not known.
    Duration slop{0};       ///< It may end so much sooner or later.
    bool in_time = false;   ///< It meets its deadline.
  };
  struct KnownJob {
    Endpoint frontend;
    cell::Claim claim;
    Time submitted{};
    Time heard{};
    Course course;
  };
  using Jobs = std::map<JobId, KnownJob>;

  void note(PlanCause cause);
  void hear(Time now, const Endpoint& from, const cell::Claim& claim);
  bool ends_in_time(const KnownJob& job, Time now) const;
  void drop_lapsed(Time now);
  /// Forgets such members. True if one of them was no guest.
  bool erase_members(const std::function<bool(PeerId, const Member&)>& which);
  bool is_off_course(const KnownJob& job, Time now) const;
  void make_plan(Time now);
  /// Jobs in the order of their submits.
  std::vector<Jobs::iterator> by_submit();
  /// The rank of each of these jobs at workers: an index for each.
  std::vector<std::uint32_t> ranks(
      std::span<const PlanJob> jobs, std::span<const JobPlan> plans) const;
  void set_course(Time now, KnownJob& job, const Course& given, double slowest) const;
  void note_lack(const KnownJob& job, std::uint32_t slots);
  void hand_out(const PlanRecord& record,
      std::span<const PlanJob> jobs,
      std::span<const Jobs::iterator> order);
  /// Offers jobs that hold fewer slots than they have those of jobs that hold more, and conversely.
  void offer_slots_held_by_others(std::span<const Jobs::iterator> order,
      std::span<const Course> given,
      std::span<const std::uint32_t> rank);

  const PlannerParams* params_;
  Duration lease_;
  Duration settle_;
  Time first_{};  ///< No plan is made before.
  std::optional<PlanParams> rule_;
  std::map<PeerId, Member> members_;  ///< And guests.
  std::size_t guests_ = 0;
  Jobs jobs_;
  std::optional<PlanCause> pending_;  ///< A plan is to be made, for this.
  std::uint64_t number_ = 0;          ///< Of the last plan.
  std::deque<PlanRecord> plans_;
};

}  // namespace dunlin::sched
