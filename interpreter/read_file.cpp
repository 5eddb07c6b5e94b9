#include "interpreter/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "netlink/descriptor.hpp"

namespace netbatch {
namespace {

constexpr size_t kMostBytes = size_t{4} << 30;  // what a Sources can hold

// Reads to the end, which may come after more or fewer bytes than expected; 0 or errno.
int read_all(int fd, size_t expected, std::string& text) {
  constexpr size_t kStep = 1 << 16;
  size_t size = 0;
  text.resize(std::min(expected, kMostBytes) + 1);  // the last byte is for the read that finds the end
  for (;;) {
    if (size == text.size()) text.resize(size + std::max(kStep, size / 2));
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    size += static_cast<size_t>(got);
    if (size > kMostBytes) return EFBIG;
    if (got > 0) continue;
    text.resize(size);
    text.shrink_to_fit();
    return 0;
  }
}

}  // namespace

int read_file(const std::string& path, std::string& text, FileId& id) {
  if (path == "-") return read_all(STDIN_FILENO, 0, text);
  const netlink::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return errno;
  id = {info.st_dev, info.st_ino};
  return read_all(file.get(), static_cast<size_t>(std::max<off_t>(info.st_size, 0)), text);
}

}  // namespace netbatch
