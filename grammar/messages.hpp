// What is said about each thing that can be wrong with the form of a script: one row each. The tags are named where
// rules.hpp and actions.hpp raise them; a tag without a row here, or with two, does not compile.
#pragma once

#include <string_view>
#include <tuple>

namespace netbatch::grammar {

// What of the text at the error the caret marks.
enum class Mark : unsigned char {
  Byte,   // one byte, or what the rule hands over
  Token,  // a name, a number or a sign; the message goes on with ", found ..."
  Word,   // all up to the next blank; the message goes on with ", found ..."
};

struct Message {
  std::string_view text;
  Mark mark = Mark::Byte;
  std::string_view hint{};  // a note below the caret, empty if there is nothing to add
};

template <typename Tag>
struct Row {
  Message message;
};

namespace rules {

inline constexpr std::tuple messages{
    // Bytes and words
    Row<struct nul_byte>{{"a NUL byte cannot stand in a script", Mark::Byte, "is this a text file?"}},
    Row<struct control_byte>{{"expected a word: control characters stand in quotes and comments only", Mark::Token,
                              "if it belongs to a word, put the word in quotes"}},
    Row<struct quote_unterminated>{{"unterminated quote: it has to be closed on this line", Mark::Byte,
                                    "end a line with '\\' to continue the text on the next one"}},
    Row<struct quote_glued>{{"expected a blank after the closing quote", Mark::Word,
                             "quotes go around a whole word: \"a b$n\", not \"a b\"$n"}},
    Row<struct lone_dollar>{{"expected a name or '{' after '$'", Mark::Byte, "write '$$' for a dollar sign"}},
    Row<struct continuation_missing>{{"'\\' continues the line, but the file ends here"}},
    Row<struct too_many_parts>{{"this word has more than 65535 parts"}},
    // Blocks
    Row<struct block_unclosed>{
        {"'{' is never closed", Mark::Byte, "a '}' is missing between here and the end of the file"}},
    Row<struct block_unopened>{{"'}' without a '{' before it"}},
    Row<struct block_headless>{
        {"a statement cannot begin with '{'", Mark::Byte,
         "'{' belongs on the line of what it opens: for, netns, transaction, or a command's word"}},
    Row<struct block_misplaced>{
        {"expected a word before '{' on the same line", Mark::Byte,
         "a block holds the options of the word before it, as in: type veth peer { name eth0 }"}},
    Row<struct block_followed>{{"expected a new line or ';' after '}'", Mark::Word}},
    Row<struct blocks_too_deep>{{"blocks are nested more than 64 deep"}},
    // Statements
    Row<struct let_name_expected>{{"expected a name after 'let'", Mark::Word, "as in: let n = 1000"}},
    Row<struct let_equals_expected>{{"expected '=' after the name", Mark::Word, "as in: let n = 1000"}},
    Row<struct let_value_expected>{
        {"expected a value after '='", Mark::Word, "as in: let n = 1000, or: let host = \"web\""}},
    Row<struct let_followed>{{"expected the end of the statement after the value", Mark::Token,
                              "a text has to be in quotes: let host = \"web-1\""}},
    Row<struct for_name_expected>{{"expected the name of the loop variable after 'for'", Mark::Word,
                                   "it is written without '$', as in: for i in 1..10 { ... }"}},
    Row<struct for_in_expected>{{"expected 'in' after the loop variable", Mark::Word,
                                 "as in: for i in 1..10 { ... }, or: for h in web db { ... }"}},
    Row<struct for_values_expected>{{"expected a range or words after 'in'", Mark::Word,
                                     "as in: for i in 1..10 { ... }, or: for h in web db { ... }"}},
    Row<struct range_dots_expected>{{"expected '..' after the first value of the range", Mark::Token,
                                     "if this is a list of words, put the word that has '..' in it in quotes"}},
    Row<struct for_body_expected>{
        {"expected '{' to begin the body of the loop", Mark::Word, "it has to be on this line"}},
    Row<struct netns_name_expected>{{"expected the name of a namespace between 'netns' and '{'"}},
    Row<struct include_path_expected>{
        {"expected the path of a file after 'include'", Mark::Word, "as in: include \"more.nb\""}},
    Row<struct include_followed>{{"expected the end of the statement after the path", Mark::Word,
                                  "a path with blanks in it has to be in quotes"}},
    Row<struct transaction_body_expected>{
        {"expected '{' after 'transaction'", Mark::Word, "it has to be on this line"}},
    // Expressions
    Row<struct operand_expected>{{"expected a number, a name, or '('", Mark::Token}},
    Row<struct parenthesis_expected>{{"expected an operator or ')'", Mark::Token}},
    Row<struct interpolation_unclosed>{{"expected an operator, ':' and a format, or '}'", Mark::Token,
                                        "an expression ends with '}', as in: ${n + 1}, ${n:04x}"}},
    Row<struct argument_expected>{{"expected an argument: an expression or a text in double quotes", Mark::Token}},
    Row<struct arguments_unclosed>{{"expected ',' or ')' after the argument", Mark::Token}},
    Row<struct text_unterminated>{{"unterminated text: it has to be closed on this line"}},
    Row<struct text_interpolates>{{"a text inside an expression takes '$' neither as a variable nor as itself",
                                   Mark::Byte, "give the variable as a number: addr(\"10.0.0.0\", n)"}},
    Row<struct number_malformed>{{"expected a number", Mark::Token,
                                  "numbers are decimal, or hexadecimal after 0x; a name does not begin with a digit"}},
    Row<struct number_too_large>{
        {"this number does not fit into 64 bits", Mark::Byte, "the largest is 9223372036854775807"}},
    Row<struct expression_too_deep>{{"an expression is nested more than 64 deep"}},
    Row<struct expression_too_long>{{"an expression has more than 65535 operands and operators"}},
    Row<struct too_many_arguments>{{"a function has more than 255 arguments"}},
    // #line
    Row<struct line_malformed>{{"expected '#line NUMBER' or '#line NUMBER \"FILE\"'", Mark::Byte,
                                "put a blank after '#' if this is only a comment"}},
    Row<struct line_out_of_range>{{"a line number is between 1 and 2147483647"}},
};

}  // namespace rules

template <typename Tag>
inline constexpr const Message& message = std::get<Row<Tag>>(rules::messages).message;

}  // namespace netbatch::grammar
