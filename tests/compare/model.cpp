#include "tests/compare/model.hpp"

#include <algorithm>

namespace netbatch::compare {

Link& Model::add(const std::string& name, const std::string& kind, int ns) {
  links_.push_back({});
  Link& link = links_.back();
  link.name = name;
  link.kind = kind;
  link.ns = ns;
  return link;
}

void Model::remove(Link& link) {
  std::vector<Link*> gone{&link};
  for (size_t next = 0; next < gone.size(); ++next) {
    for (Link& other : links_) {
      if (other.master == gone[next]) other.master = nullptr;
      const bool follows = other.peer == gone[next] || other.lower == gone[next];
      if (follows && std::find(gone.begin(), gone.end(), &other) == gone.end()) gone.push_back(&other);
    }
  }
  links_.remove_if([&](const Link& other) { return std::find(gone.begin(), gone.end(), &other) != gone.end(); });
}

void Model::move(Link& link, int ns) {
  if (link.ns == ns) return;
  set_up(link, false);
  link.ns = ns;
  link.master = nullptr;
  link.addresses.clear();
}

void Model::set_up(Link& link, bool up) {
  if (link.up == up) return;
  link.up = up;
  if (!up) std::erase_if(link.addresses, [](const std::string& address) { return address.find("fd") == 0; });
}

void Model::set_mtu(Link& link, int mtu) {
  link.mtu = mtu;
  if (mtu < 1280) std::erase_if(link.addresses, [](const std::string& address) { return address.find("fd") == 0; });
  for (Link& other : links_) {
    if (other.lower == &link && other.mtu > mtu) set_mtu(other, mtu);
  }
}

bool Model::name_free(const std::string& name, int ns) const {
  return std::none_of(links_.begin(), links_.end(),
                      [&](const Link& link) { return link.ns == ns && link.name == name; });
}

bool Model::has_upper(const Link& link) const {
  return std::any_of(links_.begin(), links_.end(), [&](const Link& other) { return other.lower == &link; });
}

int Model::port_count(const Link& bridge) const {
  return static_cast<int>(
      std::count_if(links_.begin(), links_.end(), [&](const Link& other) { return other.master == &bridge; }));
}

bool Model::closed(int ns) const {
  return std::all_of(links_.begin(), links_.end(), [&](const Link& link) {
    const bool inside = link.ns == ns;
    return (link.peer == nullptr || (link.peer->ns == ns) == inside) &&
           (link.lower == nullptr || (link.lower->ns == ns) == inside);
  });
}

void Model::set_ns(int ns, bool exists) {
  exists_[static_cast<size_t>(ns)] = exists;
  links_.remove_if([&](const Link& link) { return link.ns == ns; });
}

}  // namespace netbatch::compare
