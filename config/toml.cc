// SPDX-License-Identifier: MIT
// The one file that compiles the parser; the others only declare it.
#define TOML_IMPLEMENTATION
#include "config/toml.h"
