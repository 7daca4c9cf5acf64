// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sqlite3.h>
#include <string>

#include "tests/node/sharing_world.h"

// Plans, live: agents in a cell, the rule that an operator sets, and what the manager tells.
namespace dunlin::node {
namespace {

constexpr const char* kJobsPlanned =
    "select count(distinct home || job) from plan_slots where plan = (select max(id) from plans)";
constexpr const char* kBusy = "select sum(busy) from workers";

class Plans : public SharingWorld {
 protected:
  /// What other programs read in the database of an agent: the one number that `query` asks for.
  static std::int64_t read(const TestAgent& agent, const std::string& query) {
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    const std::string path = agent.directory() + "/dunlin.sqlite";
    std::int64_t found = -1;
    if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
        sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
      found = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return found;
  }
};

TEST_F(Plans, AreSetShownAndEndedAnywhere) {
  start(3);
  const Json none = client().ok(request("plan"));
  EXPECT_EQ(none["policy"], "off");
  EXPECT_TRUE(none["cells"].empty());
  const Json set = client(1).ok(request("plan_set", {{"policy", "edf"}, {"spare", "priority"}}));
  EXPECT_EQ(set["policy"], "edf");
  EXPECT_EQ(set["spare"], "priority");
  EXPECT_TRUE(set["kept_by"].is_string()) << set;
  submit(*agents[2], "sleep 1000", 2);
  // Two cells may stand for a while before they merge: the job is in the plan of one.
  const auto planned = [&] {
    const Json plan = client().ok(request("plan"));
    for (const Json& cell : plan["cells"]) {
      if (cell["jobs"].size() == 1 && cell["jobs"][0]["slots"] == 2) return true;
    }
    return false;
  };
  EXPECT_TRUE(eventually(planned)) << client().ok(request("plan"));
  // Classes come and go beside it.
  set_shares({{"gold", 3}});
  EXPECT_EQ(client(2).ok(request("plan"))["policy"], "edf");
  EXPECT_EQ(client(2).ok(request("plan_set", {{"policy", "off"}}))["policy"], "off");
  EXPECT_TRUE(eventually([&] { return client().ok(request("plan"))["policy"] == "off"; }));
  EXPECT_TRUE(eventually([&] { return !planned(); }));
  EXPECT_EQ(client().ok(request("share_list"))["classes"].size(), 1u);
}

// The period of a cell is 400 ms here, and an agent writes once a second.
TEST_F(Plans, StandInTheDatabaseOfTheManagerAndAfterItsDeathOfTheNext) {
  start(3);
  client().ok(request("plan_set", {{"policy", "assured"}}));
  const Json demand = {{"cpu_milli", 1000}, {"memory_mib", 16}};
  for (const auto& agent : agents) submit(*agent, "sleep 1000", 2, {{"demand", demand}});
  const auto tells = [](const TestAgent* at, std::int64_t jobs, std::int64_t busy) {
    return at != nullptr && read(*at, kJobsPlanned) == jobs && read(*at, kBusy) == busy;
  };
  ASSERT_TRUE(eventually([&] { return tells(manager_of_all(), 3, 6); }));
  TestAgent* const first = manager_of_all();
  EXPECT_EQ(read(*first, "select count(*) from workers where slots = 2 and available = 0"), 3);
  EXPECT_EQ(
      read(*first, "select sum(slots) from plan_slots where plan = (select max(id) from plans)"),
      6);
  EXPECT_EQ(read(*first, "select slots from plans order by id desc"), 6);
  first->kill9();
  TestAgent* second = nullptr;
  const auto is_elected = [&] {
    const Json cells = standing_cells(living().client());
    for (const auto& agent : agents) {
      const bool manages = std::any_of(cells.begin(), cells.end(),
          [&](const Json& cell) { return cell["manager_name"] == agent->name(); });
      if (agent->running() && manages) second = agent.get();
    }
    return second != nullptr;
  };
  ASSERT_TRUE(eventually(is_elected));
  const auto elected = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return read(*second, "select count(*) from plans") > 0; }));
  // Two periods, a second for the write, and two for a busy machine.
  EXPECT_LT(std::chrono::steady_clock::now() - elected, std::chrono::milliseconds(2 * 400 + 3000));
  // The jobs of the others are in it; what runs at the dead agent is not heard of.
  EXPECT_TRUE(eventually([&] { return tells(second, 2, 4); }));
}

TEST_F(Plans, WhatMakesNoSenseIsRefusedWithTheCure) {
  start(1);
  const auto error = [&](const Json& rule) {
    return client().call(request("plan_set", rule))["error"];
  };
  EXPECT_EQ(error({{"policy", "best"}})["kind"], "usage");
  EXPECT_NE(
      error({{"policy", "best"}})["text"].get<std::string>().find("assured"), std::string::npos);
  EXPECT_EQ(error(Json::object())["kind"], "usage");
  EXPECT_EQ(error({{"policy", "edf"}, {"spare", "x"}})["kind"], "usage");
  EXPECT_EQ(error({{"policy", "priority"}, {"reserve", 1001}})["kind"], "usage");
  EXPECT_EQ(error({{"policy", "workload"}, {"horizon_ns", 0}})["kind"], "usage");
}

}  // namespace
}  // namespace dunlin::node
