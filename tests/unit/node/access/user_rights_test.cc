// SPDX-License-Identifier: MIT
#include "node/access/user_rights.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

namespace dunlin::node {
namespace {

constexpr const char* kNoGroup = "no-such-group";

TEST(UserRights, AreThoseOfTheSystemsDatabases) {
  EXPECT_EQ(rights_of("root", kNoGroup), (UserRights{.name = "root", .administrator = true}));
  EXPECT_EQ(rights_of("no-such-user", kNoGroup), UserRights{}) << "and that is no trouble";
  EXPECT_EQ(rights_of("", kNoGroup), UserRights{});
  if (const passwd* const own = ::getpwuid(::geteuid()); own != nullptr) {
    const std::string name = own->pw_name;
    EXPECT_TRUE(rights_of(name, kNoGroup).administrator) << "the agent's own user";
  }
}

TEST(UserRights, AreAnAdministratorsInItsGroup) {
  const passwd* const nobody = ::getpwnam("nobody");
  if (nobody == nullptr || nobody->pw_uid == ::geteuid()) GTEST_SKIP() << "no other user is here";
  EXPECT_EQ(rights_of("nobody", kNoGroup), (UserRights{.name = "nobody"}));
  const group* const own = ::getgrgid(nobody->pw_gid);
  ASSERT_NE(own, nullptr);
  const std::string name = own->gr_name;
  EXPECT_TRUE(rights_of("nobody", name.c_str()).administrator);
}

class SystemRightsTest : public ::testing::Test {
 protected:
  SystemRightsTest() { uv_loop_init(&loop); }
  ~SystemRightsTest() override {
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }
  uv_loop_t loop{};
  int found = 0;
};

TEST_F(SystemRightsTest, AreFoundByTheLoopAndRemembered) {
  SystemRights rights(loop, [this] { ++found; });
  EXPECT_EQ(rights.find("root"), nullptr);
  rights.look_up("root");
  rights.look_up("root");
  EXPECT_EQ(rights.find("root"), nullptr) << "not before a turn of the loop";
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(found, 1) << "two questions, one look";
  ASSERT_NE(rights.find("root"), nullptr);
  EXPECT_TRUE(rights.find("root")->administrator);
  rights.look_up("no-such-user");
  uv_run(&loop, UV_RUN_DEFAULT);
  ASSERT_NE(rights.find("no-such-user"), nullptr) << "that there is none is known, too";
  EXPECT_EQ(rights.find("no-such-user")->name, "");
}

TEST_F(SystemRightsTest, AreLookedUpSoManyAtATime) {
  SystemRights rights(loop, [this] { ++found; });
  for (int i = 0; i < 100; ++i) rights.look_up("user" + std::to_string(i));
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(found, static_cast<int>(SystemRights::kLookupsMax));
  EXPECT_EQ(rights.find("user99"), nullptr) << "it is asked for again";
  rights.look_up("user99");
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_NE(rights.find("user99"), nullptr);
}

TEST_F(SystemRightsTest, TellNobodyWhenTheyHaveGone) {
  {
    SystemRights rights(loop, [this] { ++found; });
    rights.look_up("root");
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace dunlin::node
