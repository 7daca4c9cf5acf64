// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sim {

/// Asks for pages of 2 MiB for all memory that this program will allocate: with pages of 4 KiB, an
/// event among 10^6 peers waits not only for the peer, but also for the tables that lead to the
/// peer's page. glibc takes the wish only from the environment, before main(); so this function
/// starts the program anew, if it has not asked yet. Processes that it starts inherit the wish. It
/// does nothing where the system gives such pages to all or to none, or does not say.
void use_huge_pages(char** argv);

}  // namespace dunlin::sim
