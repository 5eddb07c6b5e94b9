// A plan in the making: groups and requests that still grow, and which statement (or which part of it) each carries
// out. `finish` turns it into a Plan.
#pragma once

#include "interpreter/plan.hpp"
#include "interpreter/tracker.hpp"

namespace netbatch {

// Which end of a veth pair a source sets, in the request that creates the pair.
enum class End : uint8_t { Main, Peer };

// Which part of a statement a request carries out: IFF_UP may be put off.
enum class Part : uint8_t { All, WithoutUp, OnlyUp };

struct DraftRequest {
  uint32_t group = 0;
  uint32_t next = kNone;  // in the group
  NsId ns = 0;
  RequestKind kind = RequestKind::Plain;
  // For fusing: the highest order number so far and the options seen, for each end.
  uint8_t order[2] = {0, 0};
  uint64_t seen[2] = {0, 0};
  bool closed = false;    // nothing more may be fused into it
  std::string_view name;  // OnlyUp: the link
};

class Draft {
 public:
  explicit Draft(const Operations& operations) : operations_(operations) {}

  void reserve(size_t operations) {
    requests_.reserve(operations);
    sources_.reserve(operations);
  }
  uint32_t add_group(NsId ns);
  uint32_t add_request(uint32_t group, NsId ns);
  void add_source(uint32_t request, uint32_t operation, End end, Part part);
  void add_absent(uint32_t request, AbsentName name) { absent_.push_back({request, name}); }

  DraftRequest& request(uint32_t id) { return requests_[id]; }
  uint32_t group_count() const { return static_cast<uint32_t>(groups_.size()); }
  uint32_t request_count() const { return static_cast<uint32_t>(requests_.size()); }
  uint32_t tail(uint32_t group) const { return groups_[group].tail; }
  NsId group_ns(uint32_t group) const { return groups_[group].ns; }
  Time time(uint32_t request) const { return make_time(requests_[request].group, request); }

  Plan finish();

 private:
  struct DraftGroup {
    NsId ns;
    uint32_t head = kNone;
    uint32_t tail = kNone;
    uint32_t count = 0;
  };
  struct Source {
    uint32_t request;
    uint32_t operation;
    End end;
    Part part;
  };
  struct Absent {
    uint32_t request;
    AbsentName name;
  };
  void merge(const DraftRequest& draft, std::span<const Source> sources, Plan& plan);
  void take(const Source& source, bool base, Operation& merged, std::vector<Attr> (&attrs)[2]);

  const Operations& operations_;
  std::vector<DraftGroup> groups_{{0}};  // group 0 is "never": see Time
  std::vector<DraftRequest> requests_;
  std::vector<Source> sources_;
  std::vector<Absent> absent_;
};

}  // namespace netbatch
