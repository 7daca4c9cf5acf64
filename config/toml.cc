// SPDX-License-Identifier: MIT
// The parser itself, for all who include the header.
#define TOML_IMPLEMENTATION
#include "config/toml.h"
