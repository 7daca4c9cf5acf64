// SPDX-License-Identifier: MIT
#include "sched/logs/peer_logs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <variant>

#include "sched/cell/cell_turn.h"
#include "sched/logs/log_part.h"
#include "sched/peer.h"
#include "sched/peer_maintenance.h"
#include "sched/replica/record_writer.h"
#include "tests/support/builders.h"
#include "tests/unit/sched/peer/lone_peer.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class PeerLogsTest : public test::LonePeer {
 protected:
  static NodeSpec keeper() {
    NodeSpec made = spec();
    made.replica = 99;
    return made;
  }
  /// The home of that log says that it has one batch. Returns what it is answered.
  LogAppended append(std::uint64_t log, std::uint64_t origin = 5) {
    out.sent.clear();
    peer.receive(host(), at(5),
        LogAppend{.log = log,
            .origin = {origin},
            .epoch = 1,
            .life = 1,
            .batches = {LogBatch{.epoch = 1, .life = 1, .records = ""}}});
    for (const auto& [to, message] : out.sent) {
      if (const auto* appended = std::get_if<LogAppended>(&message)) return *appended;
    }
    return {};
  }
  /// The home says that it and `own` keep the log, which the books of that cell know.
  void say_home(CellId cell, const LogReplica& home, const LogReplica& own) {
    peer.receive(host(), at(5),
        HomeIs{.log = 1,
            .epoch = 1,
            .version = 2,
            .home = 5,
            .set = {home, own},
            .books = {.cell = cell.value, .contacts = {home}}});
  }
  bool has_ended() {
    return std::ranges::all_of(
        peer.logs()->parts().all(), [](const auto& part) { return part->end().is_over(); });
  }

  Peer peer{params, keeper(), {}};
};

TEST_F(PeerLogsTest, ANodeKeepsSoManyCopies) {
  for (std::uint64_t log = 1; log <= PeerLogs::kCopiesMax; ++log) {
    EXPECT_EQ(append(log).position, 1u) << log;
  }
  const LogAppended refused = append(1000);
  EXPECT_EQ(refused.log, 1000u);
  EXPECT_EQ(refused.replica, 99u ^ 1u);
  EXPECT_TRUE(refused.trouble) << "its home looks for another node";
  EXPECT_EQ(refused.position, 0u);
  EXPECT_FALSE(append(1).trouble);
}

// It comes from another node, which may be of any build.
TEST_F(PeerLogsTest, AnAnswerOfBooksThatMakesNoSenseIsDropped) {
  append(1);
  cell::LogAnswer answer{.cell = peer.logs()->parts().all().front()->facts().cell,
      .log = 1,
      .standing = cell::LogStanding::known,
      .entry = {.log = 1, .origin = {5}, .epoch = 7, .version = 9, .home = 5}};
  peer.receive(host(), at(5), answer);
  EXPECT_EQ(peer.logs()->parts().all().front()->copy().entry().epoch, 0u);
  answer.entry.set = {{.replica = 5, .contact = contact_of(at(5))}};
  peer.receive(host(), at(5), answer);
  EXPECT_EQ(peer.logs()->parts().all().front()->copy().entry().epoch, 7u);
}

// The log moves to other books. This standby asked those before they got it, and hears so late that
// they have none: that ends no log which they have by now.
TEST_F(PeerLogsTest, ALateAnswerOfBooksThatHadNoLogYetEndsNoCopy) {
  append(1);
  const CellId before{11}, after{12};
  const LogReplica home{.replica = 5, .node = {5}, .address = at(5).address};
  const LogReplica own{.replica = 99, .node = {1}, .address = at(1).address};
  const auto home_says = [&](CellId cell) { say_home(cell, home, own); };
  // The number of the question that the standby asks those books once it hears of no home.
  const auto question_to = [&](CellId cell) {
    cells.sent.clear();
    now += 3s;
    peer.wake(host());
    std::uint64_t number = 0;
    for (const auto& [to, message] : cells.sent) {
      const auto* const asked = std::get_if<cell::LogRequest>(&message);
      if (asked != nullptr && asked->cell == cell) number = asked->request;
    }
    return number;
  };
  home_says(before);
  cell::LogAnswer moved{.cell = before,
      .log = 1,
      .standing = cell::LogStanding::known,
      .entry = {.log = 1, .origin = {5}, .epoch = 1, .version = 2, .home = 5}};
  for (const LogReplica& each : {home, own}) {
    moved.entry.set.push_back(
        {.replica = each.replica, .contact = contact_of({each.node, each.address})});
  }
  moved.entry.moved_to = after;
  moved.entry.moved_contacts = {contact_of(at(5))};
  ASSERT_GT(question_to(before), 0u);
  peer.receive(host(), at(5), moved);
  const std::uint64_t early = question_to(after);
  ASSERT_GT(early, 0u);
  home_says(after);
  const auto answers_that_it_has_none = [&](std::uint64_t request) {
    peer.receive(host(), at(5),
        cell::LogAnswer{
            .cell = after, .log = 1, .standing = cell::LogStanding::unknown, .request = request});
    return has_ended();
  };
  EXPECT_FALSE(answers_that_it_has_none(early));
  // Nor does one that comes after the answer to a later question.
  const std::uint64_t first = question_to(after);
  cell::LogAnswer has = moved;
  has.cell = after;
  has.entry.moved_to = {};
  has.entry.moved_contacts = {};
  has.request = question_to(after);
  ASSERT_GT(has.request, first);
  peer.receive(host(), at(5), has);
  EXPECT_FALSE(answers_that_it_has_none(first));
  const std::uint64_t later = question_to(after);
  ASSERT_GT(later, early);
  EXPECT_TRUE(answers_that_it_has_none(later)) << "asked since: there is no such log";
}

// The origin lost its disk. Another node goes on with its replicated jobs, and of the others the
// origin alone can say that they are gone; what waits for them waited for ever.
TEST_F(PeerLogsTest, AStandbyOfItsOwnJobsAnswersForThoseWithoutReplicas) {
  append(1, /*origin=*/1);
  const auto ask = [&](bool plain) {
    out.sent.clear();
    peer.receive(host(), at(7),
        EndRequest{.request = 3, .job = {.home = {1}, .number = 1, .lineage = 9}, .plain = plain});
    return out.all<JobEnd>().back().standing;
  };
  EXPECT_EQ(ask(false), JobStanding::elsewhere);
  EXPECT_EQ(ask(true), JobStanding::unknown);
}

// A node that looks for the home of a job waits for a takeover only where one may come: a copy of
// another log of that origin, or one outside of the set, is no reason to.
TEST_F(PeerLogsTest, ACopySaysWhatItIsWorthToOneThatLooksForAJob) {
  const auto add_job = [&](std::uint32_t number) {
    Job job = test::job(1);
    job.id = {.home = {5}, .number = number, .lineage = 900 + number};
    job.replicas = 1;
    replica::RecordWriter records;
    records.put_job(job);
    const LogMark before{.epoch = 1, .life = 1, .position = number - 1};
    peer.receive(host(), at(5),
        LogAppend{.log = 1,
            .origin = {5},
            .epoch = 1,
            .life = 1,
            .before = number == 1 ? LogMark{} : before,
            .batches = {LogBatch{.epoch = 1, .life = 1, .records = records.take().at(0)}}});
  };
  const auto standing_of = [&](std::uint32_t number) {
    out.clear();
    peer.receive(host(), at(7),
        FindHome{.request = 3, .job = {.home = {5}, .number = number, .lineage = 0}});
    return out.only<HomeIs>().copy;
  };
  add_job(1);
  EXPECT_EQ(standing_of(1), CopyStanding::behind) << "no set with it is known";
  EXPECT_EQ(standing_of(2), CopyStanding::lacks);
  const LogReplica home{.replica = 5, .node = {5}, .address = at(5).address};
  say_home(CellId{11}, home, {.replica = 99u ^ 1u, .node = {1}, .address = at(1).address});
  EXPECT_EQ(standing_of(1), CopyStanding::synced);
  EXPECT_EQ(standing_of(2), CopyStanding::lacks);
  add_job(2);
  EXPECT_EQ(standing_of(2), CopyStanding::unread) << "a long log is not read for each question";
  EXPECT_EQ(standing_of(1), CopyStanding::synced);
  now += 1s;
  EXPECT_EQ(standing_of(2), CopyStanding::synced);
}

TEST_F(PeerLogsTest, ANodeThatDrainsSaysSo) {
  append(1);
  peer.maintenance().drain(host(), true);
  EXPECT_TRUE(append(1).leaves);
  EXPECT_FALSE(append(1).trouble) << "what it has it keeps as before";
  peer.maintenance().drain(host(), false);
  EXPECT_FALSE(append(1).leaves);
}

TEST_F(PeerLogsTest, ANodeWhoseDiskFailsTakesNothingMore) {
  append(1);
  peer.maintenance().set_disk(host(), true);
  EXPECT_TRUE(append(1).trouble);
  EXPECT_TRUE(append(2).trouble);
  EXPECT_EQ(peer.logs()->parts().find(2), nullptr);
  peer.maintenance().set_disk(host(), false);
  EXPECT_EQ(append(1).position, 1u);
}

}  // namespace
}  // namespace dunlin::sched
