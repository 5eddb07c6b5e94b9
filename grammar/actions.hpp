// Which call of the Builder each rule makes when it has matched. Rules that are not here make none.
#pragma once

#include <string_view>

#include "grammar/builder.hpp"
#include "grammar/rules.hpp"

namespace netbatch::grammar {

template <typename Rule>
struct action : tao::pegtl::nothing<Rule> {};

// The usual action: hand what the rule has matched to a member function of the Builder.
template <auto Member>
struct hand_over {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    (builder.*Member)({in.begin(), in.size()});
  }
};

template <auto Member>
struct call_only {
  static void apply0(Builder& builder) { (builder.*Member)(); }
};

template <TokenKind Kind>
struct emit_operand {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    builder.operand(Kind, {in.begin(), in.size()});
  }
};

template <StatementKind Kind>
struct add_statement {
  static void apply0(Builder& builder) { builder.statement(Kind); }
};

// clang-format off
template <> struct action<rules::line_number> : hand_over<&Builder::line_number> {};
template <> struct action<rules::line_file> : hand_over<&Builder::line_file> {};
template <> struct action<rules::line_place> : call_only<&Builder::line_directive> {};

template <> struct action<rules::variable> : emit_operand<TokenKind::Name> {};
template <> struct action<rules::text_bytes> : emit_operand<TokenKind::Text> {};
template <> struct action<rules::decimal> : hand_over<&Builder::decimal> {};
template <> struct action<rules::hexadecimal> : hand_over<&Builder::hexadecimal> {};
template <> struct action<rules::open_call> : hand_over<&Builder::begin_call> {};
template <> struct action<rules::argument> : hand_over<&Builder::end_argument> {};
template <> struct action<rules::close_call> : call_only<&Builder::end_call> {};
template <> struct action<rules::open_group> : hand_over<&Builder::begin_operation> {};
template <> struct action<rules::close_group> : call_only<&Builder::end_group> {};
template <> struct action<rules::open_inner> : hand_over<&Builder::begin_operation> {};
template <> struct action<rules::close_inner> : call_only<&Builder::end_group> {};
template <> struct action<rules::minus_sign> : hand_over<&Builder::begin_operation> {};
template <> struct action<rules::negation> : call_only<&Builder::end_negation> {};
template <> struct action<rules::product_sign> : hand_over<&Builder::begin_operation> {};
template <> struct action<rules::product_step> : call_only<&Builder::end_binary> {};
template <> struct action<rules::sum_sign> : hand_over<&Builder::begin_operation> {};
template <> struct action<rules::sum_step> : call_only<&Builder::end_binary> {};

template <> struct action<rules::literal> : hand_over<&Builder::literal> {};
template <> struct action<rules::single_literal> : hand_over<&Builder::literal> {};
template <> struct action<rules::double_literal> : hand_over<&Builder::literal> {};
template <> struct action<rules::escaped_dollar> : hand_over<&Builder::escaped_dollar> {};
template <> struct action<rules::format> : hand_over<&Builder::format> {};
template <> struct action<rules::interpolation> : hand_over<&Builder::interpolation> {};
template <> struct action<rules::plain_word> : hand_over<&Builder::plain_word> {};
template <> struct action<rules::composed_word> : call_only<&Builder::composed_word> {};
template <> struct action<rules::single_quoted> : hand_over<&Builder::quoted_word> {};
template <> struct action<rules::double_quoted> : hand_over<&Builder::quoted_word> {};
template <> struct action<rules::variable_word> : hand_over<&Builder::plain_word> {};
template <> struct action<rules::netns_word> : hand_over<&Builder::netns_keyword> {};
template <> struct action<rules::expression_value> : hand_over<&Builder::expression_word> {};
template <> struct action<rules::range_value> : hand_over<&Builder::expression_word> {};

template <> struct action<rules::open_attributes> : hand_over<&Builder::open_attributes> {};
template <> struct action<rules::close_attributes> : hand_over<&Builder::close_attributes> {};
template <> struct action<rules::attribute_line> : hand_over<&Builder::attribute_line> {};
template <> struct action<rules::command> : call_only<&Builder::command> {};

template <> struct action<rules::open_body> : hand_over<&Builder::open_body> {};
template <> struct action<rules::close_body> : call_only<&Builder::close_body> {};
template <> struct action<rules::let_word> : hand_over<&Builder::keyword> {};
template <> struct action<rules::for_word> : hand_over<&Builder::keyword> {};
template <> struct action<rules::include_word> : hand_over<&Builder::keyword> {};
template <> struct action<rules::let_words> : add_statement<StatementKind::Let> {};
template <> struct action<rules::range_loop> : add_statement<StatementKind::ForRange> {};
template <> struct action<rules::list_loop> : add_statement<StatementKind::ForList> {};
template <> struct action<rules::netns_head> : hand_over<&Builder::netns_head> {};
template <> struct action<rules::netns_command> : call_only<&Builder::command> {};
template <> struct action<rules::include_words> : add_statement<StatementKind::Include> {};
template <> struct action<rules::transaction_word> : hand_over<&Builder::transaction> {};
// clang-format on

}  // namespace netbatch::grammar
