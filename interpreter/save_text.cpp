#include "interpreter/save_text.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "interpreter/link.hpp"

namespace netbatch {
namespace {

bool plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("_.:/+@,=-").find(c) != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  if (text.find('\'') == std::string_view::npos) return fmt::format("'{}'", text);
  std::string word = "\"";
  for (const char c : text) {
    if (c == '$') word += '$';
    word += c == '"' ? '?' : c;
  }
  return word + '"';
}

}  // namespace

std::string word_of(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return quoted(shown);
}

std::string name_word(std::string_view name) {
  const bool keyword =
      link_table().find(name) != nullptr || name == "dev" || std::string_view("help").starts_with(name);
  return keyword ? quoted(name) : word_of(name);
}

std::string mac_text(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : ":", static_cast<uint8_t>(byte));
  return text;
}

std::string ip_text(Bytes bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  if (bytes.size() == 4 || bytes.size() == 16)
    inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::string scope_text(uint8_t scope) {
  return scope == RT_SCOPE_UNIVERSE ? "global"
         : scope == RT_SCOPE_LINK   ? "link"
         : scope == RT_SCOPE_HOST   ? "host"
                                    : std::to_string(scope);
}

}  // namespace netbatch
