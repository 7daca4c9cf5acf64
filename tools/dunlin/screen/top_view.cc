// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/top_view.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "config/text.h"
#include "sched/resources.h"
#include "tools/dunlin/screen/job_table.h"
#include "tools/dunlin/screen/node_table.h"
#include "tools/dunlin/screen/report.h"
#include "tools/dunlin/screen/text.h"

// From above: the cluster, its nodes, the jobs, and a line that says what keys do. A user looks for
// jobs, so these get what the others leave, and the nodes a quarter of the screen at most.
namespace dunlin::cli {
namespace {

/// The orders that an agent knows, in the order in which `s` goes through them.
constexpr std::string_view kSorts[] = {
    "newest", "oldest", "state", "user", "name", "tasks", "number"};
/// The header of the nodes' table, a node, and how many more there are.
constexpr std::size_t kNodeRowsMin = 3;
/// The header of the jobs' table, and one job.
constexpr std::size_t kJobRowsMin = 2;
// Bytes: a filter is one line.
constexpr std::size_t kFilterMax = 120;
/// Lines about nodes, at the bottom of the screen.
constexpr std::size_t kNotesMax = 3;

constexpr std::string_view kHelp[] = {"Keys of dunlin top", "",
    "  up, down, k, j           one job up or down", "  page up, page down       a page of jobs",
    "  home, end, g, G          the first jobs, the last",
    "  s, S                     the next order, the one before:",
    "                           newest, oldest, state, user, name, tasks, number",
    "  /                        filter: words of a name, user=U, state=S, class=C;",
    "                           enter: apply, escape: leave it as it was",
    "  p, space                 pause: the picture stays; again: go on",
    "  n                        hide the nodes, or show them",
    "  escape                   drop the filter, or leave", "  q, Ctrl-C                leave", "",
    "Any key goes back."};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// One line of the terminal, or all of it where there is no terminal: a line that wraps would push
/// the picture up.
std::string fitted(const std::string& words, const Terminal& out) {
  return (out.columns == 0 ? words : config::shortened(words, out.columns)) + "\n";
}

/// "CPU    [|||||     ] text". What is reserved, not what is used: that is what keeps tasks
/// waiting.
std::string gauge(const char* label, double used, double total, const std::string& text) {
  constexpr std::size_t kWidth = 30;
  const double share = total > 0 ? std::clamp(used / total, 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(share * kWidth + 0.5);
  return std::string(label) + " [" + std::string(filled, '|') + std::string(kWidth - filled, ' ') +
      "] " + text;
}

std::string gauges(const Json& nodes, const Terminal& out) {
  double cpu_free = 0, cpu = 0, memory_free = 0, memory = 0;
  for (const Json& node : nodes) {
    // Of a node that is silent neither is known, so it is left out of both sums.
    if (!member(node, "free").is_object()) continue;
    cpu_free += value<double>(member(node, "free"), "cpu_milli");
    cpu += value<double>(member(node, "total"), "cpu_milli");
    memory_free += value<double>(member(node, "free"), "memory_mib");
    memory += value<double>(member(node, "total"), "memory_mib");
  }
  const auto mebibytes = [](double amount) {
    return sched::memory_text(static_cast<std::uint64_t>(std::max(amount, 0.0)));
  };
  const auto milli = [](double amount) {
    return sched::cpu_text(static_cast<std::uint32_t>(std::max(amount, 0.0)));
  };
  return fitted(gauge("CPU   ", cpu - cpu_free, cpu,
                    milli(cpu - cpu_free) + " of " + milli(cpu) + " reserved"),
             out) +
      fitted(gauge("memory", memory - memory_free, memory,
                 mebibytes(memory - memory_free) + " of " + mebibytes(memory) + " reserved"),
          out);
}

/// The nodes, in `rows` lines at most (0: no limit); the last one then says how many more there
/// are. What has no room for all columns says `dunlin nodes`.
std::string nodes_picture(const Json& nodes, const Terminal& out, std::size_t rows) {
  const std::string table = node_table(nodes).render(out);
  if (rows == 0) return table;
  const auto lines = lines_of(table);
  const std::size_t count = nodes.is_array() ? nodes.size() : 0;
  // All, if they fit; else one line goes to saying how many more there are.
  const std::size_t shown = count + 1 <= rows ? count : rows - 2;
  std::string text;
  for (std::size_t i = 0; i <= shown && i < lines.size(); ++i) text += lines[i] + "\n";
  return shown == count ? text : text + "... and " + std::to_string(count - shown) + " more\n";
}

/// Which cluster, seen from where, and how full it is.
std::string head(const Json& look, const Terminal& out) {
  const Json& status = member(look, "status");
  std::string text =
      fitted("dunlin top: cluster " + printable(value<std::string>(status, "cluster")) +
              ", seen from " + printable(value<std::string>(status, "name")) + ", up " +
              age_text(seconds_of(status, "uptime_ns")),
          out);
  if (const auto error = value<std::string>(status, "store_error"); !error.empty()) {
    text += out.paint(fitted("its store fails: " + printable(error), out), Colour::red);
  }
  return text + gauges(member(look, "nodes"), out) + "\n";
}

/// What `dunlin nodes` says below its table: nodes that are sick, drained, or not where they say.
std::string notes_of(const Json& look) {
  return node_troubles(member(look, "nodes")) + address_notes(look);
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

TopView::Effect TopView::on_key(const Key& key) {
  // Before all else: Ctrl-C leaves from the help and from the filter, too.
  if (key.kind == Key::Kind::interrupt) return Effect::quit;
  // Any key leaves the help, and does nothing else.
  if (std::exchange(helps_, false)) return Effect::repaint;
  if (edits_) return edit_filter(key);
  const auto page = static_cast<long>(std::max<std::size_t>(page_, 1));
  const auto all = static_cast<long>(jobs_);
  switch (key.kind) {
    case Key::Kind::up:
      scroll(-1);
      return Effect::repaint;
    case Key::Kind::down:
      scroll(1);
      return Effect::repaint;
    case Key::Kind::page_up:
      scroll(-page);
      return Effect::repaint;
    case Key::Kind::page_down:
      scroll(page);
      return Effect::repaint;
    case Key::Kind::home:
      scroll(-all);
      return Effect::repaint;
    case Key::Kind::end:
      scroll(all);
      return Effect::repaint;
    case Key::Kind::escape:
      // Twice escape leaves in any case: the first one takes the filter away.
      if (filter_.empty()) return Effect::quit;
      filter_.clear();
      first_ = 0;
      return Effect::ask;
    case Key::Kind::text:
      return key.text.size() == 1 ? on_text(key.text.front()) : Effect::none;
    default:
      return Effect::none;
  }
}

TopView::Effect TopView::on_text(char key) {
  constexpr std::size_t kOrders = std::size(kSorts);
  switch (key) {
    case 'q':
    case 'Q':
      return Effect::quit;
    case 'h':
    case '?':
      helps_ = true;
      return Effect::repaint;
    case 'k':
      return on_key({Key::Kind::up});
    case 'j':
      return on_key({Key::Kind::down});
    case 'g':
      return on_key({Key::Kind::home});
    case 'G':
      return on_key({Key::Kind::end});
    case 'p':
    case ' ':
      paused_ = !paused_;
      // What was true at the pause may be long gone: a new look at once.
      return paused_ ? Effect::repaint : Effect::ask;
    case 'n':
      nodes_ = !nodes_;
      return Effect::repaint;
    case '/':
      edits_ = true;
      edited_ = filter_;
      return Effect::repaint;
    case 's':
    case 'S':
      // One back is all but one forward: the index has no sign.
      sort_ = (sort_ + (key == 's' ? 1 : kOrders - 1)) % kOrders;
      first_ = 0;
      return Effect::ask;
    default:
      return Effect::none;
  }
}

// The edited filter is a copy: escape leaves the filter as it was.
TopView::Effect TopView::edit_filter(const Key& key) {
  switch (key.kind) {
    // Applied only now: each letter would be a question to all nodes.
    case Key::Kind::enter:
      edits_ = false;
      filter_ = edited_;
      first_ = 0;
      return Effect::ask;
    case Key::Kind::escape:
      edits_ = false;
      return Effect::repaint;
    case Key::Kind::backspace:
      // A character may be several bytes, the later of which begin with the bits 10.
      while (!edited_.empty() && (static_cast<unsigned char>(edited_.back()) & 0xc0) == 0x80) {
        edited_.pop_back();
      }
      if (!edited_.empty()) edited_.pop_back();
      return Effect::repaint;
    case Key::Kind::erase_line:
      edited_.clear();
      return Effect::repaint;
    case Key::Kind::text:
      if (edited_.size() + key.text.size() <= kFilterMax) edited_ += key.text;
      return Effect::repaint;
    default:
      return Effect::none;
  }
}

// Also called with 0, to come back into the list when it has become shorter.
void TopView::scroll(long by) {
  const auto last = static_cast<long>(jobs_ > page_ ? jobs_ - page_ : 0);
  first_ = static_cast<std::size_t>(std::clamp(static_cast<long>(first_) + by, 0L, last));
}

// The filter is a line of words: those with a known key choose by it, all others are of the name.
Json TopView::request() const {
  Json request = {{"cluster", true}, {"sort", kSorts[sort_]}, {"limit", kJobsMax}};
  std::string name;
  std::istringstream words(filter_);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    if (equals != std::string::npos && (key == "user" || key == "state" || key == "class")) {
      request[key] = word.substr(equals + 1);
    } else {
      name += (name.empty() ? "" : " ") + (key == "name" ? word.substr(equals + 1) : word);
    }
  }
  if (name.empty()) return request;
  // A word without a pattern means a part of the name, as people expect of a filter.
  const bool pattern = name.find_first_of("*?[") != std::string::npos;
  request["name"] = pattern ? name : "*" + name + "*";
  return request;
}

// Lines that must not scroll away: what went wrong, and which keys there are.
std::string TopView::bottom(const Json& look, const Terminal& out) const {
  std::string text;
  if (const auto silent = silent_nodes_text(member(look, "listing")); !silent.empty()) {
    text += out.paint(config::shortened(printable(silent), out.columns), Colour::yellow) + "\n";
  }
  if (const auto why = value<std::string>(member(look, "listing"), "not_joined"); !why.empty()) {
    text += out.paint(config::shortened(printable(why), out.columns), Colour::red) + "\n";
  }
  const auto notes = lines_of(notes_of(look));
  // A rack that is sick must not push the jobs away.
  for (std::size_t i = 0; i < std::min(notes.size(), kNotesMax); ++i) {
    const bool more = i + 1 == kNotesMax && notes.size() > kNotesMax;
    const std::string count = count_text(notes.size() - i, "more note") + ": dunlin nodes";
    text += out.paint(config::shortened(more ? count : notes[i], out.columns), Colour::yellow);
    text += "\n";
  }
  if (const auto wrong = value<std::string>(look, "refused"); !wrong.empty()) {
    text += out.paint(config::shortened(printable(wrong), out.columns), Colour::red) + "\n";
  }
  if (edits_) return text + fitted("filter (enter applies): " + printable(edited_) + "_", out);
  std::string keys = paused_ ? "PAUSED  p goes on" : "p pause";
  keys += "  s sort: " + std::string(kSorts[sort_]) + "  / filter";
  if (!filter_.empty()) keys += ": " + printable(filter_);
  keys += "  arrows scroll  h help  q quit";
  return text + out.paint(config::shortened(keys, out.columns), Colour::bold) + "\n";
}

// `rows` is the room on the screen; 0: there is no screen, and all are printed.
std::string TopView::jobs_picture(const Json& look, const Terminal& out, std::size_t rows) {
  const Json& jobs = member(look, "jobs");
  const Json& listing = member(look, "listing");
  jobs_ = jobs.is_array() ? jobs.size() : 0;
  // The agent sends at most so many lines, and counts all.
  const auto matching = std::max<std::uint64_t>(value<std::uint64_t>(listing, "matching"), jobs_);
  if (jobs_ == 0) {
    return filter_.empty() ? "no job is unfinished\n" : "no unfinished job matches the filter\n";
  }
  // All jobs are laid out, not those on the screen alone: columns must not move when one scrolls.
  const auto lines = lines_of(job_table(jobs).render(out));
  std::string totals = job_totals(listing, matching, true);
  // The header, what has no room, and the totals.
  const std::size_t others = lines.size() - jobs_ + 1;
  page_ = rows == 0 ? jobs_ : rows > others ? rows - others : 1;
  scroll(0);
  std::string text = lines.front() + "\n";
  const std::size_t end = std::min(first_ + page_, jobs_);
  for (std::size_t i = first_; i < end; ++i) text += lines[1 + i] + "\n";
  for (std::size_t i = 1 + jobs_; i < lines.size(); ++i) text += lines[i] + "\n";
  if (end - first_ < matching) {
    totals.pop_back();
    totals += "; here " + std::to_string(first_ + 1) + " to " + std::to_string(end) + " of " +
        std::to_string(matching) + "\n";
  }
  return text + fitted(totals.substr(0, totals.size() - 1), out);
}

std::string TopView::picture(const Json& look, const Terminal& out, std::size_t rows) {
  std::string text;
  if (helps_ && rows > 0) {
    // From the top: on a small screen the end of the help is missing, and any key still leads back.
    for (std::size_t i = 0; i < std::min(rows, std::size(kHelp)); ++i) {
      text += fitted(std::string(kHelp[i]), out);
    }
    return text;
  }
  text = head(look, out);
  const Json& nodes = member(look, "nodes");
  if (nodes_) {
    const std::size_t share = rows == 0 ? 0 : std::max(rows / 4, kNodeRowsMin);
    text += nodes_picture(nodes, out, share);
    text += fitted(node_totals(nodes, "").substr(0, node_totals(nodes, "").size() - 1), out) +
        (rows == 0 ? notes_of(look) : "") + "\n";
  }
  // Made before the jobs, which get what is left between the two.
  const std::string below = rows == 0 ? "" : bottom(look, out);
  const std::size_t used = count_lines(text) + count_lines(below);
  const std::size_t left = rows == 0 ? 0 : std::max(rows > used ? rows - used : 0, kJobRowsMin + 1);
  return text + jobs_picture(look, out, left) + below;
}

}  // namespace dunlin::cli
