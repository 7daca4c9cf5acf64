// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/table.h"

#include <gtest/gtest.h>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/text.h"

namespace dunlin::cli {
namespace {

const Terminal kPipe{};

TEST(Table, ColoursOnlyWhereShown) {
  Table table({{"STATE"}});
  table.add({Cell("up", Colour::green)});
  EXPECT_EQ(table.render(kPipe), "STATE\nup\n");
  const Terminal colourful{.interactive = true, .colours = true, .columns = 80};
  EXPECT_NE(table.render(colourful).find("\033[32mup\033[0m"), std::string::npos);
}

TEST(Table, DefusesForeignText) {
  Table table({{"NAME"}});
  table.add({"\033]0;title\a"});
  EXPECT_EQ(table.render(kPipe), "NAME\n?]0;title?\n");
}

Json job_of(int number, const char* state, bool finished) {
  return {{"number", number}, {"name", "n"}, {"owner", "ann"}, {"state", state},
      {"finished", finished},
      {"counts", {{"done", 1}, {"failed", 2}, {"running", 3}, {"cancelling", 1}, {"waiting", 4}}},
      {"demand", {{"cpu_milli", 1000}, {"memory_mib", 100}, {"custom", Json::object()}}},
      {"groups", 1}, {"priority", 50}, {"age_ns", 118'000'000'000}, {"reason", ""}};
}

TEST(JobTable, ShowsWhatMatters) {
  const std::string text =
      job_table(Json::array({job_of(12, "running", false), job_of(11, "failed", true)}))
          .render(kPipe);
  EXPECT_EQ(text,
      "JOB  NAME  USER  STATE    DONE  RUN  WAIT  FAIL    AGE  REASON\n"
      "12   n     ann   running     1    4     4     2  1m58s  -\n"
      "11   n     ann   failed      1    4     4     2  1m58s  -\n");
}

// What a job is called, is doing and lacks is shown always; the user after what is read less often.
TEST(JobTable, NarrowTerminalsLeaveOutTheLeastImportantFirst) {
  Json job = job_of(12, "running", false);
  job["reason"] = "no node has 1 cpu free (3 could fit)";
  auto table = job_table(Json::array({job}));
  ASSERT_TRUE(table.choose({.wide = true}));
  const auto header = [&](std::size_t columns) {
    const std::string text = table.render({.columns = columns});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_NE(header(80).find("USER"), std::string::npos) << header(80);
  EXPECT_EQ(header(80).find("PRIO"), std::string::npos);
  EXPECT_NE(header(52).find("USER"), std::string::npos) << header(52);
  EXPECT_EQ(header(52).find("AGE"), std::string::npos);
  EXPECT_EQ(header(45).find("USER"), std::string::npos) << header(45);
}

TEST(JobTable, NamesJobsAsEveryAgentReadsThem) {
  Json job = job_of(11, "failed", true);
  EXPECT_EQ(job_name(job), "11");
  job["known_as"] = "merlin.11";
  EXPECT_EQ(job_name(job), "merlin.11");
}

TEST(JobTable, LastLineSumsUp) {
  Json answer = {{"totals", {{"running", 1}, {"failed", 1}}}, {"matching", 2}, {"nodes", 1}};
  EXPECT_EQ(job_totals(answer, 2, true), "2 jobs: 1 running, 1 failed\n");
  EXPECT_EQ(job_totals(answer, 2, false), "2 jobs: 1 running, 1 failed; --all shows what ended\n");
  answer["nodes"] = 3;
  EXPECT_EQ(job_totals(answer, 1, true),
      "2 jobs on 3 nodes: 1 running, 1 failed; 1 of 2 are shown (--limit N)\n");
  EXPECT_EQ(job_totals(Json::object(), 0, false), "no jobs yet; try: dunlin run -- echo hello\n");
}

TEST(JobTable, NamesTheNodesThatDidNotAnswer) {
  Json answer = {{"silent", Json::array()}};
  EXPECT_EQ(silent_nodes_text(answer), "");
  answer["silent"].push_back({{"name", "n3"}, {"state", "down, last heard of 4 s ago"}});
  EXPECT_EQ(silent_nodes_text(answer), "1 node did not answer: n3 (down, last heard of 4 s ago)");
}

TEST(JobTable, SaysBelowListsWhyTheAgentHasNotJoined) {
  EXPECT_EQ(not_joined_line({{"not_joined", ""}}), "");
  EXPECT_EQ(not_joined_line(Json::object()), "") << "an agent of before";
  EXPECT_EQ(not_joined_line({{"not_joined", "not joined: \033[2J has not answered"}}),
      "not joined: ?[2J has not answered\n");
}

TEST(JobTable, NamesTheRecordsOfJobsThatNoNodeDrives) {
  Json orphan = {{"node_name", "n3"}, {"origin_name", "n1"}, {"jobs", 1}, {"first", 5}, {"last", 5},
      {"in_sync", true}};
  const auto text = [&] { return orphans_text({{"orphans", {orphan}}}); };
  EXPECT_EQ(text(),
      "node n3 has records of 1 job (n1.5), whose home and books are lost: dunlin node take-over "
      "n1.5, at that node\n");
  orphan["cause"] = "lost";
  orphan["in_sync"] = false;
  orphan["jobs"] = 3;
  orphan["last"] = 9;
  orphan["age_ns"] = 7'200'000'000'000;
  orphan["known_as"] = "00c0ffee00c0ffee.5";
  EXPECT_EQ(text(),
      "node n3 has records of 3 jobs (n1.5 to n1.9, the last submitted " + age_text(7200) +
          " ago, perhaps without what came after), whose home lost its disk: dunlin node take-over "
          "00c0ffee00c0ffee.5, at that node\n");
  orphan["cause"] = "away";
  EXPECT_NE(text().find("whose home is down; if its disk is lost: dunlin"), std::string::npos);
}

TEST(JobTable, SurvivesAnAgentThatSaysLittle) {
  EXPECT_EQ(job_table(Json::array({Json::object()})).size(), 1u);
  EXPECT_EQ(job_table(Json::array({"nonsense", 3, nullptr})).size(), 3u);
}

/// With all columns, in a pipe.
std::string whole(Table table) {
  EXPECT_TRUE(table.choose({.wide = true}));
  return table.render(kPipe);
}

Json node_of(const char* name, const char* state, Json free) {
  return {{"node", name}, {"name", name}, {"state", state}, {"age_ns", 400'000'000},
      {"total", {{"cpu_milli", 8000}, {"memory_mib", 32000}, {"custom", {{"gpu", 2}}}}},
      {"free", std::move(free)}, {"running", 5}, {"queued", 2}, {"limits", "v2"},
      {"address", "10.0.0.7:7700"}, {"attributes", {{"arch", "x86_64"}}}, {"facts", true}};
}

TEST(NodeTable, ShowsWhatIsFreeAndWhatIsUnknown) {
  const Json free = {{"cpu_milli", 3500}, {"memory_mib", 12288}, {"custom", {{"gpu", 1}}}};
  const Json nodes =
      Json::array({node_of("merlin", "suspect", Json()), node_of("kestrel", "up", free)});
  const std::string text = whole(node_table(nodes));
  const auto kestrel = text.find("kestrel  up               3.5/8    12.0/31.3 GiB");
  const auto merlin = text.find("merlin   suspect            ?/8       ?/31.3 GiB");
  EXPECT_NE(kestrel, std::string::npos) << text;
  EXPECT_NE(merlin, std::string::npos) << text;
  EXPECT_LT(kestrel, merlin) << "by name";
  EXPECT_NE(text.find("gpu=1/2 arch=x86_64"), std::string::npos) << text;
  EXPECT_EQ(node_totals(nodes, "kestrel"),
      "2 nodes: 1 up, 1 suspect; 3.5 of 8 CPUs free; seen from kestrel\n");
}

// A node that some cannot reach takes part all the same; its own word goes before theirs.
TEST(NodeTable, NamesNodesThatAreNotWhereTheySay) {
  const Json free = {{"cpu_milli", 3500}, {"memory_mib", 12288}, {"custom", Json::object()}};
  Json nodes = Json::array({node_of("kestrel", "unreachable", free)});
  nodes[0]["unreachable"] = {{"what", "reached at 10.0.0.2:7700, and not at 172.17.0.1:7700"}};
  EXPECT_EQ(node_totals(nodes, ""), "1 node: 1 unreachable; 3.5 of 8 CPUs free\n");
  EXPECT_EQ(
      node_troubles(nodes), "kestrel: reached at 10.0.0.2:7700, and not at 172.17.0.1:7700\n");
  nodes[0]["trouble"] = "not reached by n1";
  EXPECT_EQ(node_troubles(nodes), "kestrel: not reached by n1\n");
  EXPECT_EQ(
      address_notes({{"address_notes", {"two tell one address", 3}}}), "two tell one address\n");
  EXPECT_EQ(address_notes(Json::object()), "");
}

// Users want to know if a file that a task writes will be theirs.
TEST(NodeTable, SaysWhichUserTasksRunAs) {
  Json own = node_of("kestrel", "up", Json());
  own["attributes"]["run_as"] = "owner";
  Json all = node_of("merlin", "up", Json());
  all["attributes"]["run_as"] = "dunlin";
  Table table = node_table(Json::array({own, all, node_of("osprey", "up", Json())}));
  ASSERT_TRUE(table.choose({.list = "address,Tasks-As,attributes"}));
  EXPECT_EQ(table.render({.columns = 20}).substr(0, 23), "ADDRESS        TASKS AS") << "it stays";
  const std::string text = table.render(kPipe);
  EXPECT_NE(text.find("10.0.0.7:7700  owner     gpu=?/2 arch=x86_64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("10.0.0.7:7700  dunlin    gpu=?/2 arch=x86_64\n"), std::string::npos) << text;
  EXPECT_NE(text.find("10.0.0.7:7700  ?         gpu=?/2 arch=x86_64\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dunlin::cli
