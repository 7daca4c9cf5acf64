// SPDX-License-Identifier: MIT
#include "tests/support/bank_machine.h"

#include <numeric>
#include <sstream>

namespace dunlin::test {

std::string encode(const Transfer& transfer) {
  return std::to_string(transfer.id) + ' ' + std::to_string(transfer.from) + ' ' +
      std::to_string(transfer.to) + ' ' + std::to_string(transfer.amount);
}

void History::commit() {
  for (auto& [number, command] : turn_) {
    if (number <= commands_.size()) {
      if (commands_[number - 1] != command) {
        violate("command " + std::to_string(number) + " is \"" + command + "\" here and \"" +
            commands_[number - 1] + "\" elsewhere");
      }
    } else if (number == commands_.size() + 1) {
      commands_.push_back(std::move(command));
    } else {
      violate("command " + std::to_string(number) + " was left out");
    }
  }
  turn_.clear();
}

std::string BankMachine::apply(sched::Epoch epoch, std::string_view command) {
  history_.note(++applied_, std::to_string(epoch) + ": " + std::string(command));
  if (epoch != epoch_) history_.violate("a command of a manager that is not in office");
  std::istringstream in{std::string(command)};
  Transfer transfer;
  in >> transfer.id >> transfer.from >> transfer.to >> transfer.amount;
  if (!ids_.insert(transfer.id).second) {
    ++twice_;
    return "twice";
  }
  if (balances_.at(transfer.from) < transfer.amount) return "poor";
  balances_.at(transfer.from) -= transfer.amount;
  balances_.at(transfer.to) += transfer.amount;
  check();
  return "done";
}

void BankMachine::claim(sched::Epoch epoch) {
  if (epoch <= epoch_) history_.violate("a claim that goes backwards");
  epoch_ = epoch;
}

void BankMachine::check() {
  if (std::accumulate(balances_.begin(), balances_.end(), std::int64_t{0}) !=
      kEach * std::int64_t{kAccounts}) {
    history_.violate("money was made or lost");
  }
  for (const auto balance : balances_) {
    if (balance < 0) history_.violate("an account below 0");
  }
}

std::string BankMachine::snapshot() const {
  std::ostringstream out;
  out << epoch_ << ' ' << applied_ << ' ' << twice_;
  for (const auto balance : balances_) out << ' ' << balance;
  out << ' ' << ids_.size();
  for (const auto id : ids_) out << ' ' << id;
  return out.str() + '\n' + std::string(padding_, 'x');
}

Result<void> BankMachine::restore(std::string_view bytes) {
  std::istringstream in{std::string(bytes)};
  std::size_t count = 0;
  in >> epoch_ >> applied_ >> twice_;
  for (auto& balance : balances_) in >> balance;
  in >> count;
  ids_.clear();
  for (std::uint64_t id = 0; count-- > 0 && in >> id;) ids_.insert(id);
  check();
  if (in) return {};
  return failure(ErrorKind::corrupt, "bank: not a snapshot of a bank");
}

}  // namespace dunlin::test
