// How each operation ended. Success is only ever written on the kernel's word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/encode.hpp"

namespace netbatch {

enum class Outcome : uint8_t {
  Pending,
  Done,
  Failed,
  Lost,
  RolledBack,  // done, and then taken back
};

struct Failure {
  uint32_t operation = 0;  // index in script order
  Outcome outcome = Outcome::Failed;
  int error = 0;       // errno
  std::string text;    // the kernel's own sentence, or the step that failed; may be empty
  Span span;           // the operand at fault, or the statement
  EncodeError encode;  // when the request could not be made
};

struct Outcomes {
  std::vector<Outcome> of;        // by operation
  std::vector<Failure> failures;  // in the order of the script
  int signal = 0;                 // the signal that ended the run
  bool rolled_back = false;
  size_t undone = 0;                      // operations that were taken back
  std::vector<std::string> not_restored;  // what could not be taken back, a sentence each
  bool restored_all = false;              // but for what no undo can restore
};

}  // namespace netbatch
