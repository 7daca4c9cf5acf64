// SPDX-License-Identifier: MIT
#include "sched/cell/sharing_params.h"

#include <gmock/gmock.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

void expect_refused(const SharingParams& params, const char* why) {
  const auto sound = validate(params);
  ASSERT_FALSE(sound) << why;
  EXPECT_EQ(sound.error().kind, ErrorKind::usage);
  EXPECT_THAT(sound.error().text, HasSubstr(why));
}

TEST(SharingParams, DefaultsAgree) {
  EXPECT_TRUE(validate(SharingParams{}));
}

TEST(SharingParams, WhatContradictsIsNamed) {
  SharingParams params;
  params.cell.period = 6s;
  expect_refused(params, "cell.lease");
  params = {};
  params.cell.grant_life = 3s;
  expect_refused(params, "cell.grant_life");
  params = {};
  params.cell.retry = 3s;
  expect_refused(params, "cell.retry");
  params = {};
  params.cell.gossip = 20s;
  expect_refused(params, "cell.hint_life");
  params = {};
  params.raft.heartbeat = 2s;
  expect_refused(params, "raft.heartbeat");
}

}  // namespace
}  // namespace dunlin::sched
