// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "node/net/layer.h"
#include "overlay/address.h"

namespace dunlin::node {

/// Messages that wait until the records before them are durable. One block of memory, reused from
/// turn to turn.
class Outgoing {
 public:
  /// Appends a message that `write` appends to the string it is given.
  void add(const overlay::Endpoint& to, Layer layer, auto&& write) {
    write(bytes_);
    items_.push_back({to, layer, bytes_.size()});
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  /// The memory that the messages take.
  std::size_t bytes() const { return bytes_.size() + items_.size() * sizeof(Item); }

  /// Copies what `others` has, after what is here.
  void append(const Outgoing& others) {
    const std::size_t begin = bytes_.size();
    bytes_ += others.bytes_;
    for (const Item& item : others.items_)
      items_.push_back({item.to, item.layer, begin + item.end});
  }

  /// Calls `send(to, layer, bytes)` for each, in order, and forgets them.
  void release(auto&& send) {
    std::size_t begin = 0;
    for (const Item& item : items_) {
      send(item.to, item.layer, std::string_view(bytes_).substr(begin, item.end - begin));
      begin = item.end;
    }
    clear();
  }
  void clear() {
    items_.clear();
    bytes_.clear();
    if (bytes_.capacity() > kKeptMax) bytes_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t kKeptMax = 1 << 20;
  struct Item {
    overlay::Endpoint to;
    Layer layer;
    std::size_t end;  ///< The end of its bytes; they begin at the end of the item before.
  };
  std::string bytes_;
  std::vector<Item> items_;
};

}  // namespace dunlin::node
