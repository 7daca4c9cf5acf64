// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/tidy/rules.h"

// The rule about what pages point to bites.
namespace dunlin::tidy {
namespace {

using ::testing::HasSubstr;

/// The findings about a page in a small repository, or about a file `path` in it.
std::string found(const std::string& text, const std::string& path = "docs/guide/users.md") {
  std::string all;
  const std::vector<File> files = {{path, text},
      {"docs/lab/results.md", "# Results\n\n## All of it\n"}, {"sched/job.h", ""},
      {"tools/check", ""}, {"examples/check", ""}, {"README.md", ""}};
  for (const Finding& finding : check_links(files)) all += to_string(finding) + "\n";
  return all;
}

TEST(TidyLinks, LinksLeadSomewhere) {
  EXPECT_EQ(found("see [results](../lab/results.md) and [here](https://example.org/a.md)"), "");
  EXPECT_EQ(found("[top](../../README.md), [the folder](../lab)"), "");
  EXPECT_THAT(found("\n[results](results.md)"),
      HasSubstr("docs/guide/users.md:2: [links] docs/guide/results.md: there is no such file"));
  EXPECT_THAT(found("[top](../README.md)"), HasSubstr("docs/README.md: there is no such file"));
}

TEST(TidyLinks, AnchorsAreHeadings) {
  EXPECT_EQ(found("[all](../lab/results.md#all-of-it)"), "");
  EXPECT_THAT(found("[all](../lab/results.md#all)"), HasSubstr("has no heading for #all"));
  EXPECT_EQ(found("# Who goes, first?\n[below](#who-goes-first)"), "");
  EXPECT_THAT(found("[below](#who-goes-last)"), HasSubstr("no heading"));
}

TEST(TidyLinks, FilesThatPagesNameAreThere) {
  EXPECT_EQ(found("`sched/job.h`, `tools/check`, `sched/`, `gpu/4`, `node-1`"), "");
  EXPECT_EQ(found("`examples/check`"), "");
  EXPECT_THAT(found("`examples/film/`"), HasSubstr("examples/film/: there is no such file"));
  EXPECT_THAT(found("`sched/jobs.h`"), HasSubstr("sched/jobs.h: there is no such file"));
  EXPECT_THAT(found("`sched/frontend/`"), HasSubstr("no such file"));
}

TEST(TidyLinks, PagesThatCommentsNameAreThere) {
  EXPECT_EQ(found("// See docs/lab/results.md.", "sched/a.cc"), "");
  EXPECT_EQ(found("// See docs/lab/results.md.", "sim/experiments/a.toml"), "");
  EXPECT_THAT(found("# docs/results.md reads it", "sim/experiments/a.toml"),
      HasSubstr("sim/experiments/a.toml:1: [links] docs/results.md: there is no such page"));
}

TEST(TidyLinks, PagesAreNarrow) {
  EXPECT_EQ(found(std::string(110, 'x')), "");
  EXPECT_THAT(found(std::string(111, 'x')), HasSubstr("over 110 columns"));
  EXPECT_EQ(found(std::string(111, 'x'), "CHANGELOG.md"), "");
}

TEST(TidyLinks, TheSiteHasEachPage) {
  const auto of_nav = [](const std::string& nav) { return found("nav:\n" + nav, "mkdocs.yml"); };
  EXPECT_EQ(of_nav("  - Laboratory:\n      - Results: docs/lab/results.md\n"), "");
  EXPECT_THAT(of_nav("  - Dunlin: README.md\n"),
      HasSubstr("docs/lab/results.md: [links] no reader of the site finds it"));
  EXPECT_THAT(of_nav("  - Results: docs/lab/results.md\n  - Old: docs/lab/old.md\n"),
      HasSubstr("mkdocs.yml:3: [links] docs/lab/old.md: there is no such page"));
  EXPECT_THAT(of_nav("  - Results: docs/lab/results.md\n  - Film: examples/film.md\n"),
      HasSubstr("mkdocs.yml:3: [links] examples/film.md: there is no such page"));
}

TEST(TidyLinks, HistoriesMayNameWhatIsGone) {
  EXPECT_EQ(found("[old](docs/old.md), `sched/old.h`", "CHANGELOG.md"), "");
  EXPECT_EQ(found("| `sched/old.h` | `sched/job.h` |", "docs/design/renames.md"), "");
}

}  // namespace
}  // namespace dunlin::tidy
