#include "reader.hpp"

#include <list>

namespace attention::bindings {

using emscripten::val;

std::string describe(const val& value) {
    const std::string type = value.typeOf().as<std::string>();
    if (value.isNull() || type == "undefined" || type == "number" || type == "boolean") {
        return val::global("String")(value).as<std::string>();
    }
    if (type == "string") return "'" + value.as<std::string>().substr(0, 40) + "'";
    if (type == "object") {
        const val constructor = value["constructor"];
        if (constructor.isUndefined()) return "an object";
        const std::string kind = constructor["name"].as<std::string>();
        return kind == "Object" ? "an object" : "of type " + kind;
    }
    return "a " + type;
}

const val& key(const char* name) {
    static std::list<std::pair<const char*, val>> keys;  // a list: its elements stay in place
    for (const auto& [known, text] : keys) {
        if (known == name) return text;
    }
    return keys.emplace_back(name, val(name)).second;
}

Reader::Reader(Input input, val object) : object_(std::move(object)) {
    for (const Field& field : fields()) {
        if (field.required_in(input) && !has(field.name.data())) {
            keep(missing(input, field.name));
            return;
        }
    }
}

bool Reader::has(const char* field) const { return !object_[key(field)].isUndefined(); }

void Reader::keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
}

val Reader::get(const char* field) { return status_.ok() ? object_[key(field)] : val::undefined(); }

void Reader::whole(const char* field, const val& value, std::int64_t least, std::int64_t& into) {
    if (value.isNumber()) {
        keep(whole_number(field, value.as<double>(), least, into));
    } else {
        keep(wrong_type(field, describe(value)));
    }
}

void Reader::count(const char* field, std::int64_t& into) {
    const val value = get(field);
    if (!value.isUndefined()) whole(field, value, 0, into);
}

void Reader::count(const char* field, std::optional<std::int64_t>& into) {
    const val value = get(field);
    if (!value.isUndefined()) whole(field, value, 0, into.emplace());
}

void Reader::number(const char* field, std::optional<double>& into) {
    const val value = get(field);
    if (value.isUndefined()) return;
    if (value.isNumber()) {
        into = value.as<double>();
    } else {
        keep(wrong_type(field, describe(value)));
    }
}

void Reader::flag(const char* field, bool& into) {
    const val value = get(field);
    if (value.isUndefined()) return;
    if (value.isTrue() || value.isFalse()) {
        into = value.isTrue();
    } else {
        keep(wrong_type(field, describe(value)));
    }
}

void Reader::word(const char* field, std::string& into) {
    const val value = get(field);
    if (value.isUndefined()) return;
    if (value.isString()) {
        into = value.as<std::string>();
    } else {
        keep(wrong_type(field, describe(value)));
    }
}

void Reader::sizes(const char* field, std::vector<std::int64_t>& into) {
    const val value = get(field);
    if (value.isUndefined()) return;
    if (!value.isArray()) return keep(wrong_type(field, describe(value)));
    const int count = value["length"].as<int>();
    for (int i = 0; i < count && status_.ok(); ++i) {
        into.push_back(0);
        whole(field, value[i], 0, into.back());
    }
}

void Reader::window(const char* field, std::optional<Window>& into) {
    const val value = get(field);
    if (value.isUndefined()) return;
    Window window;
    if (value.isNumber()) {
        keep(window_of_width(value.as<double>(), window));
    } else if (value.typeOf().as<std::string>() == "object" && !value.isNull()) {
        const auto side = [&](const char* name, std::optional<std::int64_t>& limit) {
            const val given = value[key(name)];
            if (given.isUndefined()) return;
            limit = 0;
            whole(field, given, 0, *limit);
        };
        side("left", window.left);
        side("right", window.right);
    } else {
        keep(wrong_type(field, describe(value)));
    }
    into = window;
}

template <class Value>
std::span<const Value> Reader::copy(const char* field, Buffer<Value>& memory) {
    const val array = get(field);
    if (array.isUndefined()) return {};
    const auto size = static_cast<std::int64_t>(array[key("length")].as<double>());
    if (!memory.reserve(size)) {
        keep(out_of_memory(field));
        return {};
    }
    const std::span<Value> values(memory.data(), static_cast<std::size_t>(size));
    val(emscripten::typed_memory_view(values.size(), values.data())).call<void>("set", array);
    return values;
}

std::span<const float> Reader::floats(const char* field, Buffer<float>& memory) {
    return copy(field, memory);
}

std::span<const float> Reader::extent(const char* field) {
    const val array = get(field);
    if (array.isUndefined()) return {};
    return {static_cast<const float*>(nullptr), array[key("length")].as<std::size_t>()};
}

std::span<const std::uint8_t> Reader::booleans(const char* field, Buffer<std::uint8_t>& memory) {
    return copy(field, memory);
}

std::optional<std::span<const std::int32_t>> Reader::positions(const char* field,
                                                               Buffer<std::int32_t>& memory) {
    if (!status_.ok() || !has(field)) return {};
    Buffer<double> given;
    const std::span<const double> values = copy(field, given);
    const auto count = static_cast<std::int64_t>(values.size());
    if (!memory.reserve(count)) keep(out_of_memory(field));
    for (std::int64_t i = 0; i < count && status_.ok(); ++i) {
        keep(position(field, values[i], memory[i]));
    }
    return std::span<const std::int32_t>(memory.data(), values.size());
}

}  // namespace attention::bindings
