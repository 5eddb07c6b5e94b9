// Words as values, with iproute2's reading of them. Pure: text in, value out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace netbatch {

enum class NumberError : uint8_t { None, NotANumber, TooLarge };

// A whole word as a number: strtoul's bases (0x…, 0… octal) when `base` is 0. A `+` may stand before it; a `-` only
// where read_signed is used.
NumberError read_unsigned(std::string_view word, uint64_t& number, int base = 0);
NumberError read_signed(std::string_view word, int64_t& number);

// A link-layer address of 1 to 32 bytes: hexadecimal bytes with `:` between them, leading zeros optional, or dotted
// like an IPv4 address (tunnels). Returns its length, 0 if it is none.
size_t read_mac(std::string_view word, std::span<uint8_t, 32> bytes);

struct IpAddress {
  uint8_t family = 0;  // AF_INET or AF_INET6
  std::array<uint8_t, 16> bytes{};
  uint8_t size() const;
  bool multicast() const;
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), size()}; }
};

// `family` AF_UNSPEC takes both. `10.8` is 10.8.0.0, as iproute2 has it (not 10.0.0.8).
bool read_ip(std::string_view word, uint8_t family, IpAddress& address);

struct IpPrefix {
  IpAddress address;  // family 0 when the word was `default`, `any` or `all` and no family is known
  uint8_t length = 0;
  bool length_given = false;
  bool everything = false;  // `default`, `any`, `all`
};

enum class PrefixError : uint8_t { None, Address, Length };

// ADDRESS, ADDRESS/LENGTH, ADDRESS/MASK (IPv4), `default`, `any` or `all`.
PrefixError read_prefix(std::string_view word, uint8_t family, IpPrefix& prefix);

}  // namespace netbatch
