// The texts that the tools are given. They are written line by line, never held in memory: a child's peak memory begins
// with that of the process it is spawned from.
#pragma once

#include <string>
#include <vector>

#include "row.hpp"

namespace netbatch::bench {

// One `ip -batch` of the very script that netbatch gets.
std::vector<Command> ip_add_pairs(const Case& of);
std::vector<Command> ip_delete_pairs(const Case& of);
std::vector<Command> ip_set(const Case& of);
std::vector<Command> ip_set_one(const Case& of);
// One for the host, then one `ip -n` for each namespace, and the bridges up last, which is ip's cheapest order.
std::vector<Command> ip_containers(const Case& of);
std::vector<Command> ip_placed_containers(const Case& of);

void script_add_pairs(const Case& of, const std::string& path);
void script_delete_pairs(const Case& of, const std::string& path);
void script_set(const Case& of, const std::string& path);
void script_set_one(const Case& of, const std::string& path);
// As people write it: the bridges up first, the peers made on the host, then moved and renamed.
void script_containers(const Case& of, const std::string& path);
// As an expert writes it: the peers made in their namespaces, with their names.
void script_placed_containers(const Case& of, const std::string& path);
// `units` lines of the kind of script_containers.
void script_lines(const Case& of, const std::string& path);

}  // namespace netbatch::bench
