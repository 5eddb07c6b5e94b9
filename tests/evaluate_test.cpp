#include "interpreter/evaluate.hpp"

#include <doctest/doctest.h>

#include "tests/support/expansion.hpp"

using netbatch::address_plus;
using netbatch::mac_plus;
using netbatch::test::expand;

namespace {

std::string value(const std::string& expression) {
  std::string text = expand("say ${" + expression + "}\n");
  if (text.starts_with("say ")) return text.substr(4, text.size() - 5);
  return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("evaluate: arithmetic") {
  CHECK(value("1 + 2 * 3") == "7");
  CHECK(value("(1 + 2) * 3") == "9");
  CHECK(value("10 - 3 - 2") == "5");
  CHECK(value("7 / 2") == "3");
  CHECK(value("-7 / 2") == "-3");
  CHECK(value("7 % 4") == "3");
  CHECK(value("-7 % 4") == "-3");
  CHECK(value("-(2 + 3)") == "-5");
  CHECK(value("2 - -3") == "5");
  CHECK(value("0x10") == "16");
  CHECK(value("9223372036854775807") == "9223372036854775807");
  CHECK(value("-9223372036854775807 - 1") == "-9223372036854775808");
}

TEST_CASE("evaluate: what does not fit in 64 bits, and division by zero") {
  CHECK(value("9223372036854775807 + 1") == "test.nb:1:27: error: 9223372036854775807 + 1 does not fit in 64 bits");
  CHECK(value("0 - 9223372036854775807 - 2") ==
        "test.nb:1:31: error: -9223372036854775807 - 2 does not fit in 64 bits");
  CHECK(value("4611686018427387904 * 2") == "test.nb:1:27: error: 4611686018427387904 * 2 does not fit in 64 bits");
  CHECK(value("(0 - 9223372036854775807 - 1) / -1") ==
        "test.nb:1:37: error: -9223372036854775808 / -1 does not fit in 64 bits");
  CHECK(value("(0 - 9223372036854775807 - 1) % -1") ==
        "test.nb:1:37: error: -9223372036854775808 % -1 does not fit in 64 bits");
  CHECK(value("5 / 0") == "test.nb:1:9: error: 5 / 0: division by zero");
  CHECK(value("5 % (3 - 3)") == "test.nb:1:9: error: 5 % 0: division by zero");
}

TEST_CASE("evaluate: formats") {
  CHECK(value("255:x") == "ff");
  CHECK(value("255:04x") == "00ff");
  CHECK(value("255:X") == "FF");
  CHECK(value("8:o") == "10");
  CHECK(value("5:b") == "101");
  CHECK(value("7:3") == "  7");
  CHECK(value("7:03d") == "007");
  CHECK(value("-7:04d") == "-007");
  CHECK(expand("say ${7:04q}\n") ==
        "test.nb:1:5: error: '04q' is not a format\n"
        "    1 | say ${7:04q}\n"
        "      |     ^~~~~~~~\n"
        "   a format is a width and one of d, x, X, o, b, such as 04x\n");
  CHECK(expand("say ${7:65d}\n").starts_with("test.nb:1:5: error: '65d' is not a format\n"));
}

TEST_CASE("evaluate: text is not calculated with") {
  CHECK(expand("let h = \"web\"\nsay ${h + 1}\n") ==
        "test.nb:2:9: error: cannot calculate with the text 'web'\n"
        "    2 | say ${h + 1}\n"
        "      |         ^\n");
  CHECK(expand("let h = \"web\"\nsay ${h:04x}\n") ==
        "test.nb:2:5: error: '04x' formats numbers, found the text 'web'\n"
        "    2 | say ${h:04x}\n"
        "      |     ^~~~~~~~\n");
}

TEST_CASE("evaluate: names and functions that there are not") {
  CHECK(expand("let count = 3\nsay $cuont\n") ==
        "test.nb:2:6: error: no variable named 'cuont'\n"
        "    2 | say $cuont\n"
        "      |      ^~~~~\n"
        "   did you mean 'count'?\n");
  CHECK(expand("say ${ip(1, 2)}\n") ==
        "test.nb:1:7: error: no function named 'ip'\n"
        "    1 | say ${ip(1, 2)}\n"
        "      |       ^~\n"
        "   there are mac(base, n) and addr(base, n)\n");
  CHECK(value("mac(\"02:00:00:00:00:00\")") == "test.nb:1:7: error: 'mac' takes a base and a number, found 1 argument");
  CHECK(value("addr(1, \"10.0.0.0\")") == "test.nb:1:7: error: 'addr' takes a text and then a number");
}

TEST_CASE("evaluate: mac") {
  CHECK(mac_plus("02:00:00:00:00:00", 0) == "02:00:00:00:00:00");
  CHECK(mac_plus("02:00:00:00:00:ff", 1) == "02:00:00:00:01:00");
  CHECK(mac_plus("02:00:00:00:01:00", -1) == "02:00:00:00:00:ff");
  CHECK(mac_plus("2:0:0:0:0:A", 1) == "02:00:00:00:00:0b");
  CHECK(mac_plus("ff:ff:ff:ff:ff:ff", 0) == "ff:ff:ff:ff:ff:ff");
  CHECK_FALSE(mac_plus("ff:ff:ff:ff:ff:ff", 1));
  CHECK_FALSE(mac_plus("00:00:00:00:00:00", -1));
  CHECK_FALSE(mac_plus("00:00:00:00:00:01", INT64_MIN));
  CHECK_FALSE(mac_plus("00:00:00:00:00:01", INT64_MAX));
  for (const char* bad : {"", "02:00:00:00:00", "02:00:00:00:00:00:00", "02:00:00:00:00:0g", "020000000000",
                          " 02:00:00:00:00:00", "+2:00:00:00:00:00", "02: 0:00:00:00:00", "02:00:00:00:00:"}) {
    CAPTURE(bad);
    CHECK_FALSE(mac_plus(bad, 0));
  }
  CHECK(value("mac(\"ff:ff:ff:ff:ff:ff\", 1)") ==
        "test.nb:1:7: error: ff:ff:ff:ff:ff:ff + 1 is beyond the last MAC address");
  CHECK(value("mac(\"00:00:00:00:00:00\", -1)") ==
        "test.nb:1:7: error: 00:00:00:00:00:00 - 1 is before the first MAC address");
  CHECK(value("mac(\"eth0\", 1)") == "test.nb:1:7: error: 'eth0' is not a MAC address");
}

TEST_CASE("evaluate: addr") {
  CHECK(address_plus("10.0.0.0", 257) == "10.0.1.1");
  CHECK(address_plus("10.0.1.0", -1) == "10.0.0.255");
  CHECK(address_plus("fd00::ffff", 1) == "fd00::1:0");
  CHECK(address_plus("fd00::", INT64_MAX) == "fd00::7fff:ffff:ffff:ffff");
  CHECK_FALSE(address_plus("255.255.255.255", 1));
  CHECK_FALSE(address_plus("0.0.0.0", -1));
  CHECK_FALSE(address_plus("10.0.0.0", int64_t{1} << 32));
  CHECK_FALSE(address_plus("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 1));
  CHECK_FALSE(address_plus("10.0.0", 0));
  CHECK_FALSE(address_plus("10.0.0.0/8", 1));
  CHECK(value("addr(\"10.0.0.1/8\", 1)") == "test.nb:1:7: error: '10.0.0.1/8' is not an IP address");
}
