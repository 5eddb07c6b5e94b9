#include "interpreter/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "interpreter/read_file.hpp"

namespace netbatch {
namespace {

constexpr std::string_view kMagic = "netbatch journal 3\n";

// Of the running kernel: links do not outlive it. Empty where the kernel does not say.
std::string boot_id() {
  std::string text;
  FileId id;
  read_file("/proc/sys/kernel/random/boot_id", text, id);
  return text.empty() || text.ends_with('\n') ? text : text + '\n';
}

// Tells a record that was cut off or overwritten. Eight bytes at a time, since states are long.
uint32_t checksum(std::string_view bytes) {
  uint64_t hash = bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), sizeof hash))) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<uint32_t>(hash);
}

class Writer {
 public:
  void begin(RecordKind kind) {
    start_ = text_.size();
    text_.append(8, '\0');
    number(static_cast<uint8_t>(kind));
  }
  template <class Number>
  void number(Number value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void bytes(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    text_ += value;
  }
  void message(const Message& value) { bytes({reinterpret_cast<const char*>(value.data()), value.size()}); }
  void messages(const std::vector<Message>& values) {
    number(static_cast<uint32_t>(values.size()));
    for (const Message& value : values) message(value);
  }
  void end() {
    const std::string_view body = std::string_view(text_).substr(start_ + 8);
    const uint32_t head[2] = {static_cast<uint32_t>(body.size()), checksum(body)};
    std::memcpy(text_.data() + start_, head, sizeof head);
  }
  std::string_view text() const { return text_; }

 private:
  std::string text_;
  size_t start_ = 0;
};

// Reads fields; after one that is not there, `ok()` is false and all are 0 or empty.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  template <class Number>
  Number number() {
    Number value{};
    const std::string_view field = take(sizeof value);
    if (field.size() == sizeof value) std::memcpy(&value, field.data(), sizeof value);
    return value;
  }
  std::string_view bytes() { return take(number<uint32_t>()); }
  Message message() {
    const auto* begin = reinterpret_cast<const std::byte*>(rest_.data());
    const std::string_view field = bytes();
    if (field.empty()) return {};
    begin = reinterpret_cast<const std::byte*>(field.data());
    return Message(begin, begin + field.size());
  }
  void messages(std::vector<Message>& values) {
    for (auto count = number<uint32_t>(); count > 0 && ok_; --count) values.push_back(message());
  }
  std::string_view take(size_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

bool read_entry(Reader& reader, Namespaces& namespaces, UndoLog& log) {
  UndoEntry entry;
  entry.kind = static_cast<UndoKind>(reader.number<uint8_t>());
  entry.applied = reader.number<uint8_t>() != 0;
  entry.ours = reader.number<uint8_t>() != 0;
  entry.arrived = reader.number<uint8_t>() != 0;
  entry.ns = namespaces.intern(reader.bytes());
  entry.name = log.text.copy(reader.bytes());
  entry.other_ns = namespaces.intern(reader.bytes());
  entry.other_name = log.text.copy(reader.bytes());
  Message state = reader.message();
  if (!state.empty()) {
    entry.state = static_cast<uint32_t>(log.states.size());
    log.states.push_back(std::move(state));
  }
  const bool has_state = entry.kind == UndoKind::LinkState || entry.kind == UndoKind::DeletedLink;
  if (!reader.ok() || entry.kind > UndoKind::DeletedNetns || (has_state && log.states.empty())) return false;
  log.entries.push_back(entry);
  return true;
}

// Namespaces that the run made go last, after all states.
bool is_structure(UndoKind kind) { return kind != UndoKind::LinkState && kind != UndoKind::CreatedNetns; }

bool read_record(std::string_view body, Namespaces& namespaces, UndoLogs& logs) {
  Reader reader(body);
  UndoLog& log = logs.back();
  switch (static_cast<RecordKind>(reader.number<uint8_t>())) {
    case RecordKind::Entry:
      return read_entry(reader, namespaces, log);
    case RecordKind::Family: {
      const NsId ns = namespaces.intern(reader.bytes());
      FamilyState state;
      state.touched = reader.number<uint8_t>();
      reader.messages(state.addresses);
      reader.messages(state.routes);
      reader.messages(state.neighbours);
      if (!reader.ok()) return false;
      if (auto known = log.families.find(ns); known != log.families.end())
        known->second.touched |= state.touched;
      else
        log.families.emplace(ns, std::move(state));
      return true;
    }
    case RecordKind::Restart:
      if (!log.empty()) logs.emplace_back();
      return true;
    case RecordKind::UndoneStructure: {
      const auto from = reader.number<uint64_t>();
      for (size_t i = from; i < log.entries.size(); ++i)
        if (is_structure(log.entries[i].kind)) log.entries[i].applied = false;
      return reader.ok();
    }
    case RecordKind::Undone:
      logs.pop_back();
      if (logs.empty()) logs.emplace_back();
      return true;
  }
  return false;
}

}  // namespace

int Journal::create(const std::string& path, bool sync) {
  path_ = path;
  sync_ = sync;
  file_ = netlink::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  return file_ ? write(std::string(kMagic) + boot_id()) : errno;
}

int Journal::reopen(const std::string& path) {
  path_ = path;
  file_ = netlink::Descriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  return file_ ? 0 : errno;
}

int Journal::write_ahead(const UndoLog& log, size_t first) {
  Writer writer;
  for (size_t i = first; i < log.entries.size(); ++i) {
    const UndoEntry& entry = log.entries[i];
    writer.begin(RecordKind::Entry);
    writer.number(static_cast<uint8_t>(entry.kind));
    writer.number(static_cast<uint8_t>(entry.applied));
    writer.number(static_cast<uint8_t>(entry.ours));
    writer.number(static_cast<uint8_t>(entry.arrived));
    writer.bytes(namespaces_.name(entry.ns));
    writer.bytes(entry.name);
    writer.bytes(namespaces_.name(entry.other_ns));
    writer.bytes(entry.other_name);
    const bool has_state = entry.kind == UndoKind::LinkState || entry.kind == UndoKind::DeletedLink;
    writer.message(has_state ? log.states[entry.state] : Message{});
    writer.end();
  }
  for (const auto& [ns, family] : log.families) {
    if (!written_.insert({ns, family.touched}).second) continue;
    writer.begin(RecordKind::Family);
    writer.bytes(namespaces_.name(ns));
    writer.number(family.touched);
    writer.messages(family.addresses);
    writer.messages(family.routes);
    writer.messages(family.neighbours);
    writer.end();
  }
  return write(writer.text());
}

int Journal::restart() {
  written_.clear();
  return mark(RecordKind::Restart);
}
int Journal::undone_structure(size_t from) { return mark(RecordKind::UndoneStructure, from); }
int Journal::undone() { return mark(RecordKind::Undone); }

int Journal::mark(RecordKind kind, size_t from) {
  Writer writer;
  writer.begin(kind);
  writer.number(uint64_t{from});
  writer.end();
  return write(writer.text());
}

int Journal::write(std::string_view records) {
  while (!records.empty()) {
    const ssize_t done = ::write(file_.get(), records.data(), records.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    records.remove_prefix(static_cast<size_t>(done));
  }
  return sync_ && ::fdatasync(file_.get()) != 0 ? errno : 0;
}

void Journal::remove() { ::unlink(path_.c_str()); }

void read_journal(const std::string& path, Namespaces& namespaces, JournalContents& contents) {
  std::string text;
  FileId id;
  if (const int error = read_file(path, text, id); error != 0) {
    contents.error = fmt::format("cannot read '{}': {}", path, strerrordesc_np(error));
    return;
  }
  std::string_view rest = text;
  if (!rest.starts_with(kMagic)) {
    contents.error = fmt::format("'{}' is not a journal of netbatch", path);
    return;
  }
  rest.remove_prefix(kMagic.size());
  const std::string boot = boot_id();
  if (!rest.starts_with(boot)) {
    contents.error = fmt::format(
        "'{}' is of an earlier boot of this machine: what it is about has gone with that; remove the file", path);
    return;
  }
  rest.remove_prefix(boot.size());
  contents.logs.emplace_back();
  while (!rest.empty()) {
    Reader head(rest);
    const auto length = head.number<uint32_t>();
    const auto sum = head.number<uint32_t>();
    const std::string_view body = head.take(length);
    if (!head.ok() || checksum(body) != sum || !read_record(body, namespaces, contents.logs)) {
      contents.damage =
          fmt::format("'{}' is {} from byte {} on", path, head.ok() ? "damaged" : "cut off", text.size() - rest.size());
      return;
    }
    rest.remove_prefix(8 + length);
  }
}

}  // namespace netbatch
