#include "interpreter/link.hpp"

#include <fmt/format.h>
#include <linux/if.h>

#include <algorithm>
#include <functional>
#include <new>

#include "interpreter/addr.hpp"
#include "interpreter/kinds.hpp"
#include "interpreter/route.hpp"

namespace netbatch {
namespace {

// The link itself, or its peer.
struct Side {
  const Argument* dev = nullptr;   // the bare word or `dev X`
  const Argument* name = nullptr;  // `name X`
  const Argument* named() const { return dev != nullptr ? dev : name; }
};

class LinkParser : public Parser {
 public:
  LinkParser(const ParseContext& context, std::string_view command_name, Verb verb)
      : Parser(context, command_name, Object::Link, verb), context_(context) {}
  bool parse();

 private:
  // A line of a block that is a statement of its own.
  struct BlockLine {
    const Argument* keyword;
    std::span<const Argument> words;
    bool of_peer;
  };
  bool creates() const { return op.verb == Verb::Add || op.verb == Verb::Replace || op.verb == Verb::Ensure; }
  bool word(const Argument& word);
  bool link_option(const Argument& word, Side& side, bool bare_name);
  bool read_name(const Argument& keyword, Side& side);
  bool take_dev(const Argument& word, Side& side);
  bool read_kind(const Argument& keyword);
  bool peer(const Argument& keyword);
  bool peer_word(const Argument& word, bool& in_block);
  bool unknown(const Argument& word, const Side& side);
  bool one_name(const Side& side, bool creating, std::string_view& name, Span& span);
  bool complete();
  bool complete_existing();
  bool complete_peer();
  bool take_line(const Argument& word, bool in_block);
  void set_peer();
  bool add_lines();
  bool add_line(const BlockLine& line);

  const ParseContext& context_;
  std::vector<BlockLine> lines_;
  std::vector<Attr> peer_settings_;
  Side main_;
  Side peer_;
  bool in_block_ = false;
  bool in_peer_ = false;
  bool kind_words_ = false;  // there was an option of the kind
  std::vector<Attr>* peer_attrs_ = nullptr;
};

// The peer's options wait here until the link's own are complete, since each side's are stored in one row.
std::vector<Attr>& peer_store() {
  static thread_local std::vector<Attr> store;
  store.clear();
  return store;
}

bool LinkParser::parse() {
  while (const Argument* argument = peek()) {
    advance();
    switch (argument->kind) {
      case ArgumentKind::Line:
        break;
      case ArgumentKind::Open:
        if (in_block_) return fail(argument->span, "a '{' inside a block belongs after 'peer'");
        in_block_ = true;
        break;
      case ArgumentKind::Close:
        in_block_ = false;
        break;
      case ArgumentKind::Word:
        if (!word(*argument)) return false;
    }
  }
  return complete();
}

// `addr …` and `route …` at the start of a line in a block.
bool LinkParser::take_line(const Argument& word, bool in_block) {
  if (!in_block || word.quoted || (word.text != "addr" && word.text != "route")) return false;
  const ArgumentKind before = (&word)[-1].kind;
  if (before != ArgumentKind::Open && before != ArgumentKind::Line) return false;
  size_t count = 0;
  for (; next_word() != nullptr; advance()) ++count;
  lines_.push_back({&word, {&word + 1, count}, in_peer_});
  return true;
}

bool LinkParser::word(const Argument& word) {
  if (take_line(word, in_block_)) return true;
  if (op.kind == nullptr) return link_option(word, main_, true);
  if (op.kind->has_peer && word.text == "peer") return peer(word);
  if (const Row* row = find_row(op.kind->rows, word.text)) {
    kind_words_ = true;
    return option(*row, word);
  }
  if (in_block_) return link_option(word, main_, false);
  return unknown(word, main_);
}

// `bare_name`: a word that is no option is the link's name.
bool LinkParser::link_option(const Argument& word, Side& side, bool bare_name) {
  const bool may_be_name = bare_name && side.named() == nullptr;
  if (word.quoted && may_be_name) return take_dev(word, side);
  if (const Row* row = link_table().find(word.text)) {
    switch (row->option) {
      case Option::Name:
        return read_name(word, side);
      case Option::Type:
        return read_kind(word);
      case Option::Link:
        // ip takes and ignores it for a link that exists.
        if (!creates()) return value(word, "a link's name") != nullptr;
        [[fallthrough]];
      default:
        return option(*row, word);
    }
  }
  if (word.text == "dev") {
    const Argument* name = value(word, "a link's name");
    if (name == nullptr) return false;
    if (side.dev == nullptr) return take_dev(*name, side);
    return twice(word, side.dev->span);
  }
  if (!bare_name || side.dev != nullptr) return unknown(word, side);
  if (word_matches(word.text, "help", Match::Prefix) && !word.quoted) {
    return fail(word.span,
                fmt::format("'{0}' asks ip for its help; a link of that name is written 'dev {0}'", word.text));
  }
  return take_dev(word, side);
}

bool LinkParser::take_dev(const Argument& word, Side& side) {
  side.dev = &word;
  return link_name(word);
}

bool LinkParser::read_name(const Argument& keyword, Side& side) {
  const Argument* word = value(keyword, "a link's name");
  if (word == nullptr) return false;
  if (side.name != nullptr) return twice(keyword, side.name->span);
  side.name = word;
  return new_name(*word);
}

bool LinkParser::read_kind(const Argument& keyword) {
  if (in_peer_) return fail(keyword.span, "a peer has no 'type' of its own");
  if (op.kind != nullptr) return twice(keyword, op.kind_span);
  const Argument* word = value(keyword, "a link kind");
  if (word == nullptr) return false;
  if (word->text.empty()) return needs(keyword, "a link kind", word);
  op.kind = find_kind(word->text);
  op.kind_span = word->span;
  if (op.kind == nullptr) {
    char* place = operations().text.allocate(sizeof(Kind) + alignof(Kind));
    const auto address = reinterpret_cast<uintptr_t>(place);
    place += (alignof(Kind) - address % alignof(Kind)) % alignof(Kind);
    op.kind = new (place) Kind{.name = word->text, .slave = word->text.ends_with("_slave")};
  }
  return true;
}

bool LinkParser::peer(const Argument& keyword) {
  if (op.has_peer) return twice(keyword, op.peer_name_span);
  op.has_peer = true;
  op.peer_name_span = keyword.span;
  peer_attrs_ = &peer_store();
  const Store own = store();
  store_in({peer_attrs_, 0});
  in_peer_ = true;
  bool in_block = false;
  const bool braced = peek() != nullptr && peek()->kind == ArgumentKind::Open;
  while (const Argument* argument = peek()) {
    const ArgumentKind kind = argument->kind;
    // Without braces of its own the peer ends with the command, or with the line of the block that it stands in.
    if (!in_block && (kind == ArgumentKind::Close || (kind == ArgumentKind::Line && in_block_))) break;
    advance();
    if (!peer_word(*argument, in_block)) return false;
    if (braced && !in_block) break;
  }
  in_peer_ = false;
  store_in(own);
  if (braced) set_peer();
  return complete_peer();
}

// What the kernel does not take, or does not heed, in the request that makes the pair, is set after it: a block is
// netbatch's own, so it can mean more than ip's words.
void LinkParser::set_peer() {
  const auto late = [](const Attr& attr) {
    switch (attr.row->option) {
      case Option::Up:
      case Option::Master:
        return true;
      case Option::Down:
        return false;
      default:
        return attr.row->fusion.order != 0 && attr.row->fusion.create_order == 0;
    }
  };
  const auto first = std::stable_partition(peer_attrs_->begin(), peer_attrs_->end(), std::not_fn(late));
  peer_settings_.assign(first, peer_attrs_->end());
  peer_attrs_->erase(first, peer_attrs_->end());
  // The kernel sets flags before IFLA_AF_SPEC, and addrgenmode works on a link that is down only.
  std::stable_partition(peer_settings_.begin(), peer_settings_.end(),
                        [](const Attr& attr) { return attr.row->option != Option::Up; });
}

bool LinkParser::peer_word(const Argument& word, bool& in_block) {
  switch (word.kind) {
    case ArgumentKind::Open:
      if (in_block) return fail(word.span, "a '{' inside the block of 'peer' has no meaning");
      in_block = true;
      return true;
    case ArgumentKind::Close:
      in_block = false;
      return true;
    case ArgumentKind::Line:
      return true;
    case ArgumentKind::Word:
      break;
  }
  if (take_line(word, in_block)) return true;
  if (word.text == "peer" && peer_.named() != nullptr) return twice(word, op.peer_name_span);
  return link_option(word, peer_, true);
}

bool LinkParser::complete_peer() {
  if (peer_.named() != nullptr) return one_name(peer_, true, op.peer_name, op.peer_name_span);
  for (const Attr& attr : *peer_attrs_) {
    if (attr.row->option == Option::Group) return fail(attr.span, "'group' needs the new link's name beside it");
  }
  return true;
}

bool LinkParser::one_name(const Side& side, bool creating, std::string_view& name, Span& span) {
  const Argument& word = *side.named();
  if (creating && side.dev != nullptr && side.name != nullptr && side.dev->text != side.name->text) {
    fail(side.name->span,
         fmt::format("a new link has one name, but there are '{}' and '{}'", side.dev->text, side.name->text));
    return false;
  }
  name = word.text;
  span = word.span;
  return !creating || &word == side.name || new_name(word);
}

bool LinkParser::unknown(const Argument& word, const Side& side) {
  std::vector<std::string_view> candidates;
  if (op.kind != nullptr && !in_peer_) {
    for (const Row& row : op.kind->rows) candidates.push_back(row.keyword);
    if (op.kind->has_peer) candidates.push_back("peer");
  }
  const bool kind_only = op.kind != nullptr && !in_peer_ && !in_block_;
  const Row* common = link_table().find(word.text);
  if (kind_only && word.text == "type") return twice(word, op.kind_span);
  if (kind_only && common != nullptr && common->keyword == word.text) {
    fail(word.span, fmt::format("'{}' is not an option of kind '{}'", word.text, op.kind->name));
    note(fmt::format("'{}' is an option of every link: it stands before 'type', or in a block after it", word.text));
    return false;
  }
  if (kind_only && find_kind(op.kind->name) == nullptr) {
    return fail(word.span, fmt::format("netbatch has no table for options of kind '{}'", op.kind->name));
  }
  for (const Row& row : link_rows()) candidates.push_back(row.keyword);
  const std::string whole =
      op.kind != nullptr ? fmt::format("{} … type {}", command, op.kind->name) : std::string(command);
  fail(word.span, fmt::format("unknown option '{}' of '{}'", word.text, in_peer_ ? "peer" : whole));
  if (suggest(word.text, candidates)) return false;
  if (side.dev != nullptr && (op.kind == nullptr || in_peer_)) {
    note(fmt::format("the link is named '{}' already, so this is not its name", side.dev->text));
  }
  return false;
}

bool LinkParser::complete() {
  if (creates() && op.kind == nullptr && op.verb != Verb::Ensure) {
    fail(op.span, fmt::format("'{}' needs 'type KIND'", command));
    note("for example: link add v0 type veth peer name v1");
    return false;
  }
  const Argument* named = main_.named();
  if (named != nullptr) {
    if (!one_name(main_, creates(), op.name, op.name_span)) return false;
    if (!creates() && !complete_existing()) return false;
  } else {
    const bool group = has(Place::Top, link_row(Option::Group).attribute);
    if (op.verb == Verb::Ensure || op.verb == Verb::Absent || (!creates() && !lines_.empty()))
      return fail(op.span, fmt::format("'{}' needs a link's name", command));
    if (creates() && group) return fail(op.span, "'group' needs the new link's name beside it");
    if (!creates() && !group) return fail(op.span, fmt::format("'{}' needs a link's name", command));
    if (!creates() && op.kind != nullptr) return fail(op.kind_span, "a whole group has no one 'type'");
  }
  if (creates() && op.kind != nullptr && op.kind->needs_link && !has(Place::Top, link_row(Option::Link).attribute)) {
    return fail(op.kind_span, fmt::format("kind '{}' needs 'link DEV' before 'type'", op.kind->name));
  }
  if (op.kind != nullptr && op.kind->finish != nullptr && (kind_words_ || op.kind->always_finish)) {
    if (!op.kind->finish(*this, op.verb == Verb::Ensure && !op.kind->slave ? Verb::Add : op.verb)) return false;
  }
  if (!finish()) return false;
  if (peer_attrs_ != nullptr) {
    Operation& stored_op = operations().list.back();
    stored_op.peer_attrs = {static_cast<uint32_t>(operations().attrs.size()),
                            static_cast<uint32_t>(peer_attrs_->size())};
    operations().attrs.insert(operations().attrs.end(), peer_attrs_->begin(), peer_attrs_->end());
  }
  return peer_settings_.empty() && lines_.empty() ? true : add_lines();
}

NsId netns_of(std::span<const Attr> attrs, NsId otherwise) {
  for (const Attr& attr : attrs)
    if (attr.row->option == Option::Netns) return static_cast<NsId>(attr.value.number);
  return otherwise;
}

// The statements that the blocks hold beside the link's own options, each in the namespace where its link is.
bool LinkParser::add_lines() {
  op = operations().list.back();
  for (size_t i = 0; i < peer_settings_.size();) {
    const Attr& attr = peer_settings_[i];
    if (op.peer_name.empty()) return fail(attr.span, fmt::format("'{}' needs a name of the peer", attr.row->keyword));
    Operation set;
    set.verb = op.verb == Verb::Ensure ? Verb::Ensure : Verb::Set;
    set.ns = netns_of(operations().of(op.peer_attrs), op.ns);
    set.span = attr.span;
    set.name = op.peer_name;
    set.name_span = op.peer_name_span;
    set.attrs.first = static_cast<uint32_t>(operations().attrs.size());
    const bool up = attr.row->option == Option::Up;
    do operations().attrs.push_back(peer_settings_[i++]);
    while (i < peer_settings_.size() && (peer_settings_[i].row->option == Option::Up) == up);
    set.attrs.count = static_cast<uint32_t>(operations().attrs.size()) - set.attrs.first;
    operations().list.push_back(set);
  }
  for (const BlockLine& line : lines_)
    if (!add_line(line)) return false;
  return true;
}

bool LinkParser::add_line(const BlockLine& line) {
  const std::string_view keyword = line.keyword->text;
  const std::string_view name = line.of_peer ? op.peer_name : op.name;
  if (name.empty()) {
    return fail(line.keyword->span,
                fmt::format("'{}' in a block needs a name of the {}", keyword, line.of_peer ? "peer" : "link"));
  }
  Verb verb = Verb::Add;
  if (op.verb == Verb::Ensure || op.verb == Verb::Replace) verb = op.verb;
  if (op.verb == Verb::Delete || op.verb == Verb::Absent)
    return fail(line.keyword->span, fmt::format("'{}' says nothing about a link that is to be deleted", keyword));
  const Span last = line.words.empty() ? line.keyword->span : line.words.back().span;
  const ParseContext context{.arguments = line.words,
                             .statement = joined(line.keyword->span, last),
                             .ns = netns_of(operations().of(line.of_peer ? op.peer_attrs : op.attrs), op.ns),
                             .family = family(),
                             .namespaces = namespaces(),
                             .operations = operations(),
                             .errors = context_.errors,
                             .device = name,
                             .device_span = line.of_peer ? op.peer_name_span : op.name_span};
  return keyword == "addr" ? parse_addr(context, "addr", verb) : parse_route(context, "route", verb);
}

bool LinkParser::complete_existing() {
  const bool renames = main_.name != nullptr && main_.dev != nullptr && main_.name->text != main_.dev->text;
  if (renames && op.verb == Verb::Set) put(rename_row(), main_.name->span, Value::of_data(main_.name->text));
  if (const Attr* index = find(link_row(Option::Index));
      index != nullptr && !has(Place::Top, link_row(Option::Netns).attribute)) {
    return fail(index->span, "'index' is for a new link, or for a move to another namespace beside 'netns'");
  }
  return true;
}

}  // namespace

bool parse_link(const ParseContext& context, std::string_view command, Verb verb) {
  return LinkParser(context, command, verb).parse();
}

bool parse_link_property(const ParseContext& context) {
  struct PropertyVerb {
    std::string_view keyword;
    Match match;
    Verb verb;
    std::string_view command;
  };
  static constexpr PropertyVerb kVerbs[] = {
      {"add", Match::Prefix, Verb::AddName, "link property add"},
      {"del", Match::Prefix, Verb::DeleteName, "link property del"},
      {"ensure", Match::Exact, Verb::EnsureName, "link property ensure"},
      {"absent", Match::Exact, Verb::AbsentName, "link property absent"},
  };
  constexpr std::string_view kNeeds = "'link property' needs 'add', 'del', 'ensure' or 'absent'";
  Parser verb_reader(context, "link property", Object::Link, Verb::AddName);
  const Argument* word_of_verb = verb_reader.next_word();
  if (word_of_verb == nullptr) return verb_reader.fail(context.statement, std::string(kNeeds));
  const auto* verb = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const PropertyVerb& each) {
    return word_matches(word_of_verb->text, each.keyword, each.match);
  });
  if (verb == std::end(kVerbs))
    return verb_reader.fail(word_of_verb->span, fmt::format("{}, found '{}'", kNeeds, word_of_verb->text));
  ParseContext rest = context;
  rest.arguments = context.arguments.subspan(1);
  Parser parser(rest, verb->command, Object::Link, verb->verb);
  while (const Argument* word = parser.peek()) {
    parser.advance();
    if (word->kind != ArgumentKind::Word) continue;
    const bool dev = word->text == "dev";
    if (!dev && word_matches(word->text, altname_row().keyword, altname_row().match)) {
      const Argument* name = parser.value(*word, "a name");
      if (name == nullptr || !parser.link_name(*name)) return false;
      parser.append(altname_row(), joined(word->span, name->span), Value::of_data(name->text));
      continue;
    }
    const Argument* name = dev ? parser.value(*word, "a link's name") : word;
    if (name == nullptr) return false;
    if (!parser.op.name.empty()) return parser.unknown_option(*word, {{"altname"}});
    if (!parser.link_name(*name)) return false;
    parser.op.name = name->text;
    parser.op.name_span = name->span;
  }
  if (parser.op.name.empty())
    return parser.fail(context.statement, fmt::format("'{}' needs a link's name", parser.command));
  return parser.finish();
}

}  // namespace netbatch
