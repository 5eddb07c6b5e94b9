#include "interpreter/free_names.hpp"

#include <doctest/doctest.h>

#include "tests/support/fake_transport.hpp"

using netbatch::FreeNames;
using netbatch::test::FakeTransport;

TEST_CASE("free names: the lowest that are free, one listing for all") {
  FakeTransport transport;
  for (const char* name : {"veth0", "veth2", "veth3", "veth01", "veth5x", "vet1", "xveth1", "lo"})
    transport.links[{0, name}] = {1, 0};
  FreeNames names;
  CHECK(names.take(transport, 0, 0, "veth") == "veth1");
  CHECK(names.take(transport, 0, 0, "veth") == "veth4");
  CHECK(names.take(transport, 0, 0, "veth") == "veth5");
  CHECK(transport.log == "list\n");
}

TEST_CASE("free names: by namespace and by prefix") {
  FakeTransport transport;
  transport.links[{0, "dummy0"}] = {1, 0};
  FreeNames names;
  CHECK(names.take(transport, 0, 0, "dummy") == "dummy1");
  CHECK(names.take(transport, 0, 0, "veth") == "veth0");
  CHECK(names.take(transport, 1, 1, "dummy") == "dummy0");
}

TEST_CASE("free names: asked again after something that may free names") {
  FakeTransport transport;
  FreeNames names;
  CHECK(names.take(transport, 0, 0, "ifb") == "ifb0");
  names.forget();
  CHECK(names.take(transport, 0, 0, "ifb") == "ifb0");
  CHECK(transport.log == "list\nlist\n");
}

TEST_CASE("free names: hostile numbers take neither time nor memory") {
  FakeTransport transport;
  for (const char* name : {"veth99999999999", "veth4294967295", "veth18446744073709551616", "veth-1", "veth"})
    transport.links[{0, name}] = {1, 0};
  FreeNames names;
  CHECK(names.take(transport, 0, 0, "veth") == "veth0");
}
