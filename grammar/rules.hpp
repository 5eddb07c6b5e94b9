// The grammar of the language, from bytes up to the file.
//
// A raise<tag> is where text can be wrong, and messages.hpp has what is said then. No rule is tried again after an
// action of it has run: each alternative is decided by its first token.
#pragma once

#include <array>
#include <cstdint>
#include <tao/pegtl.hpp>

namespace netbatch::grammar::rules {

using namespace tao::pegtl;  // NOLINT: the rules read as a grammar

// Bytes ------------------------------------------------------------------------------------------------------------

enum ByteClass : uint8_t { kInWord, kBlank, kEnd, kDollar, kBackslash, kForbidden };

constexpr std::array<ByteClass, 256> make_byte_classes() {
  std::array<ByteClass, 256> classes{};
  for (int c = 0; c < 0x20; ++c) classes[c] = kForbidden;
  classes[0x7f] = kForbidden;
  for (unsigned char c : {' ', '\t', '\r'}) classes[c] = kBlank;
  for (unsigned char c : {'\n', ';', '{', '}'}) classes[c] = kEnd;
  classes['$'] = kDollar;
  classes['\\'] = kBackslash;
  return classes;
}
inline constexpr std::array<ByteClass, 256> kByteClasses = make_byte_classes();

inline ByteClass class_of(char c) { return kByteClasses[static_cast<uint8_t>(c)]; }

// `\` at the end of a line joins it with the next one, with nothing in between.
struct line_break : seq<opt<one<'\r'>>, sor<one<'\n'>, eof>> {};
struct splice : seq<one<'\\'>, line_break, sor<not_at<eof>, raise<struct continuation_missing>>> {};

// A run of bytes that mean themselves; a `\` that ends no line is one. By hand because it sees nearly every byte.
struct literal_bytes {
  using rule_t = literal_bytes;
  using subs_t = empty_list;

  static bool ends_line(const char* at, const char* end) {
    if (at != end && *at == '\r') ++at;
    return at == end || *at == '\n';
  }

  template <typename Input>
  static bool match(Input& in) {
    const char* const end = in.end();
    const char* at = in.current();
    while (at != end) {
      const ByteClass c = class_of(*at);
      if (c != kInWord && (c != kBackslash || ends_line(at + 1, end))) break;
      ++at;
    }
    const auto length = static_cast<std::size_t>(at - in.current());
    in.bump_in_this_line(length);
    return length > 0;
  }
};

// What must follow a word: nothing is consumed.
struct word_end {
  using rule_t = word_end;
  using subs_t = empty_list;

  template <typename Input>
  static bool match(Input& in) {
    if (in.empty()) return true;
    const ByteClass c = class_of(in.peek_char());
    return c == kBlank || c == kEnd;
  }
};

// Open, Inside, Close, where Open has been closed or else the error is at Open.
template <typename Tag, typename Open, typename Inside, typename Close>
struct enclosed {
  using rule_t = enclosed;
  using subs_t = type_list<Open, Inside, Close>;

  template <apply_mode A, rewind_mode M, template <typename...> class Action, template <typename...> class Control,
            typename Input, typename... States>
  static bool match(Input& in, States&&... states) {
    auto begin = in.template mark<rewind_mode::required>();
    if (!Control<Open>::template match<A, rewind_mode::required, Action, Control>(in, states...)) return false;
    const bool closed = Control<Inside>::template match<A, rewind_mode::required, Action, Control>(in, states...) &&
                        Control<Close>::template match<A, rewind_mode::required, Action, Control>(in, states...);
    if (!closed) {
      in.restart(begin);
      Control<Tag>::raise(in, states...);
    }
    return begin(closed);
  }
};

// Layout -----------------------------------------------------------------------------------------------------------

struct blanks : plus<sor<plus<one<' ', '\t', '\r'>>, splice>> {};
struct skip : opt<blanks> {};
struct nul : seq<at<one<'\0'>>, raise<struct nul_byte>> {};
struct comment : seq<one<'#'>, star<not_one<'\n', '\0'>>, opt<nul>> {};

// #line 12 "generator.py"
struct line_number : plus<digit> {};
struct line_file : plus<not_one<'"', '\n', '\0'>> {};
struct line_place
    : seq<line_number, opt<plus<blank>, one<'"'>, line_file, one<'"'>>, star<one<' ', '\t', '\r'>>, at<eolf>> {};
struct line_directive : seq<star<blank>, string<'#', 'l', 'i', 'n', 'e'>, plus<blank>, at<digit>,
                            sor<line_place, raise<struct line_malformed>>> {};

struct newline : seq<one<'\n'>, opt<line_directive>> {};
struct statement_end : sor<newline, one<';'>, at<one<'}'>>, eof, seq<comment, sor<newline, eof>>> {};

// Expressions ------------------------------------------------------------------------------------------------------

struct expression;
struct operand : sor<expression, raise<struct operand_expected>> {};

struct name : identifier {};
struct variable : name {};
struct hexadecimal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>, not_at<identifier_other>> {};
struct decimal : seq<plus<digit>, not_at<identifier_other>> {};
struct number : sor<hexadecimal, decimal, seq<at<digit>, raise<struct number_malformed>>> {};

struct text_bytes : star<not_one<'"', '$', '\n', '\0'>> {};
struct text_inside : seq<text_bytes, opt<at<one<'$'>>, raise<struct text_interpolates>>, opt<nul>> {};
struct text : enclosed<struct text_unterminated, one<'"'>, text_inside, one<'"'>> {};

struct open_call : seq<name, one<'('>> {};
struct close_call : one<')'> {};
struct argument : sor<text, expression> {};
struct next_argument : seq<skip, one<','>, skip, sor<argument, raise<struct argument_expected>>> {};
struct arguments : opt<argument, star<next_argument>> {};
struct call : seq<open_call, skip, arguments, skip, sor<close_call, raise<struct arguments_unclosed>>> {};

struct open_group : one<'('> {};
struct close_group : one<')'> {};
struct group : seq<open_group, skip, operand, skip, sor<close_group, raise<struct parenthesis_expected>>> {};

// `$n` and `${…}` are operands too, so that what is right inside a word is right here.
struct dollar_variable : sor<seq<one<'$'>, variable>, seq<at<one<'$'>>, raise<struct lone_dollar>>> {};
struct open_inner : string<'$', '{'> {};
struct close_inner : one<'}'> {};
struct inner : seq<open_inner, skip, operand, skip, sor<close_inner, raise<struct interpolation_unclosed>>> {};

struct minus_sign : one<'-'> {};
struct unary;
struct negation : seq<minus_sign, skip, sor<unary, raise<operand_expected>>> {};
struct unary : sor<number, call, variable, group, negation, inner, dollar_variable> {};

struct product_sign : one<'*', '/', '%'> {};
struct product_step : seq<product_sign, skip, sor<unary, raise<operand_expected>>> {};
struct product : seq<unary, star<skip, product_step>> {};

struct sum_sign : one<'+', '-'> {};
struct sum_step : seq<sum_sign, skip, sor<product, raise<operand_expected>>> {};
struct expression : seq<product, star<skip, sum_step>> {};

// Words ------------------------------------------------------------------------------------------------------------

struct format : star<not_one<'}', '\n', '\0'>> {};
struct interpolation : sor<seq<string<'$', '{'>, skip, operand, skip, opt<one<':'>, format>,
                               sor<one<'}'>, raise<interpolation_unclosed>>>,
                           seq<one<'$'>, variable>> {};
struct escaped_dollar : string<'$', '$'> {};
struct interpolated : sor<escaped_dollar, interpolation, seq<at<one<'$'>>, raise<lone_dollar>>> {};

struct literal : literal_bytes {};
struct control_character : ranges<'\x01', '\x08', '\x0b', '\x0c', '\x0e', '\x1f', '\x7f'> {};
struct forbidden : sor<nul, seq<at<control_character>, raise<struct control_byte>>> {};
struct piece : sor<literal, splice, interpolated, forbidden> {};

struct plain_word : seq<not_at<one<'#', '"', '\''>>, literal_bytes, word_end> {};
struct composed_word : seq<not_at<one<'#', '"', '\''>>, plus<piece>> {};

// In quotes, a splice is a `\` before a newline and every other byte means itself.
template <char... Special>
struct quoted_literal : plus<sor<not_one<'\\', '\n', '\0', Special...>, seq<one<'\\'>, not_at<line_break>>>> {};
struct single_literal : quoted_literal<'\''> {};
struct double_literal : quoted_literal<'"', '$'> {};
struct single_inside : star<sor<single_literal, splice, nul>> {};
struct double_inside : star<sor<double_literal, splice, interpolated, nul>> {};
struct quote_end : sor<at<star<splice>, word_end>, raise<struct quote_glued>> {};
struct single_quoted : enclosed<struct quote_unterminated, one<'\''>, single_inside, one<'\''>> {};
struct double_quoted : enclosed<quote_unterminated, one<'"'>, double_inside, one<'"'>> {};
struct quoted_word : seq<sor<double_quoted, single_quoted>, quote_end> {};

struct word : sor<plain_word, composed_word, quoted_word> {};

// Commands ---------------------------------------------------------------------------------------------------------

struct attribute_block;
struct attribute_line : sor<newline, one<';'>> {};
struct attributes : star<sor<blanks, word, attribute_block, attribute_line, comment>> {};
struct open_attributes : one<'{'> {};
struct close_attributes : one<'}'> {};
struct attribute_block : enclosed<struct block_unclosed, open_attributes, attributes, close_attributes> {};

struct command_words : star<sor<blanks, word, attribute_block>> {};
struct command : seq<word, command_words> {};

// Statements -------------------------------------------------------------------------------------------------------

template <char... Letters>
struct keyword : seq<string<Letters...>, word_end> {};

struct statement;
struct gap : sor<blanks, newline, one<';'>, comment> {};
struct open_body : one<'{'> {};
struct close_body : one<'}'> {};
struct body : seq<enclosed<block_unclosed, open_body, star<sor<gap, statement>>, close_body>, skip,
                  sor<statement_end, raise<struct block_followed>>> {};

// let n = 1000
struct quoted_value : quoted_word {};
struct expression_value : expression {};
struct nothing_there : at<sor<eolf, one<';', '}', '#'>>> {};
struct value : seq<not_at<nothing_there>, sor<quoted_value, expression_value, raise<operand_expected>>> {};
struct variable_word : name {};
struct let_word : keyword<'l', 'e', 't'> {};
struct let_words
    : seq<let_word, skip, sor<variable_word, raise<struct let_name_expected>>, skip,
          sor<one<'='>, raise<struct let_equals_expected>>, skip, sor<value, raise<struct let_value_expected>>> {};
struct let_statement : seq<let_words, skip, sor<statement_end, raise<struct let_followed>>> {};

// for i in 1..$n { … }: an unquoted `..` after an operand makes it a range, else it is a list of words. `a/../b` and
// `...` do not look like one.
struct range_dots : seq<sor<alnum, one<'_', ')', '}'>>, star<one<' ', '\t'>>, string<'.', '.'>, not_at<one<'.', '/'>>> {
};
struct quoted_ahead
    : sor<seq<one<'"'>, until<one<'"'>, not_one<'\n'>>>, seq<one<'\''>, until<one<'\''>, not_one<'\n'>>>> {};
struct head_byte : sor<string<'$', '{'>, quoted_ahead, not_one<'{', ';', '\n', '"', '\''>> {};
struct range_ahead : at<until<range_dots, head_byte>> {};
struct range_value : expression {};
struct range_values
    : seq<sor<range_value, raise<operand_expected>>, skip, sor<string<'.', '.'>, raise<struct range_dots_expected>>,
          skip, sor<range_value, raise<operand_expected>>> {};
struct list_values : plus<word, skip> {};
struct range_loop : seq<range_ahead, range_values> {};
struct list_loop : list_values {};
struct for_word : keyword<'f', 'o', 'r'> {};
struct for_head : seq<for_word, skip, sor<variable_word, raise<struct for_name_expected>>, skip,
                      sor<keyword<'i', 'n'>, raise<struct for_in_expected>>, skip,
                      sor<range_loop, list_loop, raise<struct for_values_expected>>, skip,
                      sor<at<one<'{'>>, raise<struct for_body_expected>>> {};
struct for_statement : seq<for_head, body> {};

// netns c1 { … }. Without the `{` it is a command: netns add c1.
struct netns_word : keyword<'n', 'e', 't', 'n', 's'> {};
struct netns_head : at<one<'{'>> {};
struct netns_command : command_words {};
struct netns_statement
    : seq<netns_word, skip, opt<word, skip>, sor<seq<netns_head, body>, seq<netns_command, statement_end>>> {};

struct include_word : keyword<'i', 'n', 'c', 'l', 'u', 'd', 'e'> {};
struct include_words : seq<include_word, skip, sor<word, raise<struct include_path_expected>>> {};
struct include_statement : seq<include_words, skip, sor<statement_end, raise<struct include_followed>>> {};

struct transaction_word : keyword<'t', 'r', 'a', 'n', 's', 'a', 'c', 't', 'i', 'o', 'n'> {};
struct transaction_statement : seq<transaction_word, skip, sor<body, raise<struct transaction_body_expected>>> {};

struct command_statement : seq<command, statement_end> {};
struct headless_block : seq<at<one<'{'>>, raise<struct block_headless>> {};
struct statement : sor<let_statement, for_statement, netns_statement, include_statement, transaction_statement,
                       command_statement, headless_block> {};

struct byte_order_mark : string<'\xef', '\xbb', '\xbf'> {};
struct file : seq<opt<byte_order_mark>, opt<line_directive>, star<sor<gap, statement>>,
                  sor<eof, raise<struct block_unopened>>> {};

}  // namespace netbatch::grammar::rules
