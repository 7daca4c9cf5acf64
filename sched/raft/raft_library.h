// SPDX-License-Identifier: MIT
#pragma once

// Headers that it includes come first, so that they stay C++.
#include <cstdarg>
#include <cstdbool>
#include <cstddef>
#include <cstdio>

// libraft's header is C only. Only the files raft_engine* see it.
extern "C" {
#include <raft.h>
}
