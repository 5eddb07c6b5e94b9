// The end state of a script as text lines that two runs can be compared by: no indexes, random addresses or timers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace netbatch::compare {

// Sorted lines, one fact each: "c1/eth0: mtu = 1400". The namespace that the script ran in is "main".
using State = std::vector<std::string>;

// `namespaces` is what dump_namespaces() (dump.hpp) made. What only chance decides is replaced or left out, unless the
// script names it: MAC addresses stay when they stand in `script`, indexes when it gives them with `index N`.
State normalise(const nlohmann::json& namespaces, std::string_view script);

// Lines of `expected` only begin with "- ", those of `actual` only with "+ ". Empty when the states are equal.
std::string difference(const State& expected, const State& actual);

}  // namespace netbatch::compare
