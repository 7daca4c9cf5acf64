// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/top_view.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <string>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Effect = TopView::Effect;

Key key(std::string_view text) {
  return {Key::Kind::text, std::string(text)};
}

Json job(int number) {
  return {{"number", number}, {"known_as", "n1." + std::to_string(number)}, {"name", "train"},
      {"owner", "ann"}, {"state", "running"}, {"finished", false},
      {"counts", {{"done", 1}, {"failed", 0}, {"running", 3}, {"cancelling", 0}, {"waiting", 4}}},
      {"demand", {{"cpu_milli", 1000}, {"memory_mib", 100}, {"custom", Json::object()}}},
      {"groups", 1}, {"priority", 50}, {"age_ns", 118'000'000'000}, {"reason", ""}};
}

Json node(int number) {
  const Json amount = {{"cpu_milli", 8000}, {"memory_mib", 32000}, {"custom", Json::object()}};
  return {{"node", "n"}, {"name", "n" + std::to_string(number)}, {"state", "up"},
      {"age_ns", 400'000'000}, {"total", amount}, {"free", amount}, {"running", 5}, {"queued", 2},
      {"limits", "v2"}, {"address", "10.0.0.7:7700"}, {"attributes", Json::object()},
      {"facts", true}};
}

/// What an agent answers, with jobs n1.1 to n1.`jobs`.
Json look(int jobs, int nodes = 8) {
  Json look = {{"status", {{"cluster", "home"}, {"name", "n1"}, {"uptime_ns", 5'000'000'000}}},
      {"nodes", Json::array()}, {"jobs", Json::array()},
      {"listing",
          {{"matching", jobs}, {"totals", {{"running", jobs}}}, {"nodes", nodes},
              {"silent", Json::array()}}}};
  for (int i = 1; i <= nodes; ++i) look["nodes"].push_back(node(i));
  for (int i = 1; i <= jobs; ++i) look["jobs"].push_back(job(i));
  return look;
}

const Terminal kSmall{.interactive = true, .colours = false, .columns = 80};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

class TopViewTest : public ::testing::Test {
 protected:
  std::string picture() { return view.picture(shown, kSmall, 23); }
  /// The jobs in the picture, in order.
  std::string jobs() {
    std::string numbers;
    for (const std::string& line : lines(picture())) {
      if (line.starts_with("n1.")) numbers += line.substr(3, line.find(' ') - 3) + " ";
    }
    return numbers;
  }
  void type(std::string_view text) {
    for (const char c : text) view.on_key(key({&c, 1}));
  }

  TopView view;
  Json shown = look(30);
};

TEST_F(TopViewTest, FitsTheScreen) {
  for (const std::size_t rows : {19u, 23u, 49u}) {
    for (const int jobs : {0, 1, 5, 30, 200}) {
      for (const int nodes : {1, 3, 50}) {
        const auto shown_lines = lines(view.picture(look(jobs, nodes), kSmall, rows));
        EXPECT_LE(shown_lines.size(), rows) << jobs << " jobs, " << nodes << " nodes";
        EXPECT_THAT(shown_lines.back(), HasSubstr("q quit"));
        for (const auto& line : shown_lines) EXPECT_LE(line.size(), 80u) << line;
      }
    }
  }
}

// `dunlin nodes` names nodes that are not where they say; so does what one watches all day.
TEST_F(TopViewTest, SaysWhatIsWrongWithNodes) {
  shown["nodes"][0]["unreachable"] = {
      {"what", "reached at 10.0.0.2:7700, and not at 172.17.0.1:7700"}};
  shown["address_notes"] = {"osprey and heron tell others one address"};
  EXPECT_THAT(picture(), HasSubstr("n1: reached at 10.0.0.2:7700, and not at 172.17.0.1:7700\n"));
  EXPECT_THAT(picture(), HasSubstr("osprey and heron tell others one address\n"));
  EXPECT_THAT(view.picture(shown, {}, 0), HasSubstr("osprey and heron tell others one address\n"))
      << "in a pipe, too";
  for (int i = 0; i < 9; ++i) shown["address_notes"].push_back("note " + std::to_string(i));
  EXPECT_THAT(picture(), HasSubstr("9 more notes: dunlin nodes\n"));
  EXPECT_LE(lines(picture()).size(), 23u);
}

TEST_F(TopViewTest, SaysWhyItsAgentHasNotJoined) {
  EXPECT_THAT(picture(), Not(HasSubstr("not joined")));
  shown["listing"]["not_joined"] = "not joined: 10.0.0.7:7700 has not answered for 20 s";
  EXPECT_THAT(picture(), HasSubstr("not joined: 10.0.0.7:7700 has not answered for 20 s\n"));
  EXPECT_LE(lines(picture()).size(), 23u);
}

// Screens of 80 x 24 and of 200 x 60, of which the last line is the shell's.
TEST_F(TopViewTest, ALargeScreenShowsMoreAndNoLineWraps) {
  const Terminal large{.interactive = true, .colours = false, .columns = 200};
  const auto jobs_in = [](const std::vector<std::string>& all) {
    return std::ranges::count_if(all, [](const auto& line) { return line.starts_with("n1."); });
  };
  const auto small = lines(view.picture(look(100), kSmall, 23));
  const auto wide = lines(view.picture(look(100), large, 59));
  EXPECT_LE(small.size(), 23u);
  EXPECT_LE(wide.size(), 59u);
  EXPECT_GT(jobs_in(wide), jobs_in(small));
  for (const auto& line : wide) EXPECT_LE(line.size(), 200u) << line;
}

TEST_F(TopViewTest, JobsGetMostOfIt) {
  const auto count = std::ranges::count(jobs(), ' ');
  EXPECT_GE(count, 8);
  type("n");
  EXPECT_GT(std::ranges::count(jobs(), ' '), count) << "without nodes";
  EXPECT_THAT(picture(), Not(HasSubstr("10.0.0.7")));
}

TEST_F(TopViewTest, SaysHowManyNodesHaveNoRoom) {
  EXPECT_THAT(picture(), HasSubstr("n3  "));
  EXPECT_THAT(picture(), HasSubstr("\n... and 5 more\n"));
  shown = look(3, 4);
  EXPECT_THAT(picture(), Not(HasSubstr("more\n")));
}

TEST_F(TopViewTest, Scrolls) {
  EXPECT_TRUE(jobs().starts_with("1 2 3 "));
  EXPECT_EQ(view.on_key({Key::Kind::down}), Effect::repaint);
  EXPECT_TRUE(jobs().starts_with("2 3 4 "));
  type("j");
  EXPECT_TRUE(jobs().starts_with("3 4 5 "));
  view.on_key({Key::Kind::up});
  EXPECT_TRUE(jobs().starts_with("2 3 4 "));
  view.on_key({Key::Kind::end});
  EXPECT_TRUE(jobs().ends_with(" 29 30 "));
  view.on_key({Key::Kind::page_down});
  EXPECT_TRUE(jobs().ends_with(" 29 30 ")) << "not beyond the last";
  const std::string last = jobs();
  view.on_key({Key::Kind::page_up});
  EXPECT_LT(std::stoi(jobs()), std::stoi(last));
  type("g");
  EXPECT_TRUE(jobs().starts_with("1 2 3 "));
  EXPECT_THAT(picture(), HasSubstr("; here 1 to "));
}

// Jobs that were at the end of the list are over: the last ones are shown, not nothing.
TEST_F(TopViewTest, StaysWithinAListThatGetsShorter) {
  picture();
  type("G");
  shown = look(3);
  EXPECT_EQ(jobs(), "1 2 3 ");
}

TEST_F(TopViewTest, SortsByTurns) {
  EXPECT_EQ(view.request()["sort"], "newest");
  EXPECT_EQ(view.on_key(key("s")), Effect::ask);
  EXPECT_EQ(view.request()["sort"], "oldest");
  EXPECT_THAT(picture(), HasSubstr("sort: oldest"));
  type("SS");
  EXPECT_EQ(view.request()["sort"], "number");
  type("s");
  EXPECT_EQ(view.request()["sort"], "newest");
}

TEST_F(TopViewTest, FiltersWhatIsAskedFor) {
  EXPECT_FALSE(view.request().contains("name"));
  EXPECT_EQ(view.on_key(key("/")), Effect::repaint);
  type("trq");
  EXPECT_THAT(picture(), HasSubstr("filter (enter applies): trq_"));
  view.on_key({Key::Kind::backspace});
  EXPECT_FALSE(view.request().contains("name")) << "not yet";
  type("ain user=ann state=running class=web");
  EXPECT_EQ(view.on_key({Key::Kind::enter}), Effect::ask);
  const Json request = view.request();
  EXPECT_EQ(request["name"], "*train*");
  EXPECT_EQ(request["user"], "ann");
  EXPECT_EQ(request["state"], "running");
  EXPECT_EQ(request["class"], "web");
  EXPECT_THAT(view.picture(shown, {.columns = 140}, 23), HasSubstr("/ filter: train user=ann"));
  EXPECT_EQ(view.on_key({Key::Kind::escape}), Effect::ask) << "drops it";
  EXPECT_FALSE(view.request().contains("user"));
  EXPECT_EQ(view.on_key({Key::Kind::escape}), Effect::quit);
}

TEST_F(TopViewTest, APatternIsTakenAsItIs) {
  type("/tr?in-[0-9]");
  view.on_key({Key::Kind::enter});
  EXPECT_EQ(view.request()["name"], "tr?in-[0-9]");
}

TEST_F(TopViewTest, AFilterMayBeLeftAsItWas) {
  type("/user=ann");
  view.on_key({Key::Kind::enter});
  type("/");
  view.on_key({Key::Kind::erase_line});
  view.on_key(key("é"));
  view.on_key({Key::Kind::backspace});
  EXPECT_THAT(picture(), HasSubstr("applies): _"));
  EXPECT_EQ(view.on_key({Key::Kind::escape}), Effect::repaint);
  EXPECT_EQ(view.request()["user"], "ann");
}

TEST_F(TopViewTest, SaysWhyTheAgentRefusesAFilter) {
  shown["refused"] = "'state' must be running, waiting, failed, done or cancelled";
  shown["jobs"] = Json();
  EXPECT_THAT(picture(), HasSubstr("'state' must be running"));
}

TEST_F(TopViewTest, Pauses) {
  EXPECT_FALSE(view.paused());
  EXPECT_EQ(view.on_key(key("p")), Effect::repaint);
  EXPECT_TRUE(view.paused());
  EXPECT_THAT(picture(), HasSubstr("PAUSED"));
  EXPECT_EQ(view.on_key(key("s")), Effect::ask) << "other jobs are wanted";
  EXPECT_TRUE(view.paused());
  EXPECT_EQ(view.on_key(key(" ")), Effect::ask) << "goes on at once";
  EXPECT_FALSE(view.paused());
}

TEST_F(TopViewTest, TellsItsKeys) {
  type("?");
  EXPECT_THAT(picture(), HasSubstr("page up, page down"));
  EXPECT_LE(lines(view.picture(shown, kSmall, 19)).size(), 19u);
  EXPECT_EQ(view.on_key(key("q")), Effect::repaint) << "any key goes back";
  EXPECT_THAT(picture(), HasSubstr("n1.1"));
  EXPECT_EQ(view.on_key(key("q")), Effect::quit);
  type("?");
  EXPECT_EQ(view.on_key({Key::Kind::interrupt}), Effect::quit);
}

TEST_F(TopViewTest, NamesNodesThatDidNotAnswer) {
  shown["listing"]["silent"].push_back({{"name", "n3"}, {"state", "suspect"}});
  EXPECT_THAT(picture(), HasSubstr("1 node did not answer: n3 (suspect)"));
  EXPECT_LE(lines(picture()).size(), 23u);
}

TEST_F(TopViewTest, APipeGetsAllWithoutKeys) {
  const std::string text = view.picture(shown, {}, 0);
  EXPECT_THAT(text, HasSubstr("n1.30 "));
  EXPECT_THAT(text, Not(HasSubstr("q quit")));
  EXPECT_THAT(text, Not(HasSubstr("; here")));
}

TEST_F(TopViewTest, SurvivesAnAgentThatSaysLittle) {
  for (const char* const text : {"{}", "null", R"({"jobs": 3, "nodes": null, "listing": []})"}) {
    EXPECT_THAT(view.picture(Json::parse(text), kSmall, 23), HasSubstr("no job is unfinished"));
  }
}

}  // namespace
}  // namespace dunlin::cli
