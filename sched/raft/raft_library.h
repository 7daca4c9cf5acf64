// SPDX-License-Identifier: MIT
#pragma once

// What it includes, before it, so that they stay C++.
#include <cstdarg>
#include <cstdbool>
#include <cstddef>
#include <cstdio>

// libraft's header is for C alone. Only the files raft_engine* see it.
extern "C" {
#include <raft.h>
}
