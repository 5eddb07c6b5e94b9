#include "interpreter/value.hpp"

#include <arpa/inet.h>

#include <bit>
#include <cstring>

namespace netbatch {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

bool read_ip4(std::string_view word, std::array<uint8_t, 16>& bytes) {
  for (int i = 0; i < 4; ++i) {
    const size_t dot = word.find('.');
    uint64_t number = 0;
    if (read_unsigned(word.substr(0, dot), number) != NumberError::None || number > 255) return false;
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(number);
    if (dot == std::string_view::npos) return true;
    word.remove_prefix(dot + 1);
  }
  return false;
}

bool read_ip6(std::string_view word, std::array<uint8_t, 16>& bytes) {
  char text[INET6_ADDRSTRLEN];
  if (word.size() >= sizeof text) return false;
  std::memcpy(text, word.data(), word.size());
  text[word.size()] = '\0';
  return inet_pton(AF_INET6, text, bytes.data()) == 1;
}

// The length that a netmask like 255.255.0.0 stands for; false if its bits are not in one run.
bool mask_length(std::string_view word, uint8_t& length) {
  std::array<uint8_t, 16> bytes{};
  if (!read_ip4(word, bytes)) return false;
  const uint32_t mask = uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
  const uint32_t host = ~mask;
  if ((host & (host + 1)) != 0) return false;
  length = static_cast<uint8_t>(std::popcount(mask));
  return true;
}

bool read_length(std::string_view word, uint8_t bits, uint8_t& length) {
  uint64_t number = 0;
  if (read_unsigned(word, number) == NumberError::None) {
    length = static_cast<uint8_t>(number);
    return number <= bits;
  }
  return mask_length(word, length) && length <= bits;
}

}  // namespace

NumberError read_unsigned(std::string_view word, uint64_t& number, int base) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const bool hexadecimal = word.size() > 2 && word[0] == '0' && (word[1] | 0x20) == 'x';
  if (hexadecimal && (base == 0 || base == 16)) {
    base = 16;
    word.remove_prefix(2);
  }
  if (base == 0) base = word.size() > 1 && word[0] == '0' ? 8 : 10;
  if (word.empty()) return NumberError::NotANumber;
  uint64_t value = 0;
  bool too_large = false;
  for (const char c : word) {
    const int d = digit(c);
    if (d >= base) return NumberError::NotANumber;
    too_large |= __builtin_mul_overflow(value, static_cast<uint64_t>(base), &value) ||
                 __builtin_add_overflow(value, static_cast<uint64_t>(d), &value);
  }
  if (too_large) return NumberError::TooLarge;
  number = value;
  return NumberError::None;
}

NumberError read_signed(std::string_view word, int64_t& number) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  if (negative && word.starts_with('+')) return NumberError::NotANumber;
  uint64_t value = 0;
  const NumberError error = read_unsigned(word, value);
  if (error != NumberError::None) return error;
  if (value > static_cast<uint64_t>(INT64_MAX)) return NumberError::TooLarge;
  number = negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  return NumberError::None;
}

size_t read_mac(std::string_view word, std::span<uint8_t, 32> bytes) {
  if (word.find('.') != std::string_view::npos) {
    IpAddress address;
    if (!read_ip(word, AF_INET, address)) return 0;
    std::memcpy(bytes.data(), address.bytes.data(), 4);
    return 4;
  }
  for (size_t count = 0; count < bytes.size(); ++count) {
    const size_t colon = word.find(':');
    uint64_t number = 0;
    if (read_unsigned(word.substr(0, colon), number, 16) != NumberError::None || number > 255) return 0;
    bytes[count] = static_cast<uint8_t>(number);
    if (colon == std::string_view::npos) return count + 1;
    word.remove_prefix(colon + 1);
  }
  return 0;
}

uint8_t IpAddress::size() const { return family == AF_INET6 ? 16 : family == AF_INET ? 4 : 0; }

bool IpAddress::multicast() const { return family == AF_INET6 ? bytes[0] == 0xff : (bytes[0] & 0xf0) == 0xe0; }

bool read_ip(std::string_view word, uint8_t family, IpAddress& address) {
  const bool ip6 = word.find(':') != std::string_view::npos;
  address.family = ip6 ? AF_INET6 : AF_INET;
  if (family != AF_UNSPEC && family != address.family) return false;
  address.bytes = {};
  return ip6 ? read_ip6(word, address.bytes) : read_ip4(word, address.bytes);
}

PrefixError read_prefix(std::string_view word, uint8_t family, IpPrefix& prefix) {
  const size_t slash = word.find('/');
  const std::string_view address = word.substr(0, slash);
  if (address == "default" || address == "any" || address == "all") {
    prefix = {};
    prefix.address.family = family;
    prefix.everything = true;
    return slash == std::string_view::npos ? PrefixError::None : PrefixError::Length;
  }
  if (!read_ip(address, family, prefix.address)) return PrefixError::Address;
  const auto bits = static_cast<uint8_t>(prefix.address.size() * 8);
  prefix.length = bits;
  prefix.everything = false;
  prefix.length_given = slash != std::string_view::npos;
  if (!prefix.length_given) return PrefixError::None;
  return read_length(word.substr(slash + 1), bits, prefix.length) ? PrefixError::None : PrefixError::Length;
}

}  // namespace netbatch
