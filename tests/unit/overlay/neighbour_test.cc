// SPDX-License-Identifier: MIT
#include "overlay/neighbour.h"

#include <gtest/gtest.h>

#include "tests/support/now.h"
#include "tests/support/overlay_fixture.h"

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;
using test::kNow;
using test::peer;

TEST(Neighbour, AgesOnlyGrow) {
  const Neighbour known = heard(peer(2, 1500us), kNow);
  EXPECT_EQ(aged(known.peer, known.born, kNow).age, 2ms) << "rounded up";
  EXPECT_EQ(aged(known.peer, known.born, kNow + 3s).age, 3002ms);
  EXPECT_EQ(aged(known.peer, kNow + 1s, kNow).age, 0s) << "nothing is said in the future";
}

TEST(Neighbour, TheLaterLifeThenTheLaterWordIsFresher) {
  Descriptor first = peer(2, 0s, 9);
  Descriptor second = peer(2, 5s, 1);
  second.incarnation = 2;
  EXPECT_TRUE(fresher(second, first)) << "whatever the age";
  EXPECT_FALSE(fresher(first, second));
  EXPECT_TRUE(fresher(peer(2, 9s, 2), peer(2, 0s, 1)));
  EXPECT_FALSE(fresher(peer(2), peer(2)));
}

TEST(Neighbour, AFresherStatementBringsItsOwnAge) {
  Neighbour known = heard(peer(2, 10s, 1), kNow);
  EXPECT_TRUE(update(known, heard(peer(2, 4s, 2), kNow)));
  EXPECT_EQ(known.born, kNow - 4s);
  EXPECT_FALSE(update(known, heard(peer(2, 0s, 2), kNow)));
  EXPECT_EQ(known.born, kNow - 4s) << "an echo does not make it younger";
}

TEST(Neighbour, WhatItSaidItselfOutlivesOlderStatements) {
  Neighbour known = heard(test::with_free(2, 80), kNow - 20s);
  known.peer.cpu_free = 10;  // Learnt just now.
  known.born = kNow;
  Descriptor older = test::with_free(2, 70);
  older.sequence = 2;
  older.age = 1s;
  EXPECT_TRUE(update(known, heard(older, kNow)));
  EXPECT_EQ(known.peer.cpu_free, 10u);
  EXPECT_EQ(known.peer.sequence, 2u);
  EXPECT_EQ(known.born, kNow);
  older.incarnation = 2;
  EXPECT_TRUE(update(known, heard(older, kNow)));
  EXPECT_EQ(known.peer.cpu_free, 70u) << "nothing of an earlier life stays";
  EXPECT_EQ(known.born, kNow - 1s);
}

}  // namespace
}  // namespace dunlin::overlay
