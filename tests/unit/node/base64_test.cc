// SPDX-License-Identifier: MIT
#include "node/base64.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(Base64, EveryLengthComesBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(to_base64("caf\xe9"), "Y2Fm6Q==");
}

TEST(Base64, OtherTextsAreRefused) {
  for (const char* const text : {"Y2Fm6Q=", "Y2Fm6Q", "Y2Fm*Q==", "Y2Fm6Q==x", "Y2Fm6Q==YWI=", "a",
           "a===", "=abc", "YWJ=", "Y2Fm6R=="}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
}

}  // namespace
}  // namespace dunlin::node
