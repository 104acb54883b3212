// One list of fields for what is written as JSON and read back: fields(archive, value) calls archive.field(name,
// member) for each, and JsonWriter and JsonReader do the rest. Who reads forgives: what is missing or of another type
// stays as it is.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "copse/io/json_value.h"

namespace copse {

using OrderedJson = nlohmann::ordered_json;

class JsonWriter {
 public:
  OrderedJson take() { return std::move(json_); }

  template <class Value>
  void field(const char* name, const Value& value) {
    json_[name] = written(value);
  }
  template <class Value>
  void field(const char* name, const std::optional<Value>& value) {
    if constexpr (std::is_floating_point_v<Value>) {
      if (value && !std::isfinite(*value)) return;
    }
    if (value) field(name, *value);
  }
  // Only where there is something to tell.
  template <class Value>
  void some(const char* name, const Value& value) {
    if (value != Value()) field(name, value);
  }
  // Written and not read: another command has it from elsewhere.
  template <class Value>
  void told(const char* name, const Value& value) {
    field(name, value);
  }
  // Fields of an object inside: visit(archive).
  template <class Visit>
  void inside(const char* name, const Visit& visit) {
    JsonWriter part;
    visit(part);
    json_[name] = part.take();
  }

 private:
  template <class Value>
  static OrderedJson written(const Value& value) {
    if constexpr (requires(JsonWriter writer) { fields(writer, value); }) {
      JsonWriter part;
      fields(part, value);
      return part.take();
    } else {
      return value;
    }
  }
  template <class Value>
  requires(std::is_class_v<Value> && !std::is_same_v<Value, std::string>) static OrderedJson
      written(const std::vector<Value>& list) {
    OrderedJson array = OrderedJson::array();
    for (const Value& value : list) array.push_back(written(value));
    return array;
  }

  OrderedJson json_ = OrderedJson::object();
};

class JsonReader {
 public:
  explicit JsonReader(const OrderedJson& json) : json_(json) {}

  template <class Value>
  void field(const char* name, Value& value) const {
    if (const OrderedJson* found = find(name)) read(*found, value);
  }
  template <class Value>
  void field(const char* name, std::optional<Value>& value) const {
    if (find(name) != nullptr) field(name, value.emplace());
  }
  template <class Value>
  void some(const char* name, Value& value) const {
    field(name, value);
  }
  template <class Value>
  void told(const char*, const Value&) const {}
  template <class Visit>
  void inside(const char* name, const Visit& visit) const {
    if (const OrderedJson* found = find(name)) visit(JsonReader(*found));
  }

 private:
  const OrderedJson* find(const char* name) const {
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  template <class Value>
  static void read(const OrderedJson& json, Value& value) {
    if constexpr (requires(const JsonReader& reader) { fields(reader, value); }) {
      const JsonReader reader(json);
      fields(reader, value);
    } else {
      try {
        value = checked_value<Value>(json);
      } catch (const OrderedJson::exception&) {
      }
    }
  }
  template <class Value>
  static void read(const OrderedJson& json, std::vector<Value>& list) {
    list.clear();
    if (!json.is_array()) return;
    if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
      try {
        list = checked_list<Value>(json);
      } catch (const OrderedJson::exception&) {
      }
    } else {
      for (const OrderedJson& entry : json) read(entry, list.emplace_back());
    }
  }

  const OrderedJson& json_;
};

template <class Value>
OrderedJson json_of_fields(const Value& value) {
  JsonWriter writer;
  fields(writer, value);
  return writer.take();
}

}  // namespace copse
