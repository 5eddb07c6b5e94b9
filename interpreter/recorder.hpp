// Fills the undo log: sees each operation before it is sent, and reads the state of what it will change.
#pragma once

#include <tsl/robin_set.h>

#include "interpreter/stats.hpp"
#include "interpreter/undo_log.hpp"

namespace netbatch {

class Recorder {
 public:
  Recorder(Transport& transport, UndoLog& log, Stats& stats) : transport_(transport), log_(log), stats_(stats) {}

  struct Range {
    uint32_t first = 0;
    uint32_t last = 0;
  };

  // Notes an operation that is about to join the window. The entries belong to it: `settle` them when its outcome is
  // known.
  Range note(const Operation& operation, const Operations& owner);
  // Reads the states that the noted operations ask for; 0 or errno. Before the window is sent.
  int read_states();
  void settle(Range range, bool applied);
  // A namespace is about to be made or deleted; `settle_netns` when it was.
  Range note_netns(NsId ns, bool creates);
  void settle_netns(Range range, NsId ns, bool creates, bool applied);

 private:
  struct Key {
    NsId ns;
    std::string name;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<std::string>{}(key.name) ^ (key.ns * 0x9e3779b97f4a7c15u);
    }
  };
  using Keys = tsl::robin_set<Key, KeyHash>;
  struct Want {
    NsId ns;
    std::string name;
    size_t entry;  // the CreatedLink that stands only if there was no such link; SIZE_MAX: none
    bool deletes;
  };

  void note_link(const Operation& operation, const Operations& owner);
  void note_set(const Operation& operation, std::span<const Attr> attrs);
  void want(NsId ns, std::string_view name, bool deletes = false, size_t entry = SIZE_MAX);
  void want_family(NsId ns, bool routes);
  bool is_ours(NsId ns, std::string_view name) const;
  void keep(const Want& want, Message state);

  Transport& transport_;
  UndoLog& log_;
  Stats& stats_;
  Keys ours_;   // links that the run has made
  Keys known_;  // links whose state is in the log
  std::vector<bool> our_namespaces_;
  std::vector<Want> wants_;
  std::vector<std::pair<NsId, bool>> family_wants_;
};

}  // namespace netbatch
