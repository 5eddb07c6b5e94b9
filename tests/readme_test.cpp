// What README shows works: its ```nb blocks are scripts, its ```sh blocks commands to be given in the source directory
// with netbatch in PATH. All of them run one after the other in one sandbox. An ```nb error block fails; the ```text
// block after it is what running it as topology.nb prints.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/sandbox.hpp"

namespace netbatch::test {
namespace {

struct Block {
  std::string language;
  int line = 0;
  std::string text;
  std::string output;  // that README shows, of a script that fails
};

std::vector<Block> read_blocks() {
  std::ifstream readme(NETBATCH_SOURCE_DIR "/README.md");
  std::vector<Block> blocks;
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(readme, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), number, "", ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  for (size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].language == "text") blocks[i - 1].output = blocks[i].text;
  }
  return blocks;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// A directory that is gone at the end.
class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "netbatch-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string run(const Block& block, const std::string& directory) {
  const std::string script = directory + "/topology.nb";
  if (block.language != "sh") {
    write(script, block.text);
    return shell(fmt::format("cd {} && {} run topology.nb", directory, NETBATCH_BINARY));
  }
  write(script, "set -e\n" + block.text);
  const std::string binaries = std::filesystem::path(NETBATCH_BINARY).parent_path();
  return shell(fmt::format("cd {} && PATH={}:$PATH sh {}", NETBATCH_SOURCE_DIR, binaries, script));
}

bool installs(const Block& block) { return block.text.find("apt-get") != std::string::npos; }

}  // namespace

TEST_CASE("README: every script passes check") {
  const Directory directory;
  int scripts = 0;
  for (const Block& block : read_blocks()) {
    if (block.language != "nb") continue;
    CAPTURE(block.line);
    write(directory.path() + "/topology.nb", block.text);
    CHECK(shell(fmt::format("{} check {}/topology.nb", NETBATCH_BINARY, directory.path())) == "");
    ++scripts;
  }
  CHECK(scripts >= 3);
}

TEST_CASE("README: scripts and commands do what is said") {
  in_sandbox({"veth", "bridge"}, [] {
    const Directory directory;
    int errors = 0;
    for (const Block& block : read_blocks()) {
      CAPTURE(block.line);
      if (block.language == "nb error") {
        const std::string output = run(block, directory.path());
        CHECK(output.substr(0, output.find("[exit")) == block.output);
        CHECK(output.ends_with("[exit 1]\n"));
        ++errors;
      } else if (block.language == "nb") {
        CHECK(run(block, directory.path()) == "");
      } else if (block.language == "sh" && !installs(block)) {
        const std::string output = run(block, directory.path());
        CHECK_MESSAGE(output.find("[exit") == std::string::npos, output);
      }
    }
    CHECK(errors >= 1);
  });
}

TEST_CASE("README: the two set-up commands name the same packages") {
  std::vector<std::string> packages;
  for (const Block& block : read_blocks()) {
    const size_t begin = block.text.find("apt-get install");
    if (begin != std::string::npos) packages.push_back(block.text.substr(begin, block.text.find("&&", begin) - begin));
  }
  REQUIRE(packages.size() == 2);
  CHECK(packages[0] == packages[1]);
}

}  // namespace netbatch::test
