// SPDX-License-Identifier: MIT
#include "node/codec.h"

#include <gmock/gmock.h>

#include "node/command_size.h"
#include "node/message.capnp.h"
#include "sched/kernel.h"
#include "sched/message.h"
#include "tests/support/codec/codec_properties.h"

namespace dunlin::node {

namespace {

using dunlin::testing::bytes_of_hex;
using dunlin::testing::encoded;
using ::testing::HasSubstr;

constexpr auto decode_message = [](std::span<const std::byte> bytes) { return decode(bytes); };

TEST(NodeCodec, RoundTripsEveryMessage) {
  dunlin::testing::expect_round_trips<Message>(decode_message, 200, 100'000);
}

TEST(NodeCodec, RefusesEveryCut) {
  dunlin::testing::expect_cuts_refused<Message>(decode_message, 300);
}

TEST(NodeCodec, SurvivesDamage) {
  dunlin::testing::expect_damage_survived<Message>(decode_message, 3000, 100);
}

TEST(NodeCodec, RefusesDataBeyondTheirBound) {
  for (const unsigned size : {49'152u, 49'153u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::Message>().initOutputChunk().initData(size);
    EXPECT_EQ(decode(dunlin::testing::bytes_of(dunlin::testing::packed(builder))).has_value(),
        size <= 49'152);
  }
}

TEST(NodeCodec, RefusesZeroBomb) {
  const std::uint32_t words_max = kUnpackedMax / 8 - 1;  // Without the frame.
  EXPECT_FALSE(
      decode(dunlin::testing::bytes_of(dunlin::testing::zeros(words_max + 1, words_max + 1)))
          .has_value());
  EXPECT_FALSE(decode_task_spec(dunlin::testing::bytes_of(dunlin::testing::zeros(words_max, 1)))
          .has_value());
}

TEST(TaskSpecCodec, RoundTrips) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    TaskSpec spec;
    dunlin::testing::RandomMessage(seed, 100'000).fill(spec, 0);
    EXPECT_EQ(decode_task_spec(dunlin::testing::bytes_of(encoded(spec))), spec) << "seed " << seed;
  }
}

TEST(TaskSpecCodec, RefusesEveryCut) {
  TaskSpec spec;
  dunlin::testing::RandomMessage(3, 500).fill(spec, 0);
  const std::string bytes = encoded(spec);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(decode_task_spec(dunlin::testing::bytes_of(bytes).first(cut)).has_value()) << cut;
  }
}

// As 0.5 wrote them, byte for byte: members that came since have the values that stand for their
// lack.
TEST(NodeCodec, MessagesOfAnEarlierBuildAreRead) {
  const std::string bytes = bytes_of_hex("10085001010101500301010715030201010511012a1f68656c6c6f");
  const auto chunk = decode(dunlin::testing::bytes_of(bytes));
  ASSERT_TRUE(chunk);
  EXPECT_EQ(*chunk,
      Message(OutputChunk{.request = 7,
          .found = true,
          .ended = true,
          .attempt = sched::first_after(1) | 2,
          .total = 5,
          .data = "hello",
          .cut_off = false,
          .at_limit = false}));
}

TEST(TaskSpecCodec, CommandsOfAnEarlierBuildAreRead) {
  const std::string bytes = bytes_of_hex(
      "101850020813010a180000111d1711311711412a000211352a000041080111052a1105720f6563686fff257b54"
      "41534b5f49001f4e4445587d410402110512110512014101620f2f746d700f616e6e61");
  const auto spec = decode_task_spec(dunlin::testing::bytes_of(bytes));
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec,
      (TaskSpec{.command = {{"echo"}, {"%{TASK_INDEX}"}},
          .environment = {{.name = "A", .value = "b"}},
          .directory = "/tmp",
          .owner = "anna",
          .array = true,
          .rows = 24,
          .checkpoint_signal = 10}));
}

TEST(TaskSpecCodec, RefusesTooManyArguments) {
  for (const unsigned size : {4096u, 4097u}) {
    capnp::MallocMessageBuilder builder;
    builder.initRoot<wire::TaskSpec>().initCommand(size);
    EXPECT_EQ(
        decode_task_spec(dunlin::testing::bytes_of(dunlin::testing::packed(builder))).has_value(),
        size <= 4096);
  }
}

// Four arguments that are all the same bytes: what decodes is never larger than what came.
TEST(TaskSpecCodec, RefusesSharedBytes) {
  for (const bool shared : {false, true}) {
    capnp::MallocMessageBuilder builder;
    auto command = builder.initRoot<wire::TaskSpec>().initCommand(4);
    command[0].initText(799);
    for (unsigned i = 1; i < 4; ++i) command[i].initText(7);
    // Root, 6 pointers, the list's tag, then a pointer for each argument, then the texts.
    auto* words = reinterpret_cast<std::uint64_t*>(
        const_cast<capnp::word*>(builder.getSegmentsForOutput()[0].begin()));
    for (unsigned i = 1; shared && i < 4; ++i) words[8 + i] = words[8] - std::uint64_t{4} * i;
    const auto spec = decode_task_spec(dunlin::testing::bytes_of(dunlin::testing::packed(builder)));
    EXPECT_EQ(spec.has_value(), !shared);
  }
}

TEST(TaskSpecValidate, TakesWhatCanBeEncoded) {
  TaskSpec spec{.command = {{"sort"}, {std::string(131'071, 'x')}},
      .environment = {{.name = "HOME", .value = "/"}}};
  EXPECT_TRUE(validate(spec).has_value());
  EXPECT_EQ(decode_task_spec(dunlin::testing::bytes_of(encoded(spec))), spec);
}

TEST(TaskSpecValidate, SaysWhatIsTooLong) {
  EXPECT_THAT(validate(TaskSpec{}).error().text, HasSubstr("no command"));
  EXPECT_THAT(validate({.command = {{"sort"}, {std::string(131'072, 'x')}}}).error().text,
      HasSubstr("argument 1 is too long: 131072 where 131071 is the most"));
  EXPECT_THAT(validate({.command = std::vector<Word>(4097)}).error().text, HasSubstr("4096"));
  // With its name and '=', as Linux takes it.
  EXPECT_TRUE(validate({.command = {{"x"}}, .environment = {{"A", std::string(131'069, 'x')}}}));
  EXPECT_THAT(validate({.command = {{"x"}}, .environment = {{"A", std::string(131'070, 'x')}}})
                  .error()
                  .text,
      HasSubstr("environment variable A is too long: 131070 where 131069 is the most"));
  EXPECT_THAT(validate({.command = {{"x"}}, .directory = std::string(5000, 'x')}).error().text,
      HasSubstr("directory"));
}

TEST(TaskSpecValidate, AScriptHasArgumentsAndNoCommand) {
  TaskSpec spec{.script = "#!/bin/sh\n", .arguments = {{"a"}}};
  EXPECT_TRUE(validate(spec));
  spec.command = {{"sh"}};
  EXPECT_THAT(validate(spec).error().text, HasSubstr("a command, and arguments of a script"));
  EXPECT_THAT(validate({.arguments = {{"a"}}}).error().text, HasSubstr("no command"));
  spec = {.script = "#!/bin/sh\n", .arguments = std::vector<Word>(4097)};
  EXPECT_THAT(validate(spec).error().text, HasSubstr("4096"));
  spec = {.script = "#!/bin/sh\n"};
  spec.script += std::string(kCommandBytesMax - bytes_of_command(spec), '\xff');
  EXPECT_TRUE(validate(spec));
  EXPECT_LE(encoded(spec).size(), sched::Tasks::kSpecMax);
  EXPECT_TRUE(decode_task_spec(dunlin::testing::bytes_of(encoded(spec))) == spec);
  spec.arguments = {{"x"}};
  EXPECT_THAT(validate(spec).error().text,
      HasSubstr("the script, its arguments and its environment have 1048577 bytes"));
}

// Each argument is fine, and all together they are not.
TEST(TaskSpecValidate, BoundsTheWhole) {
  TaskSpec spec{.command = std::vector<Word>(7, {std::string(131'071, 'x')}),
      .environment = {{.name = "LONG", .value = std::string(100'000, 'y')}}};
  spec.command.push_back({std::string(kCommandBytesMax - bytes_of_command(spec), 'z')});
  EXPECT_TRUE(validate(spec).has_value());
  EXPECT_EQ(decode_task_spec(dunlin::testing::bytes_of(encoded(spec))), spec);
  spec.command.back().text += 'z';
  EXPECT_THAT(validate(spec).error().text, HasSubstr("1048577 bytes, and may have 1048576"));
  EXPECT_FALSE(
      validate({.command = std::vector<Word>(40, {std::string(131'071, 'x')})}).has_value());
}

// The texts that take the most room: as many as there may be, each with an odd end, and long paths.
TEST(TaskSpecValidate, WhatItTakesCanBeEncoded) {
  const std::string path(4096, '/');
  TaskSpec spec{.command = std::vector<Word>(4096, {std::string(225, '\xff')}),
      .environment = {},
      .directory = path,
      .stdout_path = path,
      .stderr_path = path,
      .submit_directory = path,
      .stdin_path = path};
  spec.environment.resize(1024, {.name = "N", .value = std::string(122, '\xff')});
  spec.limits.resize(16, {.resource = 255, .max = ~std::uint64_t{0}});
  ASSERT_LE(bytes_of_command(spec), kCommandBytesMax);
  ASSERT_GT(bytes_of_command(spec), kCommandBytesMax - 2048);
  ASSERT_TRUE(validate(spec).has_value());
  EXPECT_LE(encoded(spec).size(), sched::Tasks::kSpecMax);
  EXPECT_TRUE(decode_task_spec(dunlin::testing::bytes_of(encoded(spec))) == spec);
}

}  // namespace
}  // namespace dunlin::node
