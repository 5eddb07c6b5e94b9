// PEGTL's own check of a grammar: no rule can loop or recurse without taking a byte.
#include <doctest/doctest.h>

#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/rules.hpp"

namespace rules = netbatch::grammar::rules;

namespace tao::pegtl {

template <typename Name>
struct analyze_traits<Name, rules::literal_bytes> : analyze_any_traits<> {};

template <typename Name>
struct analyze_traits<Name, rules::word_end> : analyze_opt_traits<> {};

template <typename Name, typename Tag, typename Open, typename Inside, typename Close>
struct analyze_traits<Name, rules::enclosed<Tag, Open, Inside, Close>> : analyze_seq_traits<Open, Inside, Close> {};

}  // namespace tao::pegtl

TEST_CASE("the grammar always makes progress") { CHECK(tao::pegtl::analyze<rules::file>() == 0); }
