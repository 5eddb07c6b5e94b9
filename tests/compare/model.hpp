// What the generator knows of the links that its script has made so far.
#pragma once

#include <list>
#include <set>
#include <string>
#include <vector>

namespace netbatch::compare {

struct Link {
  std::string name;
  std::string kind;
  int ns = 0;
  Link* peer = nullptr;    // veth
  Link* lower = nullptr;   // macvlan, vlan
  Link* master = nullptr;  // a bridge of the same namespace
  int mtu = 1500;
  int group = 0;
  bool up = false;
  std::vector<std::string> addresses;

  // The link-local address is made by `up` itself, not when the kernel comes to handle a carrier change; or it is not
  // compared (bridge).
  bool carrier_at_once() const { return kind == "vxlan" || kind == "dummy" || kind == "bridge"; }
};

class Model {
 public:
  Model() : names_{"", "c1", "c2"}, exists_{true, false, false} {}

  Link& add(const std::string& name, const std::string& kind, int ns);
  void remove(Link& link);  // with its peer and what stands on it
  void move(Link& link, int ns);
  void set_up(Link& link, bool up);
  void set_mtu(Link& link, int mtu);

  bool name_free(const std::string& name, int ns) const;
  bool has_upper(const Link& link) const;
  int port_count(const Link& bridge) const;
  // The namespace may be deleted: nothing in it has its other end outside, which would linger.
  bool closed(int ns) const;

  std::list<Link>& links() { return links_; }
  const std::string& ns_name(int ns) const { return names_[static_cast<size_t>(ns)]; }
  bool ns_exists(int ns) const { return exists_[static_cast<size_t>(ns)]; }
  void set_ns(int ns, bool exists);

 private:
  std::list<Link> links_;
  std::vector<std::string> names_;
  std::vector<bool> exists_;
};

}  // namespace netbatch::compare
