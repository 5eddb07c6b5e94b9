// Takes back what an undo log says was done, newest first.
#pragma once

#include <algorithm>
#include <cstring>

#include "interpreter/exchange.hpp"
#include "interpreter/family_state.hpp"
#include "interpreter/link_state.hpp"
#include "interpreter/undo_log.hpp"
#include "interpreter/undo_sink.hpp"

namespace netbatch {

class Undo {
 public:
  Undo(Transport& transport, const Namespaces& namespaces, Stats& stats)
      : transport_(transport), namespaces_(namespaces), exchange_(transport, stats), buffer_(128 * 1024) {}

  // Takes back all entries, and forgets them. Returns what is not as it was, a sentence each. The sink, if any, is told
  // of the progress, so that an undo that is killed can be done again.
  std::vector<std::string> run(UndoLog& log, UndoSink* sink = nullptr);
  // Logs of one run, from the last one on; the list is empty afterwards.
  std::vector<std::string> run(UndoLogs& logs, UndoSink* sink = nullptr);
  // Whether the last log has been taken back but for what no undo can restore, such as counters.
  bool complete() const { return complete_; }

 private:
  using Place = std::pair<NsId, std::string>;
  using Former = std::pair<NsId, int>;  // a link by the index that it had
  using StatesLeft = std::map<Former, const Message*>;
  struct Corrected {
    size_t sent = 0;
    size_t failed = 0;
    int error = 0;
  };

  void structure(const UndoLog& log, UndoSink* sink);
  void created_link(const UndoEntry& entry);
  void free_name(const UndoEntry& entry);
  void delete_links();
  void move_back(const UndoEntry& entry);
  bool make_where_found(const UndoEntry& entry, const UndoLog& log);
  void make_again(NsId ns, const Message& was, const UndoLog& log);
  Place place_now(const UndoEntry& state, const UndoLog& log) const;
  Peer peer_of(NsId ns, const Message& was, const UndoLog& log);
  void restore_links(const UndoLog& log);
  void restore_link(NsId ns, const Message& was, const UndoLog& log);
  void read_late_families(const UndoLog& log);
  void restore_families(const std::map<NsId, FamilyState>& families);
  Corrected correct_families(NsId ns, const FamilyState& was, bool addresses_are_back);
  int correct_link(NsId ns, const Message& was, const std::string& name, bool port_options);
  int restore_names(NsId ns, int index, const Message& was, const Message& now);
  int send(NsId ns);
  bool is_of_run(NsId ns, std::string_view name) const;
  void restore_netns(NsId ns);
  void delete_netns(NsId ns);
  void problem(std::string text, bool may_be_tried_again = true) {
    complete_ = complete_ && !may_be_tried_again;
    if (std::find(problems_.begin(), problems_.end(), text) == problems_.end()) problems_.push_back(std::move(text));
  }
  std::string where(NsId ns) const;

  Transport& transport_;
  const Namespaces& namespaces_;
  Exchange exchange_;
  netlink::MessageBuffer buffer_;
  std::vector<std::string> problems_;
  bool complete_ = true;
  const UndoLogs* logs_ = nullptr;  // all of the run's, while they are taken back
  std::map<Place, Place> moved_;    // where a link of ours has gone
  std::set<Place> lost_;            // of links that were moved there and deleted
  std::map<NsId, std::vector<std::string>> to_delete_;
  std::vector<NsId> netns_to_delete_;
  std::vector<bool> our_namespaces_;
  std::set<Former> found_;                 // links that the run found: never deleted
  std::map<NsId, std::set<int>> touched_;  // indexes, as they are now
  std::map<NsId, FamilyState> late_families_;
  std::map<NsId, std::map<int, int>> index_;  // former → present
};

}  // namespace netbatch
