#include "interpreter/name_cache.hpp"

#include <doctest/doctest.h>

using netbatch::NameCache;

TEST_CASE("name cache: what was inserted is found, by namespace and name") {
  NameCache cache;
  CHECK(cache.find(0, "v") == 0);
  cache.insert(0, "v", 7);
  cache.insert(1, "v", 8);
  CHECK(cache.find(0, "v") == 7);
  CHECK(cache.find(1, "v") == 8);
  CHECK(cache.find(2, "v") == 0);
  CHECK(cache.find(0, "vv") == 0);
  cache.insert(0, "v", 9);
  CHECK(cache.find(0, "v") == 9);
}

TEST_CASE("name cache: an add or a rename drops one name") {
  NameCache cache;
  cache.insert(0, "a", 1);
  cache.insert(0, "b", 2);
  cache.insert(1, "a", 3);
  cache.drop(0, "a");
  cache.drop(0, "unknown");
  CHECK(cache.find(0, "a") == 0);
  CHECK(cache.find(0, "b") == 2);
  CHECK(cache.find(1, "a") == 3);
  cache.insert(0, "a", 4);
  CHECK(cache.find(0, "a") == 4);
}

TEST_CASE("name cache: a delete drops all, in every namespace") {
  NameCache cache;
  cache.insert(0, "a", 1);
  cache.insert(1, "b", 2);
  cache.drop_all();
  CHECK(cache.find(0, "a") == 0);
  CHECK(cache.find(1, "b") == 0);
  cache.insert(0, "a", 3);
  CHECK(cache.find(0, "a") == 3);
  CHECK(cache.find(1, "b") == 0);
}
