// SPDX-License-Identifier: MIT
#include "node/agent/own_address.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using overlay::Address;

TEST(OwnAddress, OneOfSeveralAddressesOfANameIsAsGoodAsItWas) {
  const Address first = Address::v4(0x0a000001, 7700);
  const Address second = Address::v4(0x0a000002, 7700);
  const Address third = Address::v4(0x0a000003, 7700);
  EXPECT_FALSE(has_moved(first, {first}));
  EXPECT_FALSE(has_moved(first, {second, first}));
  EXPECT_TRUE(has_moved(first, {second, third}));
  EXPECT_FALSE(has_moved(first, {})) << "a name server without an answer";
}

}  // namespace
}  // namespace dunlin::node
