// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "overlay/ensure.h"

// Numbers in the records of books: fixed width, the lowest byte first, the same on any machine.
namespace dunlin::sched {

/// Appends the bytes of `number`.
template <std::unsigned_integral Number>
void put_number(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out += static_cast<char>(number >> (8 * i) & 0xff);
  }
}

/// Takes a number from the front of `in`. Requires that its bytes are there.
template <std::unsigned_integral Number>
Number take_number(std::string_view& in) {
  ensure(in.size() >= sizeof(Number), "a number is cut short");
  Number number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    number = static_cast<Number>(number << 8 | static_cast<unsigned char>(in[i]));
  }
  in.remove_prefix(sizeof(Number));
  return number;
}

}  // namespace dunlin::sched
