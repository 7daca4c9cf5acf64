// SPDX-License-Identifier: MIT
#include "web/http/response.h"

#include <array>
#include <ctime>
#include <utility>

namespace dunlin::web {

std::string_view reason_of(int status) {
  using Reason = std::pair<int, std::string_view>;
  static constexpr std::array kReasons = {Reason{200, "OK"}, Reason{201, "Created"},
      Reason{204, "No Content"}, Reason{206, "Partial Content"}, Reason{304, "Not Modified"},
      Reason{400, "Bad Request"}, Reason{401, "Unauthorized"}, Reason{403, "Forbidden"},
      Reason{404, "Not Found"}, Reason{405, "Method Not Allowed"}, Reason{408, "Request Timeout"},
      Reason{409, "Conflict"}, Reason{411, "Length Required"}, Reason{413, "Content Too Large"},
      Reason{415, "Unsupported Media Type"}, Reason{416, "Range Not Satisfiable"},
      Reason{421, "Misdirected Request"}, Reason{429, "Too Many Requests"},
      Reason{431, "Request Header Fields Too Large"}, Reason{500, "Internal Server Error"},
      Reason{503, "Service Unavailable"}, Reason{504, "Gateway Timeout"},
      Reason{505, "HTTP Version Not Supported"}};
  for (const auto& [known, reason] : kReasons) {
    if (known == status) return reason;
  }
  return "Unknown";
}

std::string head_text(const Response& response,
    std::optional<std::uint64_t> length,
    bool keep_alive,
    std::string_view date) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text.append(reason_of(response.status)).append("\r\n");
  text.append("Date: ").append(date).append("\r\n");
  for (const auto& [name, value] : response.headers) {
    // Some values are a stranger's words: none may become a field, or an answer, of its own.
    if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) continue;
    text.append(name).append(": ").append(value).append("\r\n");
  }
  // These two have no body, and a length would be that of another answer.
  const bool bare = response.status == 204 || response.status == 304;
  if (length && !bare) text += "Content-Length: " + std::to_string(*length) + "\r\n";
  // HTTP/1.1 keeps a connection unless told otherwise (RFC 9112, section 9.3).
  if (!keep_alive) text += "Connection: close\r\n";
  return text + "\r\n";
}

std::string http_date(std::int64_t seconds) {
  // Not by strftime(): its names of days and months are those of the locale.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return "Thu, 01 Jan 1970 00:00:00 GMT";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
      kDays[parts.tm_wday % 7], parts.tm_mday, kMonths[parts.tm_mon % 12], parts.tm_year + 1900,
      parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text.data();
}

}  // namespace dunlin::web
