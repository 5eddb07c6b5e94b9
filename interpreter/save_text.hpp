// What is saved, as words of the language.
#pragma once

#include <string>

#include "interpreter/save_state.hpp"

namespace netbatch {

// A text as one word, in quotes where it needs them. Bytes that no word can hold become `?`.
std::string word_of(std::string_view text);
// A link's name where a bare one stands: in quotes where a keyword or a prefix of one would be read instead.
std::string name_word(std::string_view name);
std::string mac_text(Bytes bytes);
std::string ip_text(Bytes bytes);
std::string scope_text(uint8_t scope);  // RT_SCOPE_*

// The options of a kind that differ from what a new link of it has, each with a blank before it.
std::string option_words(const Kind& kind, const Attributes& options, SavedNamespace& space);

// The statements that add what is not the kernel's own, each without a newline.
std::vector<std::string> address_statements(SavedNamespace& space);
std::vector<std::string> route_statements(SavedNamespace& space);
std::vector<std::string> neighbour_statements(SavedNamespace& space);

}  // namespace netbatch
