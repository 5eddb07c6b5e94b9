// Groups, fuses, places and orders operations. Pure: the same operations give the same plan.
#pragma once

#include "interpreter/plan.hpp"

namespace netbatch {

struct PlannerOptions {
  bool plain = false;          // --no-plan: one request per operation, in script order
  bool defer_deletes = false;  // as far as nothing later needs the name or what goes with it
  // For each NsId the first NsId that is the same namespace, as far as is known before the run; empty: all differ.
  std::vector<NsId> same_as{};
};

// Of the operations [first, last) of the list.
Plan make_plan(const Operations& operations, uint32_t first, uint32_t last, const Namespaces& namespaces,
               const PlannerOptions& options);
// Of all.
Plan make_plan(const Operations& operations, const Namespaces& namespaces, const PlannerOptions& options);

}  // namespace netbatch
