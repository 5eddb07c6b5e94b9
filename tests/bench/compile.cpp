#include "compile.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "interpreter/keep_memory.hpp"
#include "interpreter/planner.hpp"
#include "interpreter/program.hpp"
#include "interpreter/provision.hpp"

namespace netbatch::bench {

namespace {

void compile(const std::string& text, size_t statements) {
  keep_freed_memory();
  Program program({});
  if (!program.load("script.nb", text)) throw std::runtime_error("the script is wrong");
  Operations operations;
  size_t requests = 0;
  do {
    operations.clear();
    program.next(operations, Provision::kPiece);
    requests += make_plan(operations, program.namespaces, {.defer_deletes = true}).requests.size();
  } while (!operations.list.empty());
  if (requests != statements) throw std::runtime_error(fmt::format("{} requests are planned", requests));
}

}  // namespace

std::function<void()> compile_loop(const Case& of) {
  return [text = fmt::format("for i in 1..{} {{\n    link add a$i type veth peer name b$i\n}}\n", of.units),
          count = of.units] { compile(text, count); };
}

std::function<void()> compile_lines(const Case& of) {
  std::string text;
  for (size_t i = 1; i <= of.units; ++i)
    fmt::format_to(std::back_inserter(text), "link add a{} type veth peer name b{}\n", i, i);
  return [text = std::move(text), count = of.units] { compile(text, count); };
}

}  // namespace netbatch::bench
