// SPDX-License-Identifier: MIT
#include "node/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "node/events/event_fields.h"
#include "overlay/reflect.h"

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

/// In quotes, with what would break a line or a JSON text escaped.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

bool is_plain(std::string_view text) {
  return !text.empty() && text.find_first_of(" =\"\\\n\t\r") == std::string_view::npos;
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
