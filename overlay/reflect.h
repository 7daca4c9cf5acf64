// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// The members of a plain struct with their names, so that what is said about an event is listed
// once: in the event. C++20 has no reflection. Two things stand in for it: a structured binding
// takes a struct apart, and a compiler writes the name of a member into the name of a function that
// has a pointer to the member as its argument.
namespace dunlin::overlay {

/// Structs with more members are refused at compile time.
inline constexpr std::size_t kReflectedFieldsMax = 8;

namespace reflect {

struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): it stands for any member.
};

template <typename T, std::size_t... I>
constexpr bool made_of(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}

template <typename T, std::size_t N = kReflectedFieldsMax + 1>
constexpr std::size_t count() {
  if constexpr (made_of<T>(std::make_index_sequence<N>())) {
    return N;
  } else {
    return count<T, N - 1>();
  }
}

template <typename T>
constexpr auto members_of(const T& object) {
  constexpr std::size_t kCount = count<T>();
  static_assert(
      kCount <= kReflectedFieldsMax, "an event with more than kReflectedFieldsMax fields");
  if constexpr (kCount == 1) {
    const auto& [a] = object;
    return std::tie(a);
  } else if constexpr (kCount == 2) {
    const auto& [a, b] = object;
    return std::tie(a, b);
  } else if constexpr (kCount == 3) {
    const auto& [a, b, c] = object;
    return std::tie(a, b, c);
  } else if constexpr (kCount == 4) {
    const auto& [a, b, c, d] = object;
    return std::tie(a, b, c, d);
  } else if constexpr (kCount == 5) {
    const auto& [a, b, c, d, e] = object;
    return std::tie(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    const auto& [a, b, c, d, e, f] = object;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    const auto& [a, b, c, d, e, f, g] = object;
    return std::tie(a, b, c, d, e, f, g);
  } else {
    const auto& [a, b, c, d, e, f, g, h] = object;
    return std::tie(a, b, c, d, e, f, g, h);
  }
}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// Never defined: only the addresses of its members are named.
template <typename T>
extern const T kSpecimen;

template <typename Member>
struct Pointer {
  const Member* to;
};
template <typename Member>
Pointer(const Member*) -> Pointer<Member>;

template <Pointer kPointer>
consteval std::string_view name() {
  // "... {(& kSpecimen<Event>.Event::member)} ..." or "... {&kSpecimen.member}]".
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find('&'));
  text = text.substr(0, std::min(text.find(")}"), text.rfind('}')));
  return text.substr(text.find_last_of(":.") + 1);
}

template <typename T, std::size_t I>
inline constexpr std::string_view kName = name<Pointer{&std::get<I>(members_of(kSpecimen<T>))}>();

#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace reflect

/// Calls `visit(name, value)` for each member of `object`, an aggregate with linkage, in their
/// order. A member that is an enumeration is visited as its word, which its word_of() says.
template <typename T>
void for_each_field(const T& object, auto&& visit) {
  const auto visit_one = [&](std::string_view name, const auto& value) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      visit(name, word_of(value));
    } else {
      visit(name, value);
    }
  };
  const auto members = reflect::members_of(object);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit_one(reflect::kName<T, I>, std::get<I>(members)), ...);
  }(std::make_index_sequence<reflect::count<T>()>());
}

}  // namespace dunlin::overlay
