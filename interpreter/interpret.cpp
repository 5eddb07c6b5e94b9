#include "interpreter/interpret.hpp"

#include <fmt/format.h>

#include "grammar/suggest.hpp"
#include "interpreter/addr.hpp"
#include "interpreter/link.hpp"
#include "interpreter/neigh.hpp"
#include "interpreter/netns.hpp"
#include "interpreter/parse_args.hpp"
#include "interpreter/route.hpp"

namespace netbatch {
namespace {

// What is to be done about a word that stands where an option of ip, an object or a verb does.
enum class Act : uint8_t {
  Run,    // netbatch does it
  Reads,  // prints something and changes nothing
  Later,  // would change something, but netbatch has no words for it yet
  Help,
  Property,  // link property
  Flush,     // addr flush
  Exec,      // netns exec
  Outside,   // an option that netbatch has elsewhere
  Ignore,    // an option about ip's output
  Family,    // an option: the next word is the family
  Family4,
  Family6,
  Netns,  // an option: the next word is the namespace
};

struct Verbs;

struct Keyword {
  std::string_view keyword;
  Match match;
  Act act;
  Verb verb = Verb::Add;
  std::string_view command{};    // as messages call it; of Outside: where it is
  const Verbs* verbs = nullptr;  // of an object
  bool (*parse)(const ParseContext&, std::string_view command, Verb) = nullptr;
};

struct Verbs {
  std::string_view object;
  KeywordTable<Keyword> table;
};

constexpr Match kP = Match::Prefix;
constexpr Match kE = Match::Exact;

constexpr Keyword kLinkVerbs[] = {
    {"add", kP, Act::Run, Verb::Add, "link add"},
    {"set", kP, Act::Run, Verb::Set, "link set"},
    {"change", kP, Act::Run, Verb::Set, "link change"},
    {"replace", kP, Act::Run, Verb::Replace, "link replace"},
    {"delete", kP, Act::Run, Verb::Delete, "link delete"},
    {"show", kP, Act::Reads},
    {"lst", kP, Act::Reads},
    {"list", kP, Act::Reads},
    {"xstats", kP, Act::Reads},
    {"afstats", kP, Act::Reads},
    {"property", kP, Act::Property},
    {"help", kP, Act::Help},
    {"ensure", kE, Act::Run, Verb::Ensure, "link ensure"},
    {"absent", kE, Act::Run, Verb::Absent, "link absent"},
};
constexpr Keyword kAddrVerbs[] = {
    {"add", kP, Act::Run, Verb::Add, "addr add"},
    {"change", kP, Act::Run, Verb::Set, "addr change"},
    {"chg", kE, Act::Run, Verb::Set, "addr change"},
    {"replace", kP, Act::Run, Verb::Replace, "addr replace"},
    {"delete", kP, Act::Run, Verb::Delete, "addr delete"},
    {"list", kP, Act::Reads},
    {"show", kP, Act::Reads},
    {"lst", kP, Act::Reads},
    {"flush", kP, Act::Flush},
    {"save", kP, Act::Reads},
    {"showdump", kP, Act::Reads},
    {"restore", kP, Act::Later},
    {"help", kP, Act::Help},
    {"ensure", kE, Act::Run, Verb::Ensure, "addr ensure"},
    {"absent", kE, Act::Run, Verb::Absent, "addr absent"},
};
constexpr Keyword kRouteVerbs[] = {
    {"add", kP, Act::Run, Verb::Add, "route add"},
    {"change", kP, Act::Run, Verb::Set, "route change"},
    {"chg", kE, Act::Run, Verb::Set, "route change"},
    {"replace", kP, Act::Run, Verb::Replace, "route replace"},
    {"prepend", kP, Act::Run, Verb::Prepend, "route prepend"},
    {"append", kP, Act::Run, Verb::Append, "route append"},
    {"test", kP, Act::Later},
    {"delete", kP, Act::Run, Verb::Delete, "route delete"},
    {"list", kP, Act::Reads},
    {"show", kP, Act::Reads},
    {"lst", kP, Act::Reads},
    {"get", kP, Act::Reads},
    {"flush", kP, Act::Later},
    {"save", kP, Act::Reads},
    {"restore", kP, Act::Later},
    {"showdump", kP, Act::Reads},
    {"help", kP, Act::Help},
    {"ensure", kE, Act::Run, Verb::Ensure, "route ensure"},
    {"absent", kE, Act::Run, Verb::Absent, "route absent"},
};
constexpr Keyword kNeighVerbs[] = {
    {"add", kP, Act::Run, Verb::Add, "neigh add"},
    {"change", kP, Act::Run, Verb::Set, "neigh change"},
    {"chg", kE, Act::Run, Verb::Set, "neigh change"},
    {"replace", kP, Act::Run, Verb::Replace, "neigh replace"},
    {"delete", kP, Act::Run, Verb::Delete, "neigh delete"},
    {"get", kP, Act::Reads},
    {"show", kP, Act::Reads},
    {"lst", kP, Act::Reads},
    {"list", kP, Act::Reads},
    {"flush", kP, Act::Later},
    {"help", kP, Act::Help},
    {"ensure", kE, Act::Run, Verb::Ensure, "neigh ensure"},
    {"absent", kE, Act::Run, Verb::Absent, "neigh absent"},
};
constexpr Keyword kNetnsVerbs[] = {
    {"list", kP, Act::Reads},
    {"show", kP, Act::Reads},
    {"lst", kP, Act::Reads},
    {"list-id", kP, Act::Reads},
    {"help", kP, Act::Help},
    {"add", kP, Act::Run, Verb::Add, "netns add"},
    {"set", kP, Act::Later},
    {"delete", kP, Act::Run, Verb::Delete, "netns delete"},
    {"identify", kP, Act::Reads},
    {"pids", kP, Act::Reads},
    {"exec", kP, Act::Exec},
    {"monitor", kP, Act::Reads},
    {"attach", kP, Act::Later},
    {"ensure", kE, Act::Run, Verb::Ensure, "netns ensure"},
    {"absent", kE, Act::Run, Verb::Absent, "netns absent"},
};

constexpr Verbs kLink{"link", KeywordTable<Keyword>{kLinkVerbs}};
constexpr Verbs kAddr{"addr", KeywordTable<Keyword>{kAddrVerbs}};
constexpr Verbs kRoute{"route", KeywordTable<Keyword>{kRouteVerbs}};
constexpr Verbs kNeigh{"neigh", KeywordTable<Keyword>{kNeighVerbs}};
constexpr Verbs kNetns{"netns", KeywordTable<Keyword>{kNetnsVerbs}};

constexpr Keyword object(std::string_view keyword, const Verbs& verbs,
                         bool (*parse)(const ParseContext&, std::string_view, Verb)) {
  return {keyword, kP, Act::Run, Verb::Add, verbs.object, &verbs, parse};
}
constexpr Keyword later(std::string_view keyword) { return {keyword, kP, Act::Later}; }
constexpr Keyword reads(std::string_view keyword) { return {keyword, kP, Act::Reads}; }

// In the order of ip's own table, since an abbreviation means the first object that it fits.
constexpr Keyword kObjects[] = {
    object("address", kAddr, parse_addr),
    later("addrlabel"),
    later("maddress"),
    object("route", kRoute, parse_route),
    later("rule"),
    object("neighbor", kNeigh, parse_neigh),
    object("neighbour", kNeigh, parse_neigh),
    later("ntable"),
    later("ntbl"),
    object("link", kLink, parse_link),
    later("l2tp"),
    later("fou"),
    later("ila"),
    later("macsec"),
    later("tunnel"),
    later("tunl"),
    later("tuntap"),
    later("tap"),
    later("token"),
    later("tcpmetrics"),
    later("tcp_metrics"),
    reads("monitor"),
    later("xfrm"),
    later("mroute"),
    later("mrule"),
    object("netns", kNetns, parse_netns),
    reads("netconf"),
    later("vrf"),
    later("sr"),
    later("nexthop"),
    later("mptcp"),
    later("ioam"),
    {"help", kP, Act::Help},
    reads("stats"),
};
constexpr KeywordTable<Keyword> kObjectTable{kObjects};

// An object without a verb.
constexpr Keyword kAlone = reads("show");

constexpr Keyword outside(std::string_view keyword, std::string_view where) {
  return {keyword, kP, Act::Outside, Verb::Add, where};
}

// ip's options, in the order in which it compares them; `--word` is `-word`.
constexpr Keyword kOptions[] = {
    outside("-loops", "netbatch flushes until nothing is left"),
    {"-family", kP, Act::Family},
    {"-4", kE, Act::Family4},
    {"-6", kE, Act::Family6},
    {"-0", kE, Act::Later},
    {"-M", kE, Act::Later},
    {"-B", kE, Act::Later},
    {"-human", kP, Act::Ignore},
    {"-human-readable", kP, Act::Ignore},
    {"-iec", kP, Act::Ignore},
    {"-stats", kP, Act::Ignore},
    {"-statistics", kP, Act::Ignore},
    {"-details", kP, Act::Ignore},
    {"-resolve", kP, Act::Ignore},
    {"-oneline", kP, Act::Ignore},
    {"-timestamp", kP, Act::Ignore},
    {"-tshort", kP, Act::Ignore},
    {"-Version", kP, Act::Reads},
    outside("-force", "what happens after a failure is an option of netbatch: --on-error continue"),
    outside("-batch", "another script is read with: include \"FILE\""),
    {"-brief", kP, Act::Ignore},
    {"-json", kP, Act::Ignore},
    {"-pretty", kP, Act::Ignore},
    {"-rcvbuf", kP, Act::Later},
    {"-color", kP, Act::Ignore},
    {"-help", kP, Act::Help},
    {"-netns", kP, Act::Netns},
    {"-Numeric", kP, Act::Ignore},
    {"-all", kP, Act::Later},
    {"-echo", kE, Act::Ignore},
};

class Dispatcher {
 public:
  Dispatcher(const Command& command, NsId block, Namespaces& namespaces, Operations& operations,
             std::vector<grammar::Diagnostic>& errors)
      : context_{command.arguments, command.span, block, AF_UNSPEC, namespaces, operations, errors} {}

  bool run() { return program() && options() && object(); }

 private:
  const Argument* word() const {
    const auto& words = context_.arguments;
    return !words.empty() && words.front().kind == ArgumentKind::Word ? &words.front() : nullptr;
  }
  void advance() { context_.arguments = context_.arguments.subspan(1); }
  bool program();
  bool options();
  bool option(const Argument& word);
  bool object();
  bool verb(const Keyword& object, const Argument& object_word);
  bool exec(const Argument& keyword);
  bool refuse(const Keyword& keyword, Span span, std::string_view what);
  bool fail(Span span, std::string message);
  bool unknown(const Argument& word, std::string message, std::span<const Keyword> candidates);

  ParseContext context_;
};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// `ip`, or a path of it, may stand before everything.
bool Dispatcher::program() {
  const Argument* first = word();
  if (first == nullptr) return fail(context_.statement, "a statement begins with a word such as 'link' or 'addr'");
  const std::string_view name = base_name(first->text);
  if (name == "ip") {
    advance();
  } else if (name == "bridge" || name == "tc") {
    return fail(first->span, fmt::format("commands of '{}' are not supported yet", name));
  }
  return true;
}

bool Dispatcher::options() {
  for (const Argument* option_word = word(); option_word != nullptr && option_word->text.starts_with('-');
       option_word = word()) {
    advance();
    if (option_word->text == "--") break;
    if (!option(*option_word)) return false;
  }
  return true;
}

bool Dispatcher::option(const Argument& option_word) {
  std::string_view text = option_word.text;
  if (text.starts_with("--")) text.remove_prefix(1);
  if (text.starts_with("-c") && text.find('=') != std::string_view::npos) text = text.substr(0, text.find('='));
  const Keyword* found = nullptr;
  for (const Keyword& candidate : kOptions) {
    if (text.size() > 1 && word_matches(text, candidate.keyword, candidate.match)) {
      found = &candidate;
      break;
    }
  }
  if (found == nullptr)
    return unknown(option_word, fmt::format("unknown option '{}' of 'ip'", option_word.text), kOptions);
  const Argument* value = nullptr;
  if (found->act == Act::Netns || found->act == Act::Family) {
    value = word();
    if (value == nullptr || value->text.empty()) {
      return fail(option_word.span, found->act == Act::Netns
                                        ? fmt::format("'{}' needs a namespace's name", option_word.text)
                                        : fmt::format("'{}' needs 'inet' or 'inet6'", option_word.text));
    }
    advance();
  }
  switch (found->act) {
    case Act::Ignore:
      return true;
    case Act::Netns:
      context_.ns = context_.namespaces.intern(value->text);
      return true;
    case Act::Family4:
      context_.family = AF_INET;
      return true;
    case Act::Family6:
      context_.family = AF_INET6;
      return true;
    case Act::Family:
      if (value->text != "inet" && value->text != "inet6") {
        return fail(value->span,
                    fmt::format("'{}' needs 'inet' or 'inet6', found '{}'", option_word.text, value->text));
      }
      context_.family = value->text == "inet" ? AF_INET : AF_INET6;
      return true;
    default:
      return refuse(*found, option_word.span, option_word.text);
  }
}

bool Dispatcher::object() {
  const Argument* object_word = word();
  if (object_word == nullptr)
    return fail(context_.statement, "the statement ends before an object such as 'link' or 'addr'");
  const Keyword* found = kObjectTable.find(object_word->text);
  if (found == nullptr) {
    return unknown(*object_word,
                   fmt::format("unknown object '{}'; a statement begins with link, addr, route, neigh or netns",
                               object_word->text),
                   kObjects);
  }
  advance();
  if (found->act != Act::Run) return refuse(*found, object_word->span, found->keyword);
  return verb(*found, *object_word);
}

bool Dispatcher::verb(const Keyword& object_keyword, const Argument& object_word) {
  const Verbs& verbs = *object_keyword.verbs;
  const Argument* verb_word = word();
  if (verb_word == nullptr) {
    return refuse(kAlone, object_word.span, fmt::format("{} show", verbs.object));
  }
  const Keyword* found = verbs.table.find(verb_word->text);
  if (found == nullptr) {
    return unknown(*verb_word, fmt::format("unknown command '{}' of '{}'", verb_word->text, verbs.object),
                   verbs.table.entries());
  }
  advance();
  switch (found->act) {
    case Act::Run:
      return object_keyword.parse(context_, found->command, found->verb);
    case Act::Property:
      return parse_link_property(context_);
    case Act::Flush:
      return parse_addr_flush(context_);
    case Act::Exec:
      return exec(*verb_word);
    default:
      return refuse(*found, Span{object_word.span.begin, verb_word->span.end},
                    fmt::format("{} {}", verbs.object, found->keyword));
  }
}

// `netns exec NS ip …`: the same as `ip -n NS …`, and no process is started.
bool Dispatcher::exec(const Argument& keyword) {
  const Argument* name = word();
  if (name == nullptr || name->text.empty()) return fail(keyword.span, "'netns exec' needs a namespace's name");
  advance();
  const Argument* program_word = word();
  if (program_word == nullptr) return fail(keyword.span, "'netns exec' needs a command after the namespace's name");
  if (base_name(program_word->text) == "tc" || base_name(program_word->text) == "bridge") return program();
  if (base_name(program_word->text) != "ip") {
    fail(program_word->span,
         fmt::format("netbatch starts no programs: 'netns exec' takes 'ip' only, found '{}'", program_word->text));
    return false;
  }
  context_.ns = context_.namespaces.intern(name->text);
  context_.family = AF_UNSPEC;
  return run();
}

bool Dispatcher::refuse(const Keyword& keyword, Span span, std::string_view what) {
  const Act act = keyword.act;
  if (act == Act::Reads) {
    return fail(span, fmt::format("'{}' only reads; a script holds commands that change something", what));
  }
  if (act == Act::Help) return fail(span, fmt::format("'{}' asks ip for its help; a script cannot", what));
  if (act != Act::Outside) return fail(span, fmt::format("'{}' is not supported yet", what));
  fail(span, fmt::format("'{}' does not belong in a script", what));
  context_.errors.back().notes.push_back({std::string(keyword.command), {}});
  return false;
}

bool Dispatcher::fail(Span span, std::string message) {
  context_.errors.push_back({grammar::Diagnostic::Severity::Error, span, std::move(message), {}});
  return false;
}

bool Dispatcher::unknown(const Argument& at, std::string message, std::span<const Keyword> candidates) {
  fail(at.span, std::move(message));
  std::vector<std::string_view> names;
  for (const Keyword& candidate : candidates) names.push_back(candidate.keyword);
  const std::string_view near = grammar::suggest(at.text, names);
  if (!near.empty()) context_.errors.back().notes.push_back({fmt::format("did you mean '{}'?", near), {}});
  return false;
}

}  // namespace

bool interpret(const Command& command, NsId block, Namespaces& namespaces, Operations& operations,
               std::vector<grammar::Diagnostic>& errors) {
  const size_t attrs = operations.attrs.size();
  const size_t count = operations.list.size();
  if (Dispatcher(command, block, namespaces, operations, errors).run()) return true;
  operations.attrs.resize(attrs);
  operations.list.resize(count);
  return false;
}

}  // namespace netbatch
