// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "overlay/result.h"
#include "tests/swarm/plan.h"

namespace dunlin::test {

// A plan as a text that can be kept. A seed means another plan as soon as anything is drawn that
// was not drawn before, as for a new parameter; a text means the same plan for ever. Each line is a
// word and what it says:
//
//   # a comment
//   world seed=7 codec=true commit=20ms safety_phase=34s
//   network latency_least=300us latency_most=9ms loss=0.1 ...
//   executor spawn_failure=0.02 grace=200ms
//   param worker.queue_max 64
//   node cpu=4000 memory=8192 slowness=0s custom.gpu=2 attribute.arch=arm64
//   deed crash at=3s lasts=12s seed=99
//   class a
//
// A node's custom resources, a node's attributes and classes keep their order. All parameters are
// written, the default ones, too: a default may change.

/// All of `plan` but for what is told of it when it fails, `Plan::drawn`, and its number.
std::string text_of(const Plan& plan);

/// Fails, naming the line, if a word, a parameter or a value is not known. A parameter that the
/// text does not name has its default.
Result<Plan> parse_plan(std::string_view text);

}  // namespace dunlin::test
