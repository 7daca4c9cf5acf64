// SPDX-License-Identifier: MIT
#include "sched/sharing/bank_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::BankParams> = "bank";
template <>
inline constexpr auto kParams<sched::BankParams> = std::tuple{
    Param<&sched::BankParams::drawing>{{},
        "The way in which savings become tickets: the largest balance first, draw_max each, or all "
        "in proportion.",
        "CS 736 slides, part 2, options 1 and 2"},
    Param<&sched::BankParams::draw_max>{{1, 1'000'000, Scale::log},
        "largest-first: tickets that a class draws at most per node and period.",
        "CS 736 slides, h"},
    Param<&sched::BankParams::catch_up>{{},
        "A class that used up less than its share gets its share, or step more than it used.",
        "CS 736 slides, case 3"},
    Param<&sched::BankParams::step>{{1, 1'000'000, Scale::log},
        "That many tickets, where catch_up is step.", "CS 736 slides, k"},
    Param<&sched::BankParams::spare>{{},
        "Tickets that no savings claim go to classes that want more, by share or by need.",
        "CS 736 slides, part 2"},
    Param<&sched::BankParams::expiry>{
        {std::chrono::seconds(1), std::chrono::hours(24 * 7), Scale::log},
        "Savings older than this are lost.", "CS 736 slides, note on time-stamps"},
    Param<&sched::BankParams::full_use>{
        {0.5, 1.0}, "A class that used this share of its tickets has used them up."},
    Param<&sched::BankParams::compensation>{{},
        "Where every node is full, classes with high balances get tickets at the cost of others.",
        "CS 736 slides, strategy of compensation"},
    Param<&sched::BankParams::compensation_balance>{
        {0.0, 1000.0}, "A balance is high from so many times the class's share of the whole cell."},
    Param<&sched::BankParams::compensation_share>{
        {0.0, 1.0}, "Share of a node that compensation adds before all is scaled to fit."},
    Param<&sched::BankParams::local_reserve_share>{{0.0, 1.0},
        "Share of the tickets soon needed on the same node that is kept there and not deposited.",
        "CS 736 slides, strategy of reserving"},
    Param<&sched::BankParams::local_reserve_expiry>{
        {std::chrono::seconds(1), std::chrono::hours(24), Scale::log},
        "Tickets kept at a node longer than this are lost."},
};

void append_entries(sched::BankParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
