// A file that says how to take a run back, written ahead of each window: after `kill -9` or a crash `netbatch undo`
// restores from it.
#pragma once

#include <set>
#include <string>

#include "interpreter/undo_log.hpp"
#include "interpreter/undo_sink.hpp"
#include "netlink/descriptor.hpp"

namespace netbatch {

// A record: its length and a checksum of what follows (each 4 bytes), its kind, its fields. All in host byte order: a
// journal is for the machine, and the boot, that it was written on.
enum class RecordKind : uint8_t { Entry, Family, Restart, UndoneStructure, Undone };

class Journal : public UndoSink {
 public:
  explicit Journal(const Namespaces& namespaces) : namespaces_(namespaces) {}

  // Makes the file, which must not exist: an old journal is never overwritten. `sync`: each record reaches the disk
  // before the kernel is asked (fdatasync). 0 or errno.
  int create(const std::string& path, bool sync);
  // Goes on writing to an existing one, for the progress of an undo.
  int reopen(const std::string& path);

  int write_ahead(const UndoLog& log, size_t first) override;
  int restart() override;
  int undone_structure(size_t from) override;
  int undone() override;

  // The run ended well, or all of it was taken back: there is nothing to undo any more.
  void remove();
  const std::string& path() const { return path_; }

 private:
  int write(std::string_view records);
  int mark(RecordKind kind, size_t from = 0);

  const Namespaces& namespaces_;
  std::string path_;
  netlink::Descriptor file_;
  bool sync_ = false;
  std::set<std::pair<NsId, uint8_t>> written_;  // families of this log, and what of them statements are about
};

struct JournalContents {
  UndoLogs logs;       // to be taken back from the last one on
  std::string error;   // why nothing of it can be used; empty: it can
  std::string damage;  // what is wrong with its end; the logs hold what comes before
};

// Reads a journal. Namespaces that it names are interned.
void read_journal(const std::string& path, Namespaces& namespaces, JournalContents& contents);

}  // namespace netbatch
