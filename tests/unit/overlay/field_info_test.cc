// SPDX-License-Identifier: MIT
#include "overlay/field_info.h"

#include <gtest/gtest.h>

namespace dunlin::overlay {
namespace {

TEST(FieldInfo, SaysBoundsInTheUnitOfPeople) {
  constexpr std::int64_t day = 86'400'000'000'000;
  const FieldInfo time{.unit = FieldUnit::ns, .min = 1'000'000'000, .max = 49 * day};
  EXPECT_EQ(wrong_value(time, day), "");
  EXPECT_EQ(wrong_value(time, 50 * day), "must be at most 49d");
  EXPECT_EQ(wrong_value(time, 7), "must be at least 1s");
  const FieldInfo number{.max = 1000};
  EXPECT_EQ(wrong_value(number, 1000), "");
  EXPECT_EQ(wrong_value(number, -1), "must be from 0 to 1000");
  const FieldInfo endless{.min = 1};
  EXPECT_EQ(wrong_value(endless, 0), "must be at least 1");
}

TEST(FieldInfo, SaysAmountsWithTheirUnit) {
  EXPECT_EQ(say({.unit = FieldUnit::milli_cpu}, 2000), "2");
  EXPECT_EQ(say({.unit = FieldUnit::milli_cpu}, 250), "250m");
  EXPECT_EQ(say({.unit = FieldUnit::mib}, 0), "0M");
  EXPECT_EQ(say({.unit = FieldUnit::kib_per_second}, 7), "7K/s");
  EXPECT_EQ(say({}, 7), "7");
}

TEST(FieldInfo, ListsWords) {
  constexpr std::string_view kWords[] = {"run", "walk", "rest"};
  EXPECT_EQ(one_of(kWords), "run, walk or rest");
  EXPECT_EQ(one_of(std::span(kWords).first(2), "'"), "'run' or 'walk'");
  EXPECT_EQ(one_of(std::span(kWords).first(1)), "run");
}

TEST(FieldInfo, NamesTheLongFlag) {
  EXPECT_EQ(long_flag({.flag = "-t,--time-limit"}), "--time-limit");
  EXPECT_EQ(long_flag({.flag = "--gang"}), "--gang");
  EXPECT_EQ(long_flag({}), "");
}

}  // namespace
}  // namespace dunlin::overlay
