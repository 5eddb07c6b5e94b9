#include "grammar/suggest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using netbatch::grammar::suggest;

namespace {

const std::vector<std::string_view> kWords{"mtu", "master", "address", "alias", "txqueuelen", "type", "up", "down"};

}  // namespace

TEST_CASE("a typing mistake finds its keyword") {
  CHECK(suggest("mtuu", kWords) == "mtu");
  CHECK(suggest("mut", kWords) == "mtu");  // neighbours swapped
  CHECK(suggest("adress", kWords) == "address");
  CHECK(suggest("masteer", kWords) == "master");
  CHECK(suggest("tyep", kWords) == "type");
  CHECK(suggest("TXQUEUELEN", kWords) == "txqueuelen");
}

TEST_CASE("a word cut short is preferred to one that differs inside") {
  CHECK(suggest("tx", kWords) == "txqueuelen");
  CHECK(suggest("addr", std::vector<std::string_view>{"add", "address"}) == "address");
}

TEST_CASE("what is far from every candidate finds nothing") {
  CHECK(suggest("wlan0", kWords).empty());
  CHECK(suggest("x", kWords).empty());
  CHECK(suggest("", kWords).empty());
  CHECK(suggest("mtu", {}).empty());
  CHECK(suggest("ab", std::vector<std::string_view>{"cd"}).empty());
}

TEST_CASE("the nearest candidate wins, and the first of equals") {
  CHECK(suggest("br11", std::vector<std::string_view>{"br1", "br12", "br111"}) == "br111");
  CHECK(suggest("brx", std::vector<std::string_view>{"br1", "br2"}) == "br1");
}

TEST_CASE("words of any length are answered at once") {
  CHECK(suggest(std::string(1 << 20, 'a'), kWords).empty());
  const std::string huge(1 << 20, 'm');
  CHECK(suggest("mtu", std::vector<std::string_view>{huge, "mut"}) == "mut");
}
