#include "compile.hpp"
#include "floor.hpp"
#include "row.hpp"
#include "scripts.hpp"
#include "verify.hpp"

namespace netbatch::bench {

namespace {
constexpr unsigned kChecked = mask(kPlanned);
constexpr unsigned kSizes = mask(kPlanned) | mask(kFloor);
}  // namespace

const SubjectKind kSubjectKinds[kSubjects] = {
    {"ip -batch", false, {}},
    {"netbatch --no-plan", true, {"--no-plan"}},
    {"netbatch", true, {}},
    {"floor", false, {}},
    {"netbatch --on-error=continue", true, {"--on-error=continue"}},
    {"netbatch --journal", true, {"--journal", "{}/journal"}},
    {"netbatch, rolled back", true, {}},
    {"read, expand and plan a loop", false, {}},
    {"read, expand and plan the same, a line each", false, {}},
};

// clang-format off
const std::vector<Row> kRows = {
    {"add", "add named veth pairs",
     {5000, 0}, {50, 0}, kAll | kPolicies | mask(kFailing), 1, "run",
     nullptr, ip_add_pairs, script_add_pairs, floor_add_pairs, verify_pairs, verify_no_links},
    {"delete", "delete them by name",
     {5000, 300}, {50, 10}, kAll, 1, "run",
     make_pairs, ip_delete_pairs, script_delete_pairs, floor_delete_pairs, verify_deleted_pairs},
    {"set", "set mtu, alias and up of each, a line each",
     {5000, 0}, {50, 0}, kAll | kPolicies, 1, "run",
     make_pairs, ip_set, script_set, floor_set, verify_set},
    {"containers", "containers, as people write them",
     {1000, 0}, {10, 0}, kAll, 1, "run",
     nullptr, ip_containers, script_containers, floor_containers, verify_containers},
    {"placed", "containers, as an expert writes them",
     {1000, 0}, {10, 0}, kAll, 1, "run",
     nullptr, ip_placed_containers, script_placed_containers, floor_containers, verify_containers},
    {"containers-500", "containers, few",
     {500, 0}, {5, 0}, kSizes, 1, "run",
     nullptr, ip_containers, script_containers, floor_containers, verify_containers},
    {"containers-2500", "containers, many",
     {2500, 0}, {25, 0}, kSizes, 1, "run",
     nullptr, ip_containers, script_containers, floor_containers, verify_containers},
    {"host-10", "one set on a host with 10 links",
     {10, 0}, {10, 0}, mask(kIp) | kNetbatch, 41, "run",
     make_host, ip_set_one, script_set_one, nullptr, verify_set_one},
    {"host-10000", "one set on a host with 10,000 links",
     {10000, 0}, {100, 0}, mask(kIp) | kNetbatch, 41, "run",
     make_host, ip_set_one, script_set_one, nullptr, verify_set_one},
    {"check", "check a script, lines",
     {1000000, 0}, {1000, 0}, kChecked, 1, "check",
     nullptr, nullptr, script_lines, nullptr, verify_check},
    {"expand", "expand and plan veth pairs",
     {1000000, 0}, {1000, 0}, kCompiled, 1, nullptr,
     nullptr, nullptr, nullptr, nullptr, verify_no_links, nullptr, compile_loop, compile_lines},
};
// clang-format on

}  // namespace netbatch::bench
