#include <arpa/inet.h>

#include <array>
#include <charconv>

#include "interpreter/evaluate.hpp"

namespace netbatch {
namespace {

// Adds to a number of `bytes` big-endian bytes; false when it leaves the range.
bool add(uint8_t* number, size_t bytes, int64_t n) {
  const bool negative = n < 0;
  auto left = static_cast<uint64_t>(negative ? -(n + 1) : n) + (negative ? 1 : 0);
  int carry = 0;
  for (size_t i = bytes; i-- > 0;) {
    const int digit = static_cast<int>(left & 0xff);
    left >>= 8;
    const int sum = number[i] + (negative ? -digit : digit) + carry;
    number[i] = static_cast<uint8_t>(sum & 0xff);
    carry = sum < 0 ? -1 : sum > 0xff ? 1 : 0;
  }
  return carry == 0 && left == 0;
}

// Six bytes in hexadecimal; leading zeros may be left out.
bool read_mac(std::string_view text, std::array<uint8_t, 6>& mac) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (uint8_t& byte : mac) {
    if (&byte != &mac.front() && (at == end || *at++ != ':')) return false;
    const auto [stop, error] = std::from_chars(at, end, byte, 16);
    if (error != std::errc{}) return false;
    at = stop;
  }
  return at == end;
}

}  // namespace

std::optional<std::string> mac_plus(std::string_view base, int64_t n) {
  std::array<uint8_t, 6> mac{};
  if (!read_mac(base, mac)) return {};
  if (!add(mac.data(), mac.size(), n)) return {};
  char result[18];
  std::snprintf(result, sizeof result, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
  return result;
}

std::optional<std::string> address_plus(std::string_view base, int64_t n) {
  const std::string text(base);
  std::array<uint8_t, 16> address{};
  const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(family, text.c_str(), address.data()) != 1) return {};
  if (!add(address.data(), family == AF_INET ? 4 : 16, n)) return {};
  char result[INET6_ADDRSTRLEN];
  return inet_ntop(family, address.data(), result, sizeof result);
}

}  // namespace netbatch
