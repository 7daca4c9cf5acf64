// SPDX-License-Identifier: MIT
#include "web/access/logins.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "web/access/secret_text.h"

namespace dunlin::web {
namespace {

/// A session that is used is written down so often at most.
/// Each request is a use, and a write for each would wear the disk for nothing.
constexpr std::int64_t kKeepUseS = 600;
/// Digits of the hash: enough to tell 64 tokens of a user apart, and no help for finding the
/// secret.
constexpr std::size_t kTokenIdDigits = 8;
/// A note is shown in a list, a line each.
constexpr std::size_t kNoteBytesMax = 128;

/// The next word of a line of text(), behind which one tab is taken away.
std::string_view next_word(std::string_view& line) {
  const auto end = std::min(line.find('\t'), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::int64_t next_number(std::string_view& line) {
  const std::string_view word = next_word(line);
  std::int64_t number = -1;
  const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && at == word.data() + word.size() ? number : -1;
}

bool expired(const TokenLine& token, std::int64_t now_s) {
  return token.expires_s != 0 && token.expires_s <= now_s;
}

}  // namespace

bool Logins::over(const Session& session, std::int64_t now_s) const {
  return now_s - session.used_s >= bounds_.idle_s || now_s - session.opened_s >= bounds_.lifetime_s;
}

void Logins::forget_old(std::int64_t now_s) {
  const auto gone = std::erase_if(sessions_, [&](const auto& entry) {
    return over(entry.second, now_s);
  }) + std::erase_if(tokens_, [&](const auto& entry) { return expired(entry.second.line, now_s); });
  changes_ += gone;
}

std::string Logins::open_session(const std::string& user, std::int64_t now_s) {
  forget_old(now_s);
  const auto oldest = [this](const std::string* of) {
    auto found = sessions_.end();
    for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
      if (of != nullptr && at->second.user != *of) continue;
      if (found == sessions_.end() || at->second.used_s < found->second.used_s) found = at;
    }
    return found;
  };
  const auto own = std::ranges::count_if(
      sessions_, [&](const auto& entry) { return entry.second.user == user; });
  // First a session of the same user: one that logs in by a script in a loop ends its own sessions,
  // and not those of others.
  if (static_cast<std::size_t>(own) >= bounds_.of_one_user) sessions_.erase(oldest(&user));
  if (sessions_.size() >= bounds_.in_all) sessions_.erase(oldest(nullptr));
  std::string secret = new_secret();
  sessions_[hash_of(secret)] = {.user = user, .opened_s = now_s, .used_s = now_s, .kept_s = now_s};
  ++changes_;
  return secret;
}

std::optional<Caller> Logins::of_session(std::string_view secret, std::int64_t now_s) {
  const auto found = sessions_.find(hash_of(secret));
  if (found == sessions_.end()) return std::nullopt;
  Session& session = found->second;
  if (over(session, now_s)) {
    sessions_.erase(found);
    ++changes_;
    return std::nullopt;
  }
  // A clock that is set back must not make a session older.
  session.used_s = std::max(session.used_s, now_s);
  if (session.used_s - session.kept_s >= kKeepUseS) {
    session.kept_s = session.used_s;
    ++changes_;
  }
  return Caller{.user = session.user, .expires_s = session.opened_s + bounds_.lifetime_s};
}

bool Logins::is_open(std::string_view secret, std::int64_t now_s) const {
  const auto found = sessions_.find(hash_of(secret));
  return found != sessions_.end() && !over(found->second, now_s);
}

void Logins::close_session(std::string_view secret) {
  const auto found = sessions_.find(hash_of(secret));
  if (found == sessions_.end()) return;
  sessions_.erase(found);
  ++changes_;
}

Result<std::string> Logins::make_token(
    const std::string& user, TokenLine terms, std::int64_t now_s) {
  forget_old(now_s);
  const auto own =
      std::ranges::count_if(tokens_, [&](const auto& entry) { return entry.second.user == user; });
  // Refused, where a session would end the oldest one: a token that stops without a word breaks a
  // script at night.
  if (static_cast<std::size_t>(own) >= bounds_.of_one_user || tokens_.size() >= bounds_.in_all) {
    return failure(ErrorKind::refused,
        "there are " + std::to_string(own) + " tokens of " + user +
            " already; take one back with dunlin web token --revoke ID");
  }
  std::string secret = new_secret();
  const std::string hash = hash_of(secret);
  terms.id = hash.substr(0, kTokenIdDigits);
  terms.made_s = now_s;
  terms.note = terms.note.substr(0, kNoteBytesMax);
  std::ranges::replace_if(
      // A tab or an end of a line within would be read as another word, or another token, by
      // restore().
      terms.note, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  tokens_[hash] = {.user = user, .line = std::move(terms)};
  ++changes_;
  return secret;
}

std::optional<Caller> Logins::of_token(std::string_view secret, std::int64_t now_s) const {
  const auto found = tokens_.find(hash_of(secret));
  if (found == tokens_.end() || expired(found->second.line, now_s)) return std::nullopt;
  const Token& token = found->second;
  // A token stays as it is when it is used: so this is const, and scripts write nothing to the
  // disk.
  return Caller{.user = token.user,
      .by_token = true,
      .read_only = token.line.read_only,
      .expires_s = token.line.expires_s};
}

std::vector<TokenLine> Logins::tokens_of(const std::string& user, std::int64_t now_s) {
  forget_old(now_s);
  std::vector<TokenLine> lines;
  for (const auto& [hash, token] : tokens_) {
    if (token.user == user) lines.push_back(token.line);
  }
  std::ranges::sort(lines, {}, &TokenLine::made_s);
  return lines;
}

bool Logins::revoke(const std::string& user, std::string_view id) {
  const auto gone = std::erase_if(tokens_,
      [&](const auto& entry) { return entry.second.user == user && entry.second.line.id == id; });
  changes_ += gone;
  return gone != 0;
}

std::string Logins::text() const {
  std::string text;
  for (const auto& [hash, session] : sessions_) {
    // Tabs part the words. Names of users have none, and a note, which may hold anything else,
    // comes last.
    text += "session\t" + hash + "\t" + session.user + "\t" + std::to_string(session.opened_s) +
        "\t" + std::to_string(session.used_s) + "\n";
  }
  for (const auto& [hash, token] : tokens_) {
    const TokenLine& line = token.line;
    text += "token\t" + hash + "\t" + token.user + "\t" + std::to_string(line.made_s) + "\t" +
        std::to_string(line.expires_s) + "\t" + (line.read_only ? "read" : "all") + "\t" +
        line.note + "\n";
  }
  return text;
}

void Logins::restore(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    restore_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Logins::restore_line(std::string_view line) {
  const std::string_view kind = next_word(line);
  const std::string hash(next_word(line));
  std::string user(next_word(line));
  const std::int64_t first_s = next_number(line);
  const std::int64_t second_s = next_number(line);
  // A line that is damaged loses one session or token; the others count.
  if (hash.size() != 64 || user.empty() || first_s < 0 || second_s < 0) return;
  if (kind == "session" && sessions_.size() < bounds_.in_all) {
    sessions_[hash] = {
        .user = std::move(user), .opened_s = first_s, .used_s = second_s, .kept_s = second_s};
  } else if (kind == "token" && tokens_.size() < bounds_.in_all) {
    // A word that is not known is taken for the lesser right.
    const bool read_only = next_word(line) != "all";
    tokens_[hash] = {.user = std::move(user),
        .line = {.id = hash.substr(0, kTokenIdDigits),
            .note = std::string(line),
            .read_only = read_only,
            .made_s = first_s,
            .expires_s = second_s}};
  }
}

}  // namespace dunlin::web
