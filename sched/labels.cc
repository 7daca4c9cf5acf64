// SPDX-License-Identifier: MIT
#include "sched/labels.h"

#include <algorithm>
#include <utility>

#include "sched/job.h"

namespace dunlin::sched {
namespace {

bool is_key_letter(char letter) {
  const bool alphanumeric = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
      (letter >= '0' && letter <= '9');
  return alphanumeric || letter == '.' || letter == '_' || letter == '-' || letter == '/';
}

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= Label::kKeyMax && std::ranges::all_of(key, is_key_letter);
}

bool is_value(std::string_view value) {
  const auto is_control = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte < 0x20 || byte == 0x7f;
  };
  return value.size() <= Label::kValueMax && std::ranges::none_of(value, is_control);
}

tl::unexpected<Error> no_label(std::string_view text) {
  return failure(ErrorKind::usage,
      "'" + std::string(text) +
          "' is no label: write KEY=VALUE, a key of 1 to 63 letters, digits and . _ - / and a "
          "value "
          "of 1 to 127 bytes, such as team=lab3");
}

Label split(std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view value = equals == text.npos ? std::string_view() : text.substr(equals + 1);
  return {.key = std::string(text.substr(0, equals)), .value = std::string(value)};
}

}  // namespace

Result<Label> parse_label(std::string_view text) {
  Label label = split(text);
  if (!is_key(label.key) || label.value.empty() || !is_value(label.value)) return no_label(text);
  return label;
}

Result<Label> parse_wanted_label(std::string_view text) {
  if (text.find('=') != text.npos) return parse_label(text);
  if (!is_key(text)) return no_label(text);
  return split(text);
}

std::string to_string(const Label& label) {
  return label.value.empty() ? label.key : label.key + "=" + label.value;
}

void set_label(std::vector<Label>& labels, Label label) {
  const auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
  if (at != labels.end() && at->key == label.key) {
    at->value = std::move(label.value);
  } else {
    labels.insert(at, std::move(label));
  }
}

Result<void> check_labels(std::span<const Label> labels) {
  if (labels.size() > kLabelsMax) {
    return failure(ErrorKind::usage, "more than " + std::to_string(kLabelsMax) + " labels");
  }
  for (const Label& label : labels) {
    if (auto fine = parse_label(to_string(label)); !fine) return tl::unexpected(fine.error());
  }
  const auto not_below = [](const Label& a, const Label& b) { return a.key >= b.key; };
  if (std::ranges::adjacent_find(labels, not_below) == labels.end()) return {};
  return failure(ErrorKind::usage, "labels that are not ascending by key");
}

bool has_labels(std::span<const Label> labels, std::span<const Label> wanted) {
  return std::ranges::all_of(wanted, [&](const Label& want) {
    const auto found = std::ranges::find(labels, want.key, &Label::key);
    return found != labels.end() && (want.value.empty() || want.value == found->value);
  });
}

}  // namespace dunlin::sched
