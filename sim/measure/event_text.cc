// SPDX-License-Identifier: MIT
#include "sim/measure/event_text.h"

#include <array>
#include <charconv>
#include <concepts>

#include "overlay/reflect.h"

namespace dunlin::sim {
namespace {

template <std::integral Number>
void append_number(Number value, std::string& text) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

/// Is handed the fields of an event one by one.
struct Fields {
  std::string& text;

  void operator()(std::string_view name, const auto& value) const {
    text += ' ';
    text += name;
    text += '=';
    put(value);
  }
  void put(std::string_view value) const { text += value; }
  void put(std::same_as<bool> auto value) const { text += value ? "yes" : "no"; }
  void put(overlay::PeerId value) const { append_number(value.value, text); }
  void put(sched::CellId value) const { append_number(value.value, text); }
  void put(const sched::JobId& value) const {
    put(value.home);
    text += '/';
    append_number(value.number, text);
  }
  template <std::integral Number>
  // A bool is an integral type as well, and has its own words above.
    requires(!std::same_as<Number, bool>)
  void put(Number value) const {
    append_number(value, text);
  }
};

void append_event(const auto& event, std::string& text) {
  std::visit(
      [&text](const auto& kind) {
        text += kind.kName;
        overlay::for_each_field(kind, Fields{text});
      },
      event);
}

}  // namespace

void append_text(const overlay::Event& event, std::string& text) {
  append_event(event, text);
}
void append_text(const sched::Event& event, std::string& text) {
  append_event(event, text);
}

void append_text(overlay::Time time, std::string& text) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t nanoseconds = time.time_since_epoch().count();
  append_number(nanoseconds / kSecond, text);
  // A digit in front keeps the zeros that a fraction begins with; it becomes the point.
  const std::size_t point = text.size();
  append_number(kSecond + nanoseconds % kSecond, text);
  text[point] = '.';
}

}  // namespace dunlin::sim
