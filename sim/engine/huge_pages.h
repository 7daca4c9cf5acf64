// SPDX-License-Identifier: MIT
#pragma once

namespace dunlin::sim {

/// Asks for pages of 2 MiB for all memory this program will allocate: with those of 4 KiB, an event
/// among 10^6 peers waits for the tables that say where a peer's page is, besides for the peer.
/// glibc takes the wish from the environment alone, and before main(); so this begins the program
/// anew, if it has not been asked yet. Processes that it starts inherit the wish. Nothing, where
/// the system gives such pages to all, or to nobody, or does not say.
void use_huge_pages(char** argv);

}  // namespace dunlin::sim
