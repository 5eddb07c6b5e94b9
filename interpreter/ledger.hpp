// What is known of links and namespaces while a script's statements are settled in order: what the kernel shows, and
// what the statements so far have made of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "interpreter/present_link.hpp"
#include "interpreter/settle.hpp"

namespace netbatch {

enum class Standing : uint8_t {
  Present,  // as the kernel shows it, or not there
  Made,     // by the script
  Changed,  // was there, and the script has changed it in some way
  Gone,
};

struct KnownLink {
  Standing standing = Standing::Present;
  Message message;                               // empty: the kernel has no such link
  const Kind* kind = nullptr;                    // Made
  KnownLink* peer = nullptr;                     // Made
  std::set<std::string, std::less<>> new_names;  // alternative ones that the script has added …
  std::set<std::string, std::less<>> old_names;  // … and deleted
  std::map<std::string, bool> touched;           // addresses that the script has changed: whether they are there now
  bool touched_all = false;                      // flushed
  bool moved = false;                            // from another namespace: it has left its addresses, perhaps its index

  bool was_there() const { return !message.empty() && standing != Standing::Made; }
};

class Ledger {
 public:
  Ledger(const Namespaces& namespaces, StateReader& reader);

  // Reads many at once; what is not read by then is read when it is asked for.
  void read(NsId ns, std::span<const std::string_view> names);
  // Lives as long as the ledger.
  KnownLink& link(NsId ns, std::string_view name);
  bool exists(NsId ns, std::string_view name);
  void erase(KnownLink& link, NsId ns);
  // All that is known in the namespace.
  std::vector<KnownLink*> links_in(NsId ns);
  // The index that the name has now; 0 when that is not known before the run.
  int index(NsId ns, std::string_view name);

  bool has_netns(NsId ns);
  void set_netns(NsId ns, bool exists);
  // Whether the script has made it.
  bool is_new(NsId ns) const;
  bool touches_link_with(NsId ns, int index);

  // What a dump of the namespace lists; read once.
  const std::vector<Message>& dump(NsId ns, uint16_t type);
  // Routes and neighbours that the script has changed: whether they are there now.
  std::map<std::string, bool>& touched(NsId ns, Object object) { return touched_[{key(ns), object}]; }
  // errno of the first read that failed, and where.
  int error() const { return error_; }
  NsId error_ns() const { return error_ns_; }

 private:
  uint64_t key(NsId ns) const;
  void fail(int error, NsId ns);

  StateReader& reader_;
  std::vector<uint64_t> keys_;  // by NsId
  std::vector<std::optional<bool>> netns_;
  std::vector<bool> made_;
  std::vector<bool> readable_;
  std::unordered_map<uint64_t, std::unordered_map<std::string, KnownLink>> links_;
  std::map<std::pair<uint64_t, uint16_t>, std::vector<Message>> dumps_;
  std::map<std::pair<uint64_t, Object>, std::map<std::string, bool>> touched_;
  std::vector<std::pair<uint64_t, int>> gone_;  // links that were there: namespace and index
  int error_ = 0;
  NsId error_ns_ = 0;
};

}  // namespace netbatch
