// SPDX-License-Identifier: MIT
#include "node/warden/task_inputs.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "node/warden/frames.h"

namespace dunlin::node::warden {
namespace {

/// The only frame, if there is any.
std::optional<Fed> told(TaskInputs& inputs) {
  std::string out;
  inputs.tell(out);
  FrameReader frames;
  frames.append(out);
  if (!frames.ready()) return std::nullopt;
  const auto frame = frames.next();
  return frame ? parse<Fed>(frame->body) : std::nullopt;
}

TEST(TaskInputs, TellsAnotherAgentWhichOnesHaveAll) {
  TaskInputs inputs;
  const auto input = inputs.open({.id = 7, .input = Input::pipe});
  ASSERT_TRUE(input) << input.error().text;
  inputs.feed({.id = 7, .data = "hello"});
  auto fed = told(inputs);
  ASSERT_TRUE(fed);
  EXPECT_EQ(fed->taken, 5u);
  inputs.tell_all();
  fed = told(inputs);
  ASSERT_TRUE(fed) << "another agent knows nothing";
  EXPECT_FALSE(fed->closed) << "there may be more to come";
  inputs.feed({.id = 7, .data = "", .end = true});
  EXPECT_FALSE(told(inputs)) << "who gave the end knows it";
  inputs.tell_all();
  fed = told(inputs);
  ASSERT_TRUE(fed);
  EXPECT_EQ(fed->taken, 5u);
  EXPECT_TRUE(fed->closed);
  EXPECT_FALSE(told(inputs));
}

}  // namespace
}  // namespace dunlin::node::warden
