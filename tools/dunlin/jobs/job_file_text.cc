// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/job_file_text.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "node/control/json.h"
#include "node/message.h"
#include "node/task/limit_signal.h"
#include "node/utf8.h"
#include "overlay/field_info.h"
#include "overlay/param_entries.h"
#include "overlay/time.h"
#include "sched/replica/record.h"
#include "sched/resources.h"

// parse_job_file() in reverse: a line for each key. What the schemas name is written by their
// walks, in the units of people; the rest by hand.
namespace dunlin::cli {
namespace {

/// The code point of a well-formed sequence of UTF-8.
unsigned code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence.front());
  // The first byte has a bit for each byte of a longer sequence, and a zero after them.
  unsigned code = sequence.size() == 1 ? first : first & (0x7fu >> sequence.size());
  for (const char letter : sequence.substr(1)) {
    code = code << 6 | (static_cast<unsigned char>(letter) & 0x3fu);
  }
  return code;
}

/// A text between quotes, as TOML has it. What a terminal would obey instead of showing it is
/// escaped: a stranger may have named the job.
std::string toml_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::string_view next = text.substr(0, std::max<std::size_t>(node::utf8_length(text), 1));
    // A byte that is no UTF-8 is taken by itself: the loop must end for any text.
    text.remove_prefix(next.size());
    if (node::is_control(next)) {
      char escaped[16];
      // The long form for all of them: it needs no table of the short ones.
      std::snprintf(escaped, sizeof escaped, "\\U%08x", code_point(next));
      out += escaped;
      continue;
    }
    if (next == "\"" || next == "\\") out += '\\';
    out += next;
  }
  return out + "\"";
}

/// A text of several lines between three quotes, with the same escapes but for line ends and tabs.
std::string toml_lines(std::string_view text) {
  std::string out = "\"\"\"\n";  // TOML drops a line end there.
  std::size_t quotes = 0;
  while (!text.empty()) {
    const std::string_view next = text.substr(0, std::max<std::size_t>(node::utf8_length(text), 1));
    text.remove_prefix(next.size());
    // The third quote in a row would end the text, and so would the last with those behind it.
    const bool quote = next == "\"" && quotes < 2 && !text.empty();
    quotes = quote ? quotes + 1 : 0;
    if (quote || next == "\n" || next == "\t") {
      out += next;
      continue;
    }
    const std::string escaped = toml_text(next);
    out += escaped.substr(1, escaped.size() - 2);  // Without the quotes around it.
  }
  return out + "\"\"\"";
}

/// Writes keys and values. Remembers that some value was no text.
class Writer {
 public:
  void line(std::string_view key, const std::string& value) {
    text_ += std::string(key) + " = " + value + "\n";
  }
  void table(std::string_view name) { text_ += "\n[[" + std::string(name) + "]]\n"; }
  /// A text of the protocol between quotes; bytes are none.
  std::string word(const Json& json) {
    // Bytes that are no text have another form in the protocol.
    if (json.is_string()) return toml_text(json.get_ref<const std::string&>());
    bytes_ = true;
    return "\"\"";
  }
  std::string list(const Json& json) {
    std::string text = "[";
    for (const Json& each : json) text += (text.size() > 1 ? ", " : "") + word(each);
    return text + "]";
  }
  /// The members of an object, each as `text_of` has it.
  std::string members(const Json& json, const auto& text_of) {
    std::string text = "{";
    for (const auto& [name, each] : json.items()) {
      text += (text.size() > 1 ? ", " : " ") + toml_text(name) + " = " + text_of(each);
    }
    return text + " }";
  }
  /// A term that is there: a number in the unit of people.
  void term(const Json& from, const overlay::FieldInfo& info) {
    const Json& found = member(from, info.key);
    if (found.is_string()) return line(info.toml, word(found));
    // A false is the default everywhere, and is left out.
    if (found.is_boolean()) return found.get<bool>() ? line(info.toml, "true") : void();
    if (!found.is_number()) return;
    const std::string said = overlay::say(info, found.get<std::int64_t>());
    line(info.toml, info.unit == overlay::FieldUnit::none ? said : toml_text(said));
  }
  void text(const Json& from, const char* key, const char* toml) {
    if (const Json& found = member(from, key); !found.is_null()) line(toml, word(found));
  }
  /// A text of several lines, if it is there.
  void lines(const Json& from, const char* key) {
    const Json& found = member(from, key);
    if (found.is_null()) return;
    line(key, found.is_string() ? toml_lines(found.get_ref<const std::string&>()) : word(found));
  }
  void flag(const Json& from, const char* key) {
    if (value<bool>(from, key)) line(key, "true");
  }
  void texts(const Json& from, const char* key) {
    if (const Json& found = member(from, key); !found.is_null()) line(key, list(found));
  }
  bool has_bytes() const { return bytes_; }
  const std::string& all() const { return text_; }

 private:
  std::string text_;
  bool bytes_ = false;
};

/// The terms that the schema names of a record, by its walk.
template <typename Record>
void write_terms(Writer& to, const Json& from) {
  const Record record;
  Record::terms(record, [&](const overlay::FieldInfo& info, const auto&) { to.term(from, info); });
}

void write_demand(Writer& to, const Json& demand) {
  write_terms<sched::Resources>(to, demand);
  // Twice the same walk: the protocol has rates in an object of their own, and a job file beside
  // the others.
  write_terms<sched::Resources>(to, member(demand, "rates"));
  const Json& custom = member(demand, "custom");
  if (custom.empty()) return;
  to.line("resources", to.members(custom, [](const Json& count) { return count.dump(); }));
}

void write_surroundings(Writer& to, const Json& group) {
  if (const Json& variables = member(group, "environment"); !variables.is_null()) {
    to.line("env", to.members(variables, [&](const Json& each) { return to.word(each); }));
  }
  // None in the protocol is a scratch directory, none in a job file the one of the submit.
  const Json& directory = member(group, "directory");
  to.line("cwd", directory.is_null() ? "\"none\"" : to.word(directory));
  for (const char* const key : {"stdin", "stdout", "stderr"}) to.text(group, key, key);
  to.flag(group, "literal");
  to.flag(group, "truncate");
  if (const auto signal = value<int>(group, "limit_signal"); signal != 0) {
    const overlay::Duration before(value<std::int64_t>(group, "limit_signal_time_ns"));
    to.line("limit_signal", toml_text(node::limit_signal_text(signal, before)));
  }
  if (const Json& umask = member(group, "umask"); umask.is_number()) {
    char octal[16];
    // As people write it, and as a job file takes it.
    std::snprintf(octal, sizeof octal, "\"%03o\"", umask.get<unsigned>());
    to.line("umask", octal);
  }
  const Json& limits = member(group, "limits");
  if (limits.is_null()) return;
  to.line("rlimit", to.members(limits, [](const Json& max) {
    return max.get<std::int64_t>() < 0 ? std::string("\"unlimited\"") : max.dump();
  }));
}

void write_group(Writer& to, const Json& group) {
  to.table("group");
  write_terms<sched::replica::PutGroup>(to, group);
  to.lines(group, "script");
  // A script may have no arguments.
  if (const Json& words = member(group, "command"); !words.empty()) {
    to.line("command", to.list(words));
  }
  to.texts(group, "entries");
  to.text(group, "array", "array");
  write_demand(to, member(group, "demand"));
  to.texts(group, "constraints");
  to.texts(group, "after");
  to.texts(group, "inputs");
  write_surroundings(to, group);
}

void write_job(Writer& to, const Json& job) {
  write_terms<sched::replica::PutJob>(to, job);
  to.text(job, "class", "class");
  if (const Json& labels = member(job, "labels"); !labels.empty()) {
    to.line("labels", to.members(labels, [&](const Json& each) { return to.word(each); }));
  }
  to.text(job, "past_deadline", "past_deadline");
  to.text(job, "rerun", "rerun");
  to.text(job, "on_preempt", "on_preempt");
  if (const Json& signal = member(job, "checkpoint_signal"); signal.is_number()) {
    to.line("checkpoint_signal", toml_text(signal.dump()));
  }
  to.term(job, node::TaskSpec::Terms::checkpoint_time);
  if (const Json& after = member(job, "after_jobs"); !after.empty()) {
    Json texts = Json::array();
    for (const Json& each : after) {
      const auto delay = value<std::int64_t>(each, "delay_ns");
      texts.push_back(value<std::string>(each, "job") + ":" + value<std::string>(each, "when") +
          (delay == 0 ? "" : "+" + overlay::to_string(overlay::Duration(delay))));
    }
    to.line("after_jobs", to.list(texts));
  }
  if (const Json& end = member(job, "on_end"); end.is_object()) {
    to.line("on_end", to.list(member(end, "command")));
  }
}

}  // namespace

Result<std::string> job_file_text(const Json& job) {
  Writer to;
  write_job(to, job);
  for (const Json& group : member(job, "groups")) write_group(to, group);
  if (to.has_bytes()) {
    return failure(
        ErrorKind::refused, "it has words that are no UTF-8 text, and a job file is text");
  }
  return to.all();
}

}  // namespace dunlin::cli
