// SPDX-License-Identifier: MIT
#include "node/utf8.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(Utf8, IsChecked) {
  EXPECT_TRUE(is_utf8("größe"));
  EXPECT_TRUE(is_utf8(""));
  EXPECT_FALSE(is_utf8("\xe9t\xe9"));
  EXPECT_FALSE(is_utf8(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_utf8("\xf5\x80\x80\x80"));
  EXPECT_FALSE(is_utf8("\xe2\x82"));
}

}  // namespace
}  // namespace dunlin::node
