// SPDX-License-Identifier: MIT
// The small words that users and files write: what is read, said again, must be read as the same.
#include "overlay/address.h"
#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/inputs/input_bytes.h"
#include "sched/inputs/input_text.h"
#include "sched/resources.h"
#include "tests/fuzz/fuzz.h"
#include "tools/dunlin/jobs/input_list.h"

namespace dunlin::fuzz {
namespace {

void run_words(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  if (const auto duration = overlay::parse_duration(text)) {
    ensure(overlay::parse_duration(overlay::to_string(*duration)) == *duration, "a duration");
  }
  if (const auto address = overlay::parse_address(text, 7700)) {
    ensure(overlay::parse_address(overlay::to_string(*address), 1) == *address, "an address");
  }
  if (const auto number = overlay::parse_integer(text)) {
    ensure(overlay::parse_integer(std::to_string(*number)) == *number, "an integer");
  }
  if (const auto constraint = sched::parse_constraint(text)) {
    ensure(sched::parse_constraint(sched::to_string(*constraint)) == *constraint, "a constraint");
  }
  if (const auto input = sched::parse_input(text)) {
    sched::TaskGroup group;
    sched::InputsBuilder builder;
    ensure(builder.add(*input).has_value(), "an input of a few nodes");
    group.inputs = builder.take();
    ensure(sched::has_sound_inputs(group), "a sound input");
    const auto again = sched::parse_input(sched::input_text(group.inputs, 0));
    ensure(again && again->size == input->size && again->nodes == input->nodes, "an input");
  }
  if (const auto inputs = sched::inputs_of_bytes(text)) {
    ensure(sched::input_bytes(*inputs) == text, "the bytes of inputs");
  }
  (void)cli::parse_input_list(text, "inputs.txt");
  (void)overlay::parse_number(text);
  (void)overlay::parse_bool(text);
  (void)sched::parse_cpu(text);
  (void)sched::parse_memory(text);
  (void)sched::parse_rate(text);
  (void)sched::parse_attribute(text);
  sched::Resources resources;
  (void)sched::parse_amount(text, resources);
}

const Registered kWords({.name = "words", .run = run_words});

}  // namespace
}  // namespace dunlin::fuzz
