// The command line, as a program: exit statuses and what goes to stdout and stderr. Nothing here needs a privilege.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/support/sandbox.hpp"

using netbatch::test::shell;

namespace {

const std::string kBinary = NETBATCH_BINARY;

// A folder that is gone at the end; commands run in it.
class Folder {
 public:
  Folder() { REQUIRE(::mkdtemp(path_) != nullptr); }
  ~Folder() { shell(std::string("rm -rf ") + path_); }
  void write(const std::string& name, std::string_view text) { std::ofstream(path_ + ("/" + name)) << text; }
  // stdout and stderr of `netbatch ARGUMENTS`, and "[exit N]".
  std::string run(const std::string& arguments) {
    return shell("cd " + std::string(path_) + " && " + kBinary + " " + arguments);
  }
  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/netbatch-cli-XXXXXX";
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("command line: without a subcommand, or with an unknown one") {
  Folder folder;
  CHECK(contains(folder.run(""), "A subcommand is required"));
  CHECK(contains(folder.run(""), "[exit 2]"));
  CHECK(contains(folder.run("runn x.nb"), "[exit 2]"));
  CHECK(contains(folder.run("check"), "FILE is required"));
  CHECK(contains(folder.run("check"), "[exit 2]"));
  CHECK(contains(folder.run("check --no-such-option x.nb"), "[exit 2]"));
}

TEST_CASE("command line: --help") {
  Folder folder;
  const std::string help = folder.run("--help");
  for (const char* word : {"run", "check", "plan"}) CHECK(contains(help, word));
  CHECK_FALSE(contains(help, "[exit"));
}

TEST_CASE("command line: a file that is not there, or cannot be read") {
  Folder folder;
  CHECK(folder.run("check nowhere.nb") == "netbatch: cannot read 'nowhere.nb': No such file or directory\n[exit 2]\n");
  CHECK(folder.run("check .") == "netbatch: cannot read '.': Is a directory\n[exit 2]\n");
  CHECK(folder.run("run nowhere.nb") == "netbatch: cannot read 'nowhere.nb': No such file or directory\n[exit 2]\n");
  if (::geteuid() != 0) {
    folder.write("secret.nb", "link set lo up\n");
    shell("chmod 0 " + folder.path() + "/secret.nb");
    CHECK(folder.run("check secret.nb") == "netbatch: cannot read 'secret.nb': Permission denied\n[exit 2]\n");
  }
}

TEST_CASE("command line: a script from standard input") {
  Folder folder;
  CHECK(folder.run("check - <<'E'\nlink set w0 up\nE").empty());
  CHECK(folder.run("check - <<'E'\nlink set w0 upp\nE") ==
        "<stdin>:1:13: error: unknown option 'upp' of 'link set'\n"
        "    1 | link set w0 upp\n"
        "      |             ^~~\n"
        "   did you mean 'up'?\n"
        "[exit 2]\n");
}

TEST_CASE("command line: an empty script is done") {
  Folder folder;
  folder.write("empty.nb", "");
  folder.write("comment.nb", "#!/usr/bin/env -S netbatch run\n# nothing\n");
  for (const char* command : {"check empty.nb", "run empty.nb", "check comment.nb", "run comment.nb"}) {
    CAPTURE(command);
    CHECK(folder.run(command).empty());
  }
}

TEST_CASE("command line: plan prints the plan, and nothing else") {
  Folder folder;
  CHECK(folder.run("plan - <<'E' 2>&1 >/dev/null\nlink add w0 type dummy\nlink set w0 up\nE").empty());
  CHECK(folder.run("plan - <<'E'\nlink add w0 type dummy\nlink set w0 up\nE") ==
        "group 1: 1 request\n"
        "  link add w0 up type dummy   <- 1 2\n"
        "2 statements in 1 request\n");
  CHECK(folder.run("plan --no-plan - <<'E'\nlink add w0 type dummy\nlink set w0 up\nE") ==
        "group 1: 2 requests\n"
        "  link add w0 type dummy\n"
        "  link set w0 up\n"
        "2 statements in 2 requests\n");
}

TEST_CASE("command line: plan says what a rollback could not take back") {
  Folder folder;
  CHECK(folder.run("plan - <<'E'\nlink add w0 type dummy\nlink del w0\nlink del w1\nE") ==
        "group 1: 2 requests\n"
        "  link add w0 type dummy\n"
        "  link del 2 links by group   <- 2 3\n"
        "3 statements in 2 requests\n"
        "what a rollback cannot take back:\n"
        "  <stdin>:3: link del w1\n"
        "    it is made again with new counters and learned state, without its tc settings and forwarding entries\n");
}

TEST_CASE("command line: what cannot be printed") {
  Folder folder;
  folder.write("one.nb", "link set lo up\n");
  CHECK(folder.run("plan one.nb >/dev/full") ==
        "netbatch: the standard output could not be written: No space left on device\n[exit 1]\n");
  CHECK(folder.run("check nothing.nb 2>/dev/full") == "[exit 2]\n");
}

TEST_CASE("command line: --sync is about the journal") {
  Folder folder;
  folder.write("one.nb", "link set lo up\n");
  CHECK(folder.run("run --sync one.nb") ==
        "--sync requires --journal\nRun with --help for more information.\n[exit 2]\n");
}

TEST_CASE("command line: many errors in one go") {
  Folder folder;
  std::string script;
  for (int i = 0; i < 20; ++i) script += "link set w0 mtu x\n";
  folder.write("twenty.nb", script);
  folder.write("more.nb", script + "link set w0 mtu x\n");
  const std::string twenty = folder.run("check twenty.nb");
  size_t errors = 0;
  for (size_t at = twenty.find(": error: "); at != twenty.npos; at = twenty.find(": error: ", at + 1)) ++errors;
  CHECK(errors == 20);
  CHECK_FALSE(contains(twenty, "more"));
  CHECK(contains(folder.run("check more.nb"), "there are more errors\n[exit 2]\n"));
}

TEST_CASE("command line: an error in a loop is shown once, with the loop") {
  Folder folder;
  folder.write("loop.nb", "for i in 1..1000 {\n  link set v$i mtu x\n}\n");
  CHECK(folder.run("check loop.nb") ==
        "loop.nb:2:20: error: 'mtu' needs a number, found 'x'\n"
        "    2 |   link set v$i mtu x\n"
        "      |                    ^\n"
        "   in the loop at loop.nb:1 with i = 1\n"
        "[exit 2]\n");
}

TEST_CASE("command line: -D") {
  Folder folder;
  folder.write("n.nb", "let n = 3\nlink set v$n up\n");
  CHECK(contains(folder.run("plan -D n=7 n.nb"), "link set v7 up"));
  CHECK(contains(folder.run("plan n.nb -D n=7"), "link set v7 up"));
  CHECK(folder.run("check -D n n.nb") == "netbatch: -D needs NAME=VALUE, found 'n'\n[exit 2]\n");
  CHECK(folder.run("check -D =3 n.nb") == "netbatch: -D needs NAME=VALUE, found '=3'\n[exit 2]\n");
  CHECK(folder.run("check -D m=7 n.nb") ==
        "<command line>:1:4: error: the script has no 'let m' outside of blocks\n"
        "    1 | -D m=7\n"
        "      |    ^\n"
        "[exit 2]\n");
}

TEST_CASE("command line: --window takes a number") {
  Folder folder;
  for (const char* window : {"abc", "-1", "1x", "''"}) {
    CAPTURE(window);
    const std::string text = folder.run(std::string("run --window ") + window + " - </dev/null");
    CHECK(contains(text, "--window"));
    CHECK(contains(text, "[exit 2]"));
  }
  CHECK(folder.run("run --window 0 - </dev/null").empty());
  CHECK(folder.run("run --window 1 - </dev/null").empty());
}

TEST_CASE("command line: --on-error takes a policy") {
  Folder folder;
  CHECK(contains(folder.run("run --on-error never - </dev/null"), "[exit 2]"));
  for (const char* policy : {"stop", "continue"})
    CHECK(folder.run(std::string("run --on-error ") + policy + " - </dev/null").empty());
}

TEST_CASE("command line: check and plan need no privilege") {
  if (::geteuid() != 0) return;
  CHECK(shell("setpriv --reuid 65534 --regid 65534 --clear-groups " + kBinary +
              " check - <<'E'\nlink add w0 type dummy\n-n lab link set w0 up\nnetns add x\nE")
            .empty());
}
