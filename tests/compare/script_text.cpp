#include "tests/compare/script_text.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <regex>

namespace netbatch::compare {

namespace {

std::string canonical_mac(const std::string& text) {
  std::array<unsigned, 6> byte{};
  size_t at = 0;
  for (unsigned& value : byte) {
    size_t used = 0;
    value = static_cast<unsigned>(std::stoul(text.substr(at), &used, 16));
    at += used + 1;
  }
  return fmt::format("{:02x}", fmt::join(byte, ":"));
}

}  // namespace

Literals find_literals(std::string_view script) {
  static const std::regex mac(R"(\b[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}\b)");
  static const std::regex index(R"(\bindex[ \t]+([0-9]{1,9})\b)");
  const std::string text(script);
  const std::sregex_iterator end;
  Literals found;
  found.macs.insert("00:00:00:00:00:00");
  for (std::sregex_iterator match(text.begin(), text.end(), mac); match != end; ++match) {
    found.macs.insert(canonical_mac(match->str()));
  }
  for (std::sregex_iterator match(text.begin(), text.end(), index); match != end; ++match) {
    found.indexes.insert(std::stoi((*match)[1].str()));
  }
  return found;
}

std::string mac_of_eui64(const std::string& address) {
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return {};
  if (bytes[0] != 0xfe || bytes[1] != 0x80 || bytes[11] != 0xff || bytes[12] != 0xfe) return {};
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", bytes[8] ^ 2, bytes[9], bytes[10], bytes[13],
                     bytes[14], bytes[15]);
}

}  // namespace netbatch::compare
