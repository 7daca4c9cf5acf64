// SPDX-License-Identifier: MIT
#include "node/warden/start_script.h"

#include <gmock/gmock.h>

#include "node/warden/frames.h"

namespace dunlin::node::warden {
namespace {

using ::testing::ElementsAre;

std::string body_of(const Start& start) {
  std::string frame;
  append_frame(frame, start);
  FrameReader reader;
  reader.append(frame);
  const auto read = reader.next();
  EXPECT_TRUE(read);
  return read ? std::string(read->body) : "";
}

TEST(StartScript, ComesOutOfItsFrameAsItWasPutIn) {
  Start start{.id = 7, .words = {"/bin/sh", "/tmp/s"}, .environment = {"A=1", "B==2"}};
  set_script(start, {.path = "/tmp/s", .text = "#!/bin/sh\necho =\n"});
  auto read = parse<Start>(body_of(start));
  ASSERT_TRUE(read);
  const StartScript script = take_script(*read);
  EXPECT_EQ(script.path, "/tmp/s");
  EXPECT_EQ(script.text, "#!/bin/sh\necho =\n");
  EXPECT_THAT(read->environment, ElementsAre("A=1", "B==2"));
  EXPECT_EQ(take_script(*read).path, "") << "it is there once";
}

TEST(StartScript, AStartWithoutOneIsLeftAsItIs) {
  Start start{.environment = {"A=1"}};
  EXPECT_EQ(take_script(start).path, "");
  EXPECT_THAT(start.environment, ElementsAre("A=1"));
  // Of no build: without a path nothing is made.
  start.environment = {"=odd", "A=1"};
  EXPECT_EQ(take_script(start).path, "");
  EXPECT_THAT(start.environment, ElementsAre("A=1"));
}

// A frame of a warden from before has the same fields: it takes this one, and goes on.
TEST(StartScript, TheLargestFitsAFrame) {
  Start start{.words = {"/bin/sh"}};
  set_script(start, {.path = "/s", .text = std::string(1 << 20, 'x')});
  auto read = parse<Start>(body_of(start));
  ASSERT_TRUE(read);
  EXPECT_EQ(take_script(*read).text.size(), 1u << 20);
}

}  // namespace
}  // namespace dunlin::node::warden
