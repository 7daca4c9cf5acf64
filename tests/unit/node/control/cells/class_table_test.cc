// SPDX-License-Identifier: MIT
#include "node/control/cells/class_table.h"

#include <gmock/gmock.h>

#include "sched/ledger/cell_books.h"
#include "sched/ledger/class_name.h"
#include "sched/ledger/class_version.h"

namespace dunlin::node {
namespace {

using sched::books::Classes;
using ::testing::HasSubstr;

Classes table(const ClassEdit& edit, const Classes& before = {}) {
  const auto made = edited(before, edit, 77);
  EXPECT_TRUE(made) << made.error().text;
  return made.value_or(Classes{});
}
Error error_of(const ClassEdit& edit, const Classes& before = {}) {
  const auto made = edited(before, edit, 77);
  EXPECT_FALSE(made);
  return made ? Error{} : made.error();
}

TEST(ClassTable, SetsInOrderAndCountsVersions) {
  const Classes first = table({.set = {{"gold", 5}, {"silver", 3}, {"bronze", 2}}, .remove = {}});
  EXPECT_EQ(sched::edition_of(first.version), 1u);
  EXPECT_EQ(first.classes.size(), 3u);
  EXPECT_TRUE(sched::validate(first));
  const Classes second = table({.set = {{"gold", 9}}, .remove = {"silver"}}, first);
  EXPECT_EQ(sched::edition_of(second.version), 2u);
  ASSERT_EQ(second.classes.size(), 2u);
  for (const auto& each : second.classes) {
    EXPECT_EQ(each.class_id, sched::class_id_of(each.name));
    EXPECT_EQ(each.share, each.name == "gold" ? 9 : 2);
  }
}

// Two people change the same table at the same moment: the same one must win everywhere.
TEST(ClassTable, TablesOfTheSameMomentDiffer) {
  const Classes one = *edited({}, {.set = {{"gold", 5}}, .remove = {}}, 3);
  const Classes other = *edited({}, {.set = {{"gold", 1}}, .remove = {}}, 4);
  EXPECT_EQ(sched::edition_of(one.version), sched::edition_of(other.version));
  EXPECT_GT(other.version, one.version);
  EXPECT_GT(edited(one, {.set = {{"gold", 2}}, .remove = {}}, 0)->version, other.version);
}

TEST(ClassTable, AClassIsNamedOnce) {
  const auto twice = HasSubstr("'gold' is named twice");
  EXPECT_THAT(error_of({.set = {{"gold", 5}, {"gold", 3}}, .remove = {}}).text, twice);
  const Classes before = table({.set = {{"gold", 5}, {"tin", 1}}, .remove = {}});
  EXPECT_THAT(error_of({.set = {}, .remove = {"gold", "gold"}}, before).text, twice);
  EXPECT_THAT(error_of({.set = {{"gold", 1}}, .remove = {"gold"}}, before).text, twice);
}

TEST(ClassTable, NamesWhatIsWrongAndTheCure) {
  EXPECT_EQ(error_of({.set = {{"Gold!", 5}}, .remove = {}}).kind, ErrorKind::usage);
  const Error weight = error_of({.set = {{"gold", 0}}, .remove = {}});
  EXPECT_EQ(weight.kind, ErrorKind::usage);
  EXPECT_THAT(weight.text, HasSubstr("'gold'"));
  const Error unknown = error_of({.set = {}, .remove = {"tin"}});
  EXPECT_EQ(unknown.kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.text, HasSubstr("dunlin share list"));
}

TEST(ClassTable, TheLastClassStays) {
  const Classes one = table({.set = {{"gold", 5}}, .remove = {}});
  EXPECT_EQ(error_of({.set = {}, .remove = {"gold"}}, one).kind, ErrorKind::conflict);
  // To rename it, both at once.
  EXPECT_EQ(table({.set = {{"tin", 1}}, .remove = {"gold"}}, one).classes.at(0).name, "tin");
}

TEST(ClassTable, HasABound) {
  ClassEdit edit;
  for (std::size_t i = 0; i < Classes::kClassesMax; ++i) {
    edit.set.emplace_back("c" + std::to_string(i), 1);
  }
  const Classes full = table(edit);
  EXPECT_THAT(error_of({.set = {{"more", 1}}, .remove = {}}, full).text, HasSubstr("remove one"));
  EXPECT_EQ(table({.set = {{"c3", 7}}, .remove = {}}, full).classes.size(), Classes::kClassesMax);
}

TEST(ClassTable, ComesBackFromAReport) {
  const Classes made = table({.set = {{"gold", 5}, {"tin", 1}}, .remove = {}});
  CellReport report;
  report.version = made.version;
  for (const auto& each : made.classes) {
    report.shares.push_back({.class_id = each.class_id, .name = each.name, .weight = each.share});
  }
  EXPECT_EQ(table_of(report), made);
}

}  // namespace
}  // namespace dunlin::node
