// What a journal says after an undo that came half-way.
#include "interpreter/journal.hpp"

#include <doctest/doctest.h>
#include <linux/rtnetlink.h>
#include <unistd.h>

#include <cstdlib>

using namespace netbatch;

TEST_CASE("journal: namespaces are still to delete when the links are taken back") {
  char path[] = "/tmp/netbatch-journal-XXXXXX";
  REQUIRE(::mkdtemp(path) != nullptr);
  const std::string file = std::string(path) + "/j";
  Namespaces namespaces;
  const NsId c1 = namespaces.intern("c1");
  UndoLog log;
  log.add(UndoKind::CreatedNetns, c1, {});
  log.add(UndoKind::CreatedLink, 0, "v1", c1, "eth0");
  log.states.emplace_back(sizeof(ifinfomsg));
  log.add(UndoKind::LinkState, 0, "lo");

  Journal journal(namespaces);
  REQUIRE(journal.create(file, false) == 0);
  CHECK(journal.write_ahead(log, 0) == 0);
  auto applied = [&] {
    Namespaces read;
    JournalContents contents;
    read_journal(file, read, contents);
    REQUIRE(contents.error + contents.damage == "");
    std::string text;
    for (const UndoLog& each : contents.logs)
      for (const UndoEntry& entry : each.entries) text += entry.applied ? '1' : '0';
    return text;
  };
  CHECK(applied() == "111");
  CHECK(journal.undone_structure(0) == 0);
  CHECK(applied() == "101");
  CHECK(journal.undone() == 0);
  CHECK(applied() == "");
  journal.remove();
  ::rmdir(path);
}
