// Fills the undo log: sees each operation before it is sent, and reads the state of what it will change.
#pragma once

#include <tsl/robin_set.h>

#include <set>

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
    NsId ns = 0;
    std::string name;
    // The CreatedLink that stands only if there was no such link, or a DeletedLink; SIZE_MAX: none.
    size_t entry = SIZE_MAX;
    uint32_t with_upper = 0;   // and the links on top of it, if its MTU is above this
    bool raises = false;       // it is set up
    bool with_master = false;  // and the link that it is a port of
  };
  // What a name will mean when the window has been sent up to here, against what it means before.
  struct Origin {
    enum class Is : uint8_t { Link, Free, Ours } is = Is::Link;  // Free: whatever had it has gone
    Key key;                                                     // Link: the name that it has before
    bool may_be_taken = false;  // Ours: unless another link has the name, which has not been read
  };

  void note_link(const Operation& operation, const Operations& owner);
  void note_add(const Operation& operation, const Operations& owner);
  void note_delete(const Operation& operation, std::span<const Attr> attrs);
  void note_set(const Operation& operation, std::span<const Attr> attrs);
  void note_new_place(const Operation& operation, std::span<const Attr> attrs, bool ours);
  void want(Want want);
  void want_if_taken(NsId ns, std::string_view name);
  void want_family(NsId ns, uint8_t touched);
  Origin origin(NsId ns, std::string_view name) const;
  bool is_ours(NsId ns, std::string_view name) const;
  bool is_our_namespace(NsId ns) const { return ns < our_namespaces_.size() && our_namespaces_[ns]; }
  std::vector<std::string> group_members(const Operation& operation, std::span<const Attr> attrs);
  int read_families();
  int read_links();
  int read_by_index(std::span<const Want> wants, std::vector<Message>& found);
  int read_related();
  void read_far_uppers();
  int read_masters();
  int read_peers();
  void add_related(NsId ns, const std::vector<Message>& links, std::set<int>& below, bool all);
  void keep(const Want& want, const Message& state);
  void add_state(NsId ns, const Message& state);

  Transport& transport_;
  UndoLog& log_;
  Stats& stats_;
  Keys ours_;                                    // links that the run has made
  Keys known_;                                   // links whose state is in the log
  Keys arrived_;                                 // of those, the ones that the run has moved there
  std::set<std::pair<NsId, int>> known_states_;  // likewise, by index
  std::vector<bool> our_namespaces_;
  std::map<std::pair<NsId, std::string>, Origin> origins_;  // of the window; without those that have not changed
  bool deletes_ = false;  // the window deletes a link that was there: any name may have become free with it
  std::vector<Want> wants_;
  std::map<NsId, std::set<int>> deleted_;                    // indexes of what the window deletes
  std::map<NsId, std::set<std::pair<int, int>>> far_peers_;  // of those: namespace number and index
  std::map<NsId, std::set<int>> lower_;                      // and of what may take the links on top along
  std::map<NsId, std::set<int>> masters_;                    // what the window may change by changing a port
  std::map<NsId, std::set<int>> raised_;                     // of what earlier windows have set up
  std::set<NsId> without_upper_;  // has no link that stands on another, but for what the run makes
  std::vector<std::pair<NsId, uint8_t>> family_wants_;  // with FamilyState::touched
};

}  // namespace netbatch
