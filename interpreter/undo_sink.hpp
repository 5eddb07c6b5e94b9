#pragma once

#include <cstddef>

namespace netbatch {

struct UndoLog;

// Is told what can be undone before it is done, and what has been undone. Each call returns 0 or errno.
class UndoSink {
 public:
  virtual ~UndoSink() = default;
  // The log has grown from entry `first` on, and perhaps by families.
  virtual int write_ahead(const UndoLog& log, size_t first) = 0;
  // Another log begins, on top of those before: entry 0 is its first one.
  virtual int restart() = 0;
  // Of the entries from `from` on, those about what exists and its name are taken back; states are not yet, nor are the
  // namespaces that the run made deleted.
  virtual int undone_structure(size_t from) = 0;
  // All of the log is taken back: the one below it is next.
  virtual int undone() = 0;
};

}  // namespace netbatch
