// Scripts in which a statement fails, and the runs of one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/compare/runner.hpp"

namespace netbatch::compare {

struct FaultCase {
  std::string name;
  std::string prepare;  // what exists before the run, as a script for ip
  std::string script;
};

// Each script of the suite with a refused statement at each place. `split`: what stands before a place chosen by chance
// exists before the run.
std::vector<FaultCase> suite_faults(bool split, uint64_t seed);

// Random scripts with wrong statements among the right ones. `split`: on what another random script has made.
std::vector<FaultCase> random_faults(bool split, uint64_t first_seed, size_t count);

// So many of the cases as a run of the tests takes time for, by chance; all of them with NETBATCH_FAULTS=all.
// NETBATCH_FAULT_SEED=7 makes another choice.
std::vector<FaultCase> chosen(std::vector<FaultCase> cases, size_t count);
uint64_t fault_seed();
bool all_faults();

// $NETBATCH, or the one that was built with this test, as `netbatch run MORE… {}`.
Tool netbatch_tool(const std::string& name, const std::vector<std::string>& more);

// One case run by several tools at once.
class FaultTrial {
 public:
  FaultTrial(const std::vector<Tool>& tools, FaultCase fault_case);
  const FaultCase& fault_case() const { return case_; }
  std::vector<Outcome> finish();

 private:
  FaultCase case_;
  std::vector<Run> runs_;
};

// What is to be said when the outcomes of a case are wrong.
using Judge = std::string (*)(const FaultCase&, const std::vector<Outcome>&);

// Runs all cases, several at a time. Fails the test for each that is judged wrong: the first few are shrunk.
void check_faults(const std::vector<Tool>& tools, const std::vector<FaultCase>& cases, Judge judge);

}  // namespace netbatch::compare
