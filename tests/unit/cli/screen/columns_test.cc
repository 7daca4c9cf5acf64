// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gmock/gmock.h>
#include <sstream>

#include "tools/dunlin/jobs/task_list.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/share_table.h"
#include "tools/dunlin/screen/table.h"

// What tables show on screens of 80 and 200 columns and in a pipe, of figures as large as they
// come.
namespace dunlin::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Terminal kToPipe{};
const Terminal kScreen80{.interactive = true, .colours = false, .columns = 80};
const Terminal kLarge{.interactive = true, .colours = false, .columns = 200};

std::string head_of(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t size_max = 0;
  const auto starts = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  for (std::string line; std::getline(lines, line);) {
    size_max = std::max(size_max, static_cast<std::size_t>(std::ranges::count_if(line, starts)));
  }
  return size_max;
}

Table nodes() {
  const Json free = {{"cpu_milli", 127'500}, {"memory_mib", 1'000'000}};
  const Json total = {{"cpu_milli", 128'000}, {"memory_mib", 1'023'000}, {"custom", {{"gpu", 8}}}};
  return node_table(Json::array({{{"node", "n"}, {"name", "compute-017"}, {"state", "unreachable"},
      {"free", free}, {"total", total}, {"running", 128}, {"queued", 12}, {"facts", true},
      {"limits", "v2+disk+net"}, {"age_ns", 400'000'000}, {"address", "192.168.100.117:7700"},
      {"attributes", {{"arch", "x86_64"}, {"run_as", "owner"}}},
      {"slots", {{"available", 1}, {"occupied", 2}, {"busy", 125}, {"down", 0}}}}}));
}

TEST(Columns, OfNodesAreThoseThatPeopleLookFor) {
  const std::string expected =
      "NODE         STATE        CPUS free/all  MEMORY free/all  RUN  QUEUED  ADDRESS";
  for (const Terminal& screen : {kToPipe, kLarge}) {
    const std::string text = nodes().render(screen);
    EXPECT_EQ(head_of(text), expected);
    EXPECT_THAT(text, EndsWith("  192.168.100.117:7700\n"));
    EXPECT_LE(widest(text), 100u);
  }
  // Half an address would be none.
  const std::string small = nodes().render(kScreen80);
  EXPECT_THAT(small, HasSubstr("  192.168.100.117:7700\n"));
  EXPECT_LE(widest(small), 80u);
  EXPECT_THAT(small, EndsWith("(no room for RUN, QUEUED: widen the terminal, or use --json)\n"));
}

TEST(Columns, WideShowsTheRestAndALineNamesWhatHasNoRoom) {
  Table table = nodes();
  ASSERT_TRUE(table.choose({.wide = true}));
  EXPECT_THAT(head_of(table.render(kLarge)),
      EndsWith("ADDRESS                SEEN  LIMITS       TASKS AS  SLOTS free/held/busy/down  "
               "ATTRIBUTES"));
  const std::string small = table.render(kScreen80);
  EXPECT_LE(widest(small), 80u);
  EXPECT_THAT(small, HasSubstr("(no room for "));
}

TEST(Columns, OfAListComeInItsOrderWhateverTheTerminal) {
  Table table = nodes();
  ASSERT_TRUE(table.choose({.list = "attributes,node,TASKS-AS"}));
  EXPECT_EQ(table.render(kScreen80),
      "ATTRIBUTES           NODE         TASKS AS\n"
      "gpu=0/8 arch=x86_64  compute-017  owner\n");
  const auto wrong = table.choose({.list = "node,sate"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().kind, ErrorKind::usage);
  EXPECT_EQ(wrong.error().text,
      "--columns: there is no column 'sate'; there are "
      "node,state,cpus,memory,run,queued,address,seen,limits,tasks-as,slots,attributes");
}

TEST(Columns, OfJobs) {
  const Json job = {{"number", 1234}, {"name", std::string(24, 'n')}, {"owner", "annabel"},
      {"state", "cancelled"}, {"counts", {{"done", 10'000}, {"running", 128}, {"waiting", 99}}},
      {"demand", {{"cpu_milli", 1000}}}, {"priority", 70}, {"class", "gold"},
      {"age_ns", 118'000'000'000}, {"reason", ""}};
  Table table = job_table(Json::array({job}));
  for (const Terminal& screen : {kToPipe, kLarge}) {
    EXPECT_THAT(head_of(table.render(screen)), EndsWith("DONE  RUN  WAIT  FAIL    AGE  REASON"));
    EXPECT_LE(widest(table.render(screen)), 100u);
  }
  EXPECT_LE(widest(table.render(kScreen80)), 80u);
  ASSERT_TRUE(table.choose({.wide = true}));
  EXPECT_THAT(head_of(table.render(kLarge)),
      EndsWith("AGE  CLASS  PRIO  DEMAND  STARTED  ENDED  EXIT  WORST  REASON"));
  EXPECT_THAT(table.render(kLarge), HasSubstr("gold     70  1 cpu"));
}

TEST(Columns, OfTasks) {
  const Json task = {{"index", 17}, {"state", "done"}, {"attempt", 1}, {"worker_name", "node1"},
      {"outcome", "exited"}, {"wall_ns", 1'500'000'000}, {"cpu_ns", 1'000'000'000},
      {"memory_peak_bytes", 1 << 20}, {"out_bytes", 3}, {"err_bytes", 0}};
  Table table = task_table();
  add_task(table, task);
  EXPECT_EQ(
      head_of(table.render(kToPipe)), "TASK  ENTRY  STATE  TRY  NODE     TIME   MEMORY  RESULT");
  EXPECT_EQ(table.render(kLarge), table.render(kToPipe));
  EXPECT_EQ(table.render(kScreen80), table.render(kToPipe));
  ASSERT_TRUE(table.choose({.wide = true}));
  EXPECT_THAT(head_of(table.render(kLarge)), HasSubstr("READ  WRITTEN  STDOUT  STDERR  RESULT"));
}

TEST(Columns, OfCells) {
  const Json reply = {{"version", 1}, {"nodes_known", 2}, {"silent", Json::array()},
      {"cells",
          {{{"cell", "0dcf39cf07c688e1"}, {"level", 0}, {"manager_name", "node4"}, {"size", 2},
              {"size_max", 40}, {"tickets", 4000}, {"age_ns", 4'000'000'000}, {"voters", 3},
              {"parent", "1dcf39cf07c688e1"}, {"dissolving", true}}}}};
  EXPECT_EQ(head_of(*cells_text(reply, false, {}, kLarge)),
      "CELL              LEVEL  MANAGER  MEMBERS  CPUS  PARENT            STATE");
  EXPECT_THAT(*cells_text(reply, false, {}, kScreen80), StartsWith("CELL  "));
  EXPECT_THAT(head_of(*cells_text(reply, false, {}, kScreen80)), EndsWith("STATE"));
  EXPECT_THAT(*cells_text(reply, false, {.wide = true}, kLarge), HasSubstr("VOTERS"));
  EXPECT_EQ(
      head_of(*cells_text(reply, false, {.list = "manager,voters"}, kScreen80)), "MANAGER  VOTERS");
  EXPECT_FALSE(cells_text(reply, false, {.list = "colour"}, kScreen80));
}

}  // namespace
}  // namespace dunlin::cli
