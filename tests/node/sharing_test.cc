// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

#include "tests/node/sharing_world.h"

// Sharing, live: agents in cells, classes with weights, managers that die.
namespace dunlin::node {
namespace {

using std::chrono::seconds;

class Sharing : public SharingWorld {};

TEST_F(Sharing, ANodeThatNobodyAskedToShareKnowsNothingOfIt) {
  start(1);
  EXPECT_EQ(client().ok(request("share_list"))["version"], 0);
  EXPECT_EQ(client().ok(request("cells"))["cells"].size(), 0u);
  EXPECT_EQ(client().ok(request("audit"))["cells"], 0);
  EXPECT_EQ(client().ok(request("status"))["counters"]["cell_messages_sent"], 0);
}

TEST_F(Sharing, ClassesAreSetListedAndRemovedAnywhere) {
  start(3);
  const Json set = set_shares({{"gold", 3}, {"tin", 1}});
  EXPECT_EQ(set["version"], 1);
  EXPECT_TRUE(set["kept_by"].is_string()) << set;
  // Whoever is asked knows the newest table, and gives it the next version.
  const Json list = client(2).ok(request("share_list"));
  ASSERT_EQ(list["classes"].size(), 2u) << list;
  EXPECT_EQ(list["classes"][0]["name"], "gold");
  EXPECT_EQ(list["classes"][0]["percent"], 75.0);
  EXPECT_EQ(client(1).ok(request("share_set", {{"remove", {"tin"}}}))["version"], 2);
  EXPECT_TRUE(eventually([&] { return client(0).ok(request("share_list"))["version"] == 2; }));
}

TEST_F(Sharing, WhatMakesNoSenseIsRefusedWithTheCure) {
  start(1);
  const auto error = [&](Json set, Json remove) {
    return client().call(
        request("share_set", {{"set", std::move(set)}, {"remove", std::move(remove)}}))["error"];
  };
  const Json none = Json::array();
  EXPECT_EQ(error(none, none)["kind"], "usage");
  EXPECT_EQ(error({{{"name", "a b"}, {"weight", 1}}}, none)["kind"], "usage");
  EXPECT_EQ(error({{{"name", "gold"}, {"weight", 0}}}, none)["kind"], "usage");
  EXPECT_EQ(error(none, {"tin"})["kind"], "not_found");
  EXPECT_EQ(client().ok(request("share_list"))["version"], 0);
}

// Managers tell what their members have; only nodes with jobs to show are asked for lines.
TEST_F(Sharing, JobsAreListedByTheManagers) {
  start(6);
  set_shares({{"gold", 3}, {"tin", 1}});
  ASSERT_TRUE(wait_for_tree(2, 6));
  submit(*agents[1], "sleep 1000", 1);
  submit(*agents[4], "sleep 1000", 1);
  const auto requests = [&](std::size_t agent) {
    return client(agent).ok(request("status"))["counters"]["requests"].get<int>();
  };
  const int idle = requests(3);
  const int busy = requests(4);
  const Json all = client(0).ok(request("jobs", {{"cluster", true}}));
  EXPECT_EQ(all["jobs"].size(), 2u) << all;
  EXPECT_EQ(all["nodes"], 6);
  EXPECT_TRUE(all["silent"].empty()) << all;
  EXPECT_EQ(requests(3), idle + 1) << "the question for this number alone";
  EXPECT_GT(requests(4), busy + 1);

  agents[4]->kill9();
  const auto begun = std::chrono::steady_clock::now();
  const Json less = client(0).ok(request("jobs", {{"cluster", true}}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(2));
  EXPECT_EQ(less["jobs"].size(), 1u) << less;
  const auto names_it = [](const Json& silent) { return silent["name"] == "n4"; };
  EXPECT_TRUE(std::ranges::any_of(less["silent"], names_it)) << less;
}

TEST_F(Sharing, ATreeOfCellsIsSeenAndAuditedFromAnyNode) {
  start(6);
  set_shares({{"gold", 3}, {"tin", 1}});
  ASSERT_TRUE(wait_for_tree(2, 6));
  // Each node says for itself whether a manager speaks with it, and what it manages.
  std::uint64_t managed = 0;
  const auto all_leased = [&] {
    managed = 0;
    bool all = true;
    for (std::size_t i = 0; i < agents.size(); ++i) {
      const Json own = client(i).ok(request("status"))["cells"];
      all = all && own.is_object() && own["leased"] == true;
      if (!own.is_object()) continue;
      managed += own["managed"].get<std::uint64_t>();
      EXPECT_EQ(own["broken"], 0) << own;
      EXPECT_EQ(own["voters"].is_null(), own["managed"] == 0) << own;
    }
    return all && managed >= 3;
  };
  EXPECT_TRUE(eventually(all_leased)) << managed;
  // Every node answers from what it has heard, and hears all of it, soon.
  Json cells;
  const auto whole = [&] {
    cells = standing_cells(client(4));
    return cells.size() >= 3 && cells[0]["level"] == 1 && cells.back()["level"] == 0 &&
        cells.back()["members"].size() == cells.back()["size"];
  };
  ASSERT_TRUE(eventually(whole)) << cells;
  Json classes;
  const auto desired = [&](Json asked, int gold, int tin) {
    classes = client(5).ok(request("shares", std::move(asked)))["classes"];
    return classes.size() == 2 && classes[0]["desired"] == gold && classes[1]["desired"] == tin;
  };
  EXPECT_TRUE(eventually([&] { return desired(Json::object(), 9000, 3000); })) << classes;
  // Nobody uses anything: the shares are saved.
  const auto saved = [&] {
    classes = client().ok(request("shares"))["classes"];
    return classes.size() == 2 && classes[0]["balance"] > 0 && classes[1]["balance"] > 0;
  };
  EXPECT_TRUE(eventually(saved)) << classes;
  const Json& last = cells.back();
  const int size = last["size"].get<int>();
  EXPECT_TRUE(eventually([&] {
    return desired({{"cell", last["cell"]}}, size * 1500, size * 500);
  })) << classes;
  Json audit;
  const auto conserved = [&] {
    audit = client(3).ok(request("audit"));
    return audit["conserved"] == true && audit["sums"]["minted"] == 12'000;
  };
  EXPECT_TRUE(eventually(conserved)) << audit;
}

TEST_F(Sharing, AnAuditDoesNotPassOverACellThatIsGone) {
  start(4, {"--cell.cell_size=2", "--cell.lease=60s", "--cell.hint_life=60s"});
  set_shares({{"gold", 1}});
  ASSERT_TRUE(wait_for_tree(2, 4));
  const Json cells = standing_cells(client());
  // A cell goes with all nodes that keep its books; the root's manager is not among them.
  const Json& doomed = cells[1]["manager"] == cells[0]["manager"] ? cells[2] : cells[1];
  for (const Json& each : doomed["members"]) agent_named(each["name"]).kill9();
  const Json audit = living().client().ok(request("audit", {{"patience_ns", 2'000'000'000}}));
  EXPECT_EQ(audit["conserved"], false) << audit;
  EXPECT_EQ(audit["off"].size(), 0u) << audit;
}

TEST_F(Sharing, ALostCellIsWrittenOffAndTheRestIsConserved) {
  start(
      4, {"--cell.cell_size=2", "--cell.lease=4s", "--cell.grant_life=4s", "--cell.hint_life=8s"});
  set_shares({{"gold", 1}});
  ASSERT_TRUE(wait_for_tree(2, 4));
  const Json cells = standing_cells(client());
  // Nodes fall into cells by chance; but none of this cell's nodes manages the root.
  const Json& doomed = cells[1]["manager"] == cells[0]["manager"] ? cells[2] : cells[1];
  const Json lost = {{"cell", doomed["cell"]}};
  EXPECT_EQ(client().call(request("cells_write_off", lost))["error"]["kind"], "refused");
  EXPECT_EQ(client().call(request("cells_write_off", {{"cell", "ab"}}))["error"]["kind"], "usage");
  for (const Json& each : doomed["members"]) agent_named(each["name"]).kill9();
  TestClient other = living().client();
  // Missed by the one above it, with the cure.
  EXPECT_TRUE(eventually([&] {
    const Json audit = other.ok(request("audit", {{"patience_ns", 1'000'000'000}}));
    return audit["conserved"] == false &&
        audit["undecided"].dump().find("write-off") != std::string::npos;
  }));
  Json done;
  EXPECT_TRUE(eventually([&] {
    done = other.call(request("cells_write_off", lost));
    return done.contains("ok");
  })) << done;
  EXPECT_EQ(done["ok"]["written_off"], true) << done;
  Json audit;
  EXPECT_TRUE(eventually([&] {
    audit = other.ok(request("audit"));
    return audit["conserved"] == true;
  })) << audit;
  ASSERT_EQ(audit["written_off"].size(), 1u) << audit;
  EXPECT_EQ(audit["written_off"][0]["cell"], doomed["cell"]);
  EXPECT_EQ(audit["sums"]["minted"], 2000 * (4 - doomed["members"].size())) << audit;
  EXPECT_EQ(other.ok(request("cells_write_off", lost))["holders"], 0);
}

TEST_F(Sharing, AManagerThatIsStoppedIsFollowedBeforeItIsGone) {
  // Cells of so many that two of them, if two are founded, are small enough to become one.
  start(4, {"--cell.cell_size=8", "--leave-deadline=1m"});
  set_shares({{"gold", 1}});
  const auto kept_by_three = [&] {
    const Json cells = standing_cells(client());
    return cells.size() == 1 && cells[0]["size"] == 4 && cells[0]["voters"] == 3;
  };
  ASSERT_TRUE(eventually(kept_by_three, seconds(60)));
  const Json before = standing_cells(client())[0];
  TestAgent& manager = agent_named(before["manager_name"]);
  manager.signal(SIGTERM);
  EXPECT_EQ(manager.wait(), 0);
  EXPECT_EQ(manager.log().find("left_in_haste"), std::string::npos) << manager.log();
  // At once: nobody had to notice that it is gone.
  const Json after = standing_cells(living().client());
  ASSERT_EQ(after.size(), 1u) << after;
  EXPECT_EQ(after[0]["cell"], before["cell"]);
  EXPECT_NE(after[0]["manager_name"], before["manager_name"]);
  EXPECT_EQ(after[0]["size"], 3) << after;
  // Another keeps its books already; that it does so no more takes a moment.
  EXPECT_GE(after[0]["voters"], 3) << after;
  EXPECT_TRUE(eventually([&] { return standing_cells(living().client())[0]["voters"] == 3; }));
}

TEST_F(Sharing, WhoCannotHandOverSaysSoAndStops) {
  start(2, {"--cell.cell_size=4", "--leave-deadline=1s"});
  set_shares({{"gold", 1}});
  const auto together = [&] {
    const Json cells = standing_cells(client());
    return cells.size() == 1 && cells[0]["size"] == 2;
  };
  ASSERT_TRUE(eventually(together, seconds(60))) << standing_cells(client());
  TestAgent& manager = agent_named(standing_cells(client())[0]["manager_name"]);
  // It may be a while until the manager sees that the other one cannot follow: it is stopped, too.
  ::kill((&manager == agents[0].get() ? agents[1] : agents[0])->pid(), SIGSTOP);
  manager.signal(SIGTERM);
  EXPECT_EQ(manager.wait(), 0);
  EXPECT_NE(manager.log().find("left_in_haste"), std::string::npos) << manager.log();
  EXPECT_NE(manager.log().find("books_not_handed_over"), std::string::npos);
}

/// Nine agents in three cells, and three classes that want everything.
class SharingLoad : public SharingWorld {
 protected:
  static constexpr double kDesired[] = {0.5, 0.3, 0.2};

  void begin() {
    start(9);
    set_shares({{"gold", 5}, {"silver", 3}, {"bronze", 2}});
    ASSERT_TRUE(wait_for_tree(3, 9));
  }
  /// Enough for the whole test, however long its windows are.
  static int plenty() {
    return static_cast<int>(static_cast<double>(100 + 50 * window().count()) / task_seconds());
  }

  void expect_shares(const std::vector<double>& parts) {
    ASSERT_EQ(parts.size(), 3u);
    std::printf("gold %.1f %%, silver %.1f %%, bronze %.1f %%\n", 100 * parts[0], 100 * parts[1],
        100 * parts[2]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_NEAR(parts[i], kDesired[i], kDesired[i] * tolerance()) << "class " << i;
    }
    EXPECT_GT(parts[0], parts[2]);
  }
};

TEST_F(SharingLoad, EachClassHasItsShareThoughAManagerDies) {
  begin();
  const auto frontends = followers();
  ASSERT_GE(frontends.size(), 3u);
  const std::vector<Load> loads = {load("gold", *frontends[0], plenty()),
      load("silver", *frontends[1], plenty()), load("bronze", *frontends[2], plenty())};
  ASSERT_TRUE(wait_until_granted({"gold", "silver", "bronze"}));
  expect_shares(parts(loads, window()));

  // A cell with books that outlive the loss of one of their nodes.
  Json struck;
  ASSERT_TRUE(eventually([&] {
    const Json before = living().client().ok(request("cells"))["cells"];
    const auto found = std::find_if(before.begin(), before.end(),
        [](const Json& cell) { return cell["level"] == 0 && cell["voters"] == 3; });
    if (found != before.end()) struck = *found;
    return found != before.end();
  }));
  agent_named(struck["manager_name"]).kill9();
  const auto again = std::chrono::steady_clock::now();
  TestClient watcher = frontends[0]->client();
  EXPECT_TRUE(eventually([&] {
    const Json cells = watcher.ok(request("cells"))["cells"];
    for (const Json& cell : cells) {
      if (cell["cell"] == struck["cell"] && cell["epoch"] > struck["epoch"]) return true;
    }
    return false;
  })) << "no new manager";
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - again).count();
  std::printf("a new manager after %.1f s\n", seconds);
  if (window() >= std::chrono::seconds(60)) {
    std::this_thread::sleep_until(again + std::chrono::seconds(10));
  }
  expect_shares(parts(loads, window()));
  const Json audit = watcher.ok(request("audit"));
  EXPECT_EQ(audit["conserved"], true) << audit;
}

TEST_F(SharingLoad, AClassThatComesBackHasWhatItSaved) {
  begin();
  const auto frontends = followers();
  ASSERT_GE(frontends.size(), 3u);
  std::vector<Load> loads = {
      load("gold", *frontends[0], plenty()), load("bronze", *frontends[2], plenty())};
  ASSERT_TRUE(wait_until_granted({"gold", "bronze"}));
  std::this_thread::sleep_for(window() / 2);
  const auto saved = [&] {
    const Json classes = frontends[0]->client().ok(request("shares"))["classes"];
    for (const Json& each : classes) {
      if (each["name"] == "silver") return each["balance"].get<std::int64_t>();
    }
    return std::int64_t{0};
  };
  std::int64_t peak = saved();
  EXPECT_GT(peak, 0);
  loads.insert(loads.begin() + 1, load("silver", *frontends[1], plenty()));
  ASSERT_TRUE(wait_until_granted({"silver"}));
  const auto had = parts(loads, window());
  EXPECT_GT(had[1], kDesired[1] * (1 - tolerance()));
  // It draws what it saved.
  EXPECT_TRUE(eventually([&] {
    const std::int64_t now = saved();
    peak = std::max(peak, now);
    return now < peak;
  }));
  std::printf(
      "gold %.1f %%, silver %.1f %%, bronze %.1f %%; of %lld tickets %lld are still saved\n",
      100 * had[0], 100 * had[1], 100 * had[2], static_cast<long long>(peak),
      static_cast<long long>(saved()));
}

}  // namespace
}  // namespace dunlin::node
