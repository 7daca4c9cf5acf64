// SPDX-License-Identifier: MIT
#include "node/log.h"

#include <algorithm>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "node/events/event_fields.h"
#include "node/utf8.h"
#include "overlay/reflect.h"

// Events become lines of key=value, or JSON, by one visitor over their fields: a new event needs
// nothing here. Names and texts come from users and other machines, so whatever could end a line,
// or deceive a reader by control characters, is escaped. An event that no level wants is counted
// and never made a text.
namespace dunlin::node {
namespace {

spdlog::level::level_enum spdlog_level(overlay::Level level) {
  using enum overlay::Level;
  switch (level) {
    case trace:
      return spdlog::level::trace;
    case debug:
      return spdlog::level::debug;
    case info:
      return spdlog::level::info;
    case warn:
      return spdlog::level::warn;
    case error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// The bytes of the control character that `text` begins with, by any of our terminals; 0: none.
std::size_t control_length(std::string_view text) {
  const std::size_t length = utf8_length(text);
  return length != 0 && is_control(text.substr(0, length)) ? length : 0;
}

/// "\u202e": as JSON has it.
std::string escaped(std::string_view control) {
  std::uint32_t code = static_cast<unsigned char>(control[0]);
  if (control.size() > 1) code &= control.size() == 2 ? 0x1fu : 0x0fu;
  for (const char c : control.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return fmt::format("\\u{:04x}", code);
}

/// In quotes, with what would break a line or a JSON text, or deceive its reader, escaped.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t control = control_length(text);
    if (control != 0) {
      out += escaped(text.substr(0, control));
    } else {
      if (text[0] == '"' || text[0] == '\\') out += '\\';
      out += text[0];
    }
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
  return out + '"';
}

bool is_plain(std::string_view text) {
  if (text.empty() || text.find_first_of(" =\"\\") != std::string_view::npos) return false;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(1)) {
    if (control_length(rest) != 0) return false;
  }
  return true;
}

/// Appends one field, in the words of the format.
void append(std::string& line, LogFormat format, std::string_view key, const Rendered& value) {
  if (format == LogFormat::json) {
    line += fmt::format(",\"{}\":{}", key, value.number ? value.text : in_quotes(value.text));
  } else {
    line += fmt::format(" {}={}", key, is_plain(value.text) ? value.text : in_quotes(value.text));
  }
}

std::string begin(LogFormat format, std::string_view event) {
  return format == LogFormat::json ? fmt::format("\"event\":\"{}\"", event) : std::string(event);
}

}  // namespace

Log::Log(overlay::Level level, LogFormat format, Metrics& metrics)
    : metrics_(metrics),
      format_(format),
      logger_(std::make_shared<spdlog::logger>(
          "dunlin", std::make_shared<spdlog::sinks::stderr_sink_st>())) {
  logger_->set_pattern(format == LogFormat::json
          ? R"({"at":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
          : "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
      spdlog::pattern_time_type::utc);
  logger_->flush_on(spdlog::level::warn);
  set_level(level);
}

Log::~Log() = default;

void Log::set_level(overlay::Level level) {
  logger_->set_level(spdlog_level(level));
}

void Log::set_name(std::string_view name) {
  if (format_ == LogFormat::json) return;
  std::string plain;
  for (const char letter : name) plain += letter == '%' ? "%%" : std::string(1, letter);
  logger_->set_pattern(plain + " %Y-%m-%dT%H:%M:%S.%eZ %-7l %v", spdlog::pattern_time_type::utc);
}

bool Log::wants(overlay::Level level) const {
  return logger_->should_log(spdlog_level(level));
}

void Log::write(overlay::Level level, const std::string& line) {
  logger_->log(spdlog_level(level), spdlog::string_view_t(line));
}

template <typename Event>
void Log::render(const Event& event) {
  std::visit(
      [this](const auto& kind) {
        if (!wants(kind.kLevel)) return;
        std::string line = begin(format_, kind.kName);
        overlay::for_each_field(kind, [&](std::string_view key, const auto& value) {
          append(line, format_, key, rendered(value));
        });
        write(kind.kLevel, line);
      },
      event);
}

void Log::on(const overlay::Event& event) {
  metrics_.count(event);
  render(event);
  if (next_ != nullptr) next_->on(event);
}

void Log::on(const sched::Event& event) {
  metrics_.count(event);
  render(event);
  if (next_ != nullptr) next_->on(event);
}

void Log::say(overlay::Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!wants(level)) return;
  std::string line = begin(format_, event);
  for (const auto& [key, value] : fields)
    append(line, format_, key, rendered(std::string_view(value)));
  write(level, line);
}

}  // namespace dunlin::node
