#include "grammar/suggest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace netbatch::grammar {
namespace {

// Keywords and names are short; what is longer than this is no typing mistake for one of them.
constexpr size_t kLongest = 48;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

// Damerau-Levenshtein: insertions, deletions, substitutions, and swaps of neighbours cost 1 each.
size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<size_t, kLongest + 1>, 3> rows{};
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    const auto& two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return prefix.size() <= text.size() && std::equal(prefix.begin(), prefix.end(), text.begin(), same);
}

}  // namespace

std::string_view suggest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongest) return {};
  const size_t allowed = word.size() / 3 + 1;
  std::string_view best;
  size_t best_cost = 2 * allowed + 1;  // in half edits
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongest) continue;
    // A word that was only cut short is likelier than one that differs inside. One letter alone says nothing.
    const bool cut = word.size() > 1 && starts_with(candidate, word);
    const size_t edits = distance(word, candidate);
    if (!cut && (edits > allowed || edits >= std::max(word.size(), candidate.size()))) continue;
    const size_t cost = cut ? 1 : 2 * edits;
    if (cost < best_cost) {
      best_cost = cost;
      best = candidate;
    }
  }
  return best;
}

}  // namespace netbatch::grammar
