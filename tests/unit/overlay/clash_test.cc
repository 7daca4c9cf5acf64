// SPDX-License-Identifier: MIT
#include "overlay/params/clash.h"

#include <gtest/gtest.h>

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;

TEST(Clash, SaysBothValues) {
  const auto text = [](const tl::unexpected<Error>& failed) { return failed.value().text; };
  EXPECT_EQ(text(clash("a.timeout", Duration(2s), "must not exceed", "a.period", Duration(1500ms))),
      "a.timeout (2s) must not exceed a.period (" + to_string(Duration(1500ms)) + ")");
  EXPECT_EQ(text(clash("a.floor", 0.05, "must not exceed", "a.cap", 10u)),
      "a.floor (0.05) must not exceed a.cap (10)");
  EXPECT_EQ(text(clash("a", 100, "is", "b", 2.0)), "a (100) is b (2)");
  EXPECT_EQ(clash("a", 1, "is", "b", 2).value().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace dunlin::overlay
