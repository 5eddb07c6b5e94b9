// The scripts of the suite, and which kinds of links this kernel has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/compare/runner.hpp"

namespace netbatch::compare {

struct Script {
  std::string name;
  std::string text;
};

// All *.batch files of a directory, by name. Throws when there are none.
std::vector<Script> read_scripts(const std::string& directory);

// Does the kernel have the link kind (or "vlan_filtering")? Asked once, in a sandbox.
bool kernel_has(const std::string& kind);

// The words of a first line "# needs: vlan dummy" that the kernel does not have.
std::vector<std::string> missing_needs(std::string_view script);

// The ways to run a script: `ip -batch`, netbatch without planning and with it. netbatch is $NETBATCH, or the one that
// was built with this test. `more` are words after `run`.
std::vector<Tool> tools(const std::vector<std::string>& more = {});

}  // namespace netbatch::compare
