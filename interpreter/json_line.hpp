// JSON as `plan --json` and `run --json` print it: an object on a line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grammar/source.hpp"

namespace netbatch {

using Json = nlohmann::ordered_json;

// An object that begins with where in the source it is about.
inline Json json_at(const grammar::Sources& sources, grammar::Span span) {
  const grammar::Position place = sources.locate(span.begin);
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

// A script's bytes may be no UTF-8.
inline std::string json_line(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace netbatch
