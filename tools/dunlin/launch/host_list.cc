// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/host_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

// A word is taken apart from outside to inside: "@FILE", the commas between hosts, "N/", "user@",
// ":port", and at last the ranges of the name, so that "2/a@n[1-3]:22" is three hosts with the same
// terms. Slurm writes its lists in the same way.
namespace dunlin::cli {
namespace {

/// The bound of a name in DNS.
constexpr std::size_t kNameBytesMax = 255;
/// The cure, in each error.
constexpr std::string_view kHostForm = "[CPUS/][USER@]HOST[:PORT], such as alice@node[01-40]";

tl::unexpected<Error> bad_host(std::string_view word, const std::string& why) {
  return failure(ErrorKind::usage,
      "host '" + std::string(word) + "': " + why + "; it must be " + std::string(kHostForm));
}

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return {};
  return number;
}

/// The numbers "a" to "b" with as many digits as the first one has.
bool add_numbers(std::string_view from, std::string_view to, std::vector<std::string>& numbers) {
  const auto first = whole_number<std::uint32_t>(from);
  const auto last = whole_number<std::uint32_t>(to);
  if (!first || !last || *first > *last || *last - *first >= kLaunchHostsMax) return false;
  for (std::uint32_t each = *first; each <= *last; ++each) {
    std::string digits = std::to_string(each);
    // "01-12" means names of two digits, "1-12" does not.
    if (digits.size() < from.size()) digits.insert(0, from.size() - digits.size(), '0');
    numbers.push_back(std::move(digits));
    if (numbers.size() > kLaunchHostsMax) return false;
  }
  return true;
}

/// "01-03,7" as "01", "02", "03", "7"; nothing if it is no such list.
std::optional<std::vector<std::string>> range_numbers(std::string_view ranges) {
  std::vector<std::string> numbers;
  while (true) {
    const std::size_t comma = std::min(ranges.find(','), ranges.size());
    const std::string_view range = ranges.substr(0, comma);
    const std::size_t dash = range.find('-');
    const auto to = dash == range.npos ? range : range.substr(dash + 1);
    if (!add_numbers(range.substr(0, dash), to, numbers)) return {};
    if (comma == ranges.size()) return numbers;
    ranges.remove_prefix(comma + 1);
  }
}

/// All names that "node[01-03]-ib" stands for.
Result<std::vector<std::string>> names_of(std::string_view word, std::string_view pattern) {
  std::vector<std::string> names = {""};
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('['), pattern.size());
    for (std::string& name : names) name += pattern.substr(0, open);
    if (open == pattern.size()) break;
    const std::size_t close = pattern.find(']', open);
    if (close == pattern.npos) return bad_host(word, "a [ has no ]");
    const auto numbers = range_numbers(pattern.substr(open + 1, close - open - 1));
    if (!numbers) return bad_host(word, "between [ and ] stand numbers and ranges, as in 01-03,7");
    // Before they are made: "[1-999][1-999]" would be a million texts.
    if (names.size() * numbers->size() > kLaunchHostsMax) {
      return bad_host(word, "it stands for more than " + std::to_string(kLaunchHostsMax));
    }
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& number : *numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    pattern.remove_prefix(close + 1);
  }
  return names;
}

/// Letters of names and of addresses, with % for the scope of one of IPv6.
bool is_host_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
      std::string_view("._-:%").find(c) != std::string_view::npos;
}

// A name that began with a dash would be a flag of ssh.
bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '-' &&
      std::ranges::all_of(name, is_host_letter);
}

bool is_user_name(std::string_view name) {
  return is_host_name(name) && name.find_first_of(":%") == name.npos;
}

/// Takes "N/" and "user@" off the front of `rest`.
Result<void> take_front(std::string_view word, std::string_view& rest, LaunchHost& host) {
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    const auto cpus = whole_number<std::uint32_t>(rest.substr(0, slash));
    if (!cpus || *cpus == 0) return bad_host(word, "before / stands a number of CPUs above 0");
    host.cpus = *cpus;
    rest.remove_prefix(slash + 1);
  }
  if (const std::size_t at = rest.find('@'); at != rest.npos) {
    host.user = rest.substr(0, at);
    if (!is_user_name(host.user)) return bad_host(word, "before @ stands the name of a user");
    rest.remove_prefix(at + 1);
  }
  return {};
}

/// Takes ":port" off the end of `rest`, and the brackets off an address of IPv6. Returns whether it
/// is one.
Result<bool> take_port(std::string_view word, std::string_view& rest, LaunchHost& host) {
  const std::size_t close = rest.find(']');
  const bool is_v6 =
      rest.starts_with('[') && close != rest.npos && rest.substr(0, close).find(':') != rest.npos;
  const std::size_t colon = rest.find(':', is_v6 ? close : 0);
  // Two colons without brackets: an address of IPv6 and no port.
  const bool is_bare_v6 = !is_v6 && colon != rest.npos && rest.find(':', colon + 1) != rest.npos;
  if (is_bare_v6) return true;
  if (colon != rest.npos) {
    const auto port = whole_number<std::uint16_t>(rest.substr(colon + 1));
    if (!port || *port == 0) return bad_host(word, "behind : stands a port from 1 to 65535");
    host.port = *port;
    rest = rest.substr(0, colon);
  }
  if (is_v6) rest = rest.substr(1, rest.size() - 2);
  return is_v6;
}

Result<void> add_host(
    std::string_view word, std::vector<std::string> settings, std::vector<LaunchHost>& hosts) {
  LaunchHost host;
  host.settings = std::move(settings);
  std::string_view rest = word;
  if (auto front = take_front(word, rest, host); !front) return front;
  const auto is_v6 = take_port(word, rest, host);
  if (!is_v6) return tl::unexpected(is_v6.error());
  const auto names =
      *is_v6 ? Result<std::vector<std::string>>{{std::string(rest)}} : names_of(word, rest);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    if (!is_host_name(name)) return bad_host(word, "'" + name + "' is no name of a host");
    host.name = name;
    hosts.push_back(host);
    if (hosts.size() > kLaunchHostsMax) {
      return failure(ErrorKind::usage,
          "more than " + std::to_string(kLaunchHostsMax) + " hosts: launch them in parts");
    }
  }
  return {};
}

/// Adds the hosts of "a[1,2],b": commas inside brackets divide nothing.
Result<void> add_list(std::string_view list, std::vector<LaunchHost>& hosts) {
  while (true) {
    std::size_t end = 0;
    for (bool inside = false; end < list.size() && (inside || list[end] != ','); ++end) {
      inside = (inside || list[end] == '[') && list[end] != ']';
    }
    if (auto added = add_host(list.substr(0, end), {}, hosts); !added) return added;
    if (end == list.size()) return {};
    list.remove_prefix(end + 1);
  }
}

/// The words of a line, up to a `#` at the beginning of one.
std::vector<std::string> blank_separated(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos || line[begin] == '#') return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// A line of a file of hosts: a host, or a range of them, and settings of their agents alone.
Result<void> add_line(std::string_view line, std::vector<LaunchHost>& hosts) {
  auto words = blank_separated(line);
  if (words.empty()) return {};
  const std::string host = std::move(words.front());
  words.erase(words.begin());
  if (host.starts_with('@')) return bad_host(host, "a file of hosts names no other file");
  for (const std::string& setting : words) {
    if (auto fine = check_setting(setting); !fine) return fine;
  }
  return add_host(host, std::move(words), hosts);
}

/// A mistake is told with file and line, as compilers do it.
Result<void> add_lines(
    std::string_view text, const std::string& path, std::vector<LaunchHost>& hosts) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto added = add_line(text.substr(0, end), hosts); !added) {
      return failure(
          ErrorKind::usage, path + ":" + std::to_string(number) + ": " + added.error().text);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// The first of each: what was said first has its terms.
std::vector<LaunchHost> once_each(std::vector<LaunchHost> hosts) {
  std::set<std::string> seen;
  std::erase_if(hosts, [&](const LaunchHost& host) { return !seen.insert(host.text()).second; });
  return hosts;
}

}  // namespace

std::string LaunchHost::text() const {
  const bool is_v6 = port != 0 && name.find(':') != name.npos;
  return (user.empty() ? "" : user + "@") + (is_v6 ? "[" + name + "]" : name) +
      (port == 0 ? "" : ":" + std::to_string(port));
}

Result<void> check_setting(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto key = text.substr(0, equals);
  const bool is_key = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
  const bool is_line = std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
  // A launch finds its agents again by these three.
  for (const std::string_view own : {"data_dir", "key_file", "socket"}) {
    std::string name(key);
    std::ranges::replace(name, '-', '_');
    if (name == own || name == "agent." + std::string(own)) {
      return failure(ErrorKind::usage,
          std::string(key) + " is what a launch says itself: choose the directory with --dir");
    }
  }
  if (equals != text.npos && is_key && key.front() != '-' && is_line) return {};
  return failure(ErrorKind::usage,
      "'" + std::string(text) + "' is no setting KEY=VALUE of an agent (dunlin params has them)");
}

// In the order in which they were said, since of two terms for one host the first counts.
Result<std::vector<LaunchHost>> parse_hosts(
    std::span<const std::string> words, const ReadText& read) {
  std::vector<LaunchHost> hosts;
  for (const std::string& word : words) {
    if (!word.starts_with('@')) {
      if (auto added = add_list(word, hosts); !added) return tl::unexpected(added.error());
      continue;
    }
    const std::string path = word.substr(1);
    const auto text = read(path);
    if (!text) return failure(ErrorKind::usage, text.error().text);
    if (auto added = add_lines(*text, path, hosts); !added) return tl::unexpected(added.error());
  }
  return once_each(std::move(hosts));
}

// As Slurm writes its variable; it has no terms of ours, so no file of settings is read for it.
Result<std::vector<LaunchHost>> slurm_hosts(std::string_view list) {
  std::vector<LaunchHost> hosts;
  if (list.empty()) {
    return failure(ErrorKind::usage,
        "--slurm: SLURM_JOB_NODELIST is not set: call it within a job of Slurm (sbatch, salloc)");
  }
  if (auto added = add_list(list, hosts); !added) return tl::unexpected(added.error());
  return once_each(std::move(hosts));
}

Result<std::vector<LaunchHost>> pbs_hosts(std::string_view text) {
  std::vector<LaunchHost> hosts;
  // A host has a line for each of its processors: more lines than hosts.
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto added = add_line(text.substr(0, end), hosts); !added) {
      return failure(ErrorKind::usage, "PBS_NODEFILE: " + added.error().text);
    }
    // Dropped at once, or a machine of 256 processors would count as so many hosts of the maximum.
    if (hosts.size() > 1 && hosts.back() == hosts[hosts.size() - 2]) hosts.pop_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (hosts.empty()) return failure(ErrorKind::usage, "--pbs: the file PBS_NODEFILE is empty");
  return once_each(std::move(hosts));
}

}  // namespace dunlin::cli
