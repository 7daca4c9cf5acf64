// SPDX-License-Identifier: MIT
#include "node/net/transport_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<node::TransportParams> = "transport";
template <>
inline constexpr auto kParams<node::TransportParams> = std::tuple{
    Param<&node::TransportParams::datagram_payload>{{512, 8952, Scale::log},
        "Bytes of the largest datagram sent, seal included. Raise it only where every path between "
        "the nodes carries jumbo frames.",
        "IPv6 minimum MTU 1280 less 48 of headers"},
    Param<&node::TransportParams::rate_limit>{{100, 10'000'000, Scale::log},
        "Datagrams a second accepted from one IP address, before any cryptography; twice as many "
        "at once."},
    Param<&node::TransportParams::connections_max>{{8, 65'536, Scale::log},
        "Streams to and from members open at once. One more ends the one that was idle for "
        "longest."},
    Param<&node::TransportParams::strangers_max>{{1, 4096, Scale::log},
        "Incoming streams at once that have not yet proved that they hold the cluster key; a "
        "quarter "
        "of them from one address. One more displaces another one, drawn by lot."},
    Param<&node::TransportParams::send_buffer>{
        {1 << 16, 1 << 28, Scale::log}, "Bytes that may wait for a slow reader of one stream."},
    Param<&node::TransportParams::connect_timeout>{
        {std::chrono::milliseconds(100), std::chrono::minutes(2), Scale::log},
        "Longest time for a peer to accept a stream."},
    Param<&node::TransportParams::greeting_timeout>{
        {std::chrono::milliseconds(50), std::chrono::minutes(1), Scale::log},
        "Longest time for an accepted stream to say its first words, which need the cluster key."},
    Param<&node::TransportParams::handshake_timeout>{
        {std::chrono::milliseconds(100), std::chrono::minutes(1), Scale::log},
        "Longest time for an accepted stream to prove that it holds the cluster key."},
    Param<&node::TransportParams::idle_timeout>{
        {std::chrono::seconds(1), std::chrono::hours(1), Scale::log},
        "A stream that carried no message for so long is closed. Remote control is exempt."},
};

void append_entries(node::TransportParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
