// The KV cache as a JavaScript class. It lives in this module's memory until
// delete() is called.
#include "attention/decode.hpp"
#include "inputs.hpp"
#include "results.hpp"

namespace attention::bindings {

namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(CacheValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(AppendValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(DecodeValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(CheckResult)
EMSCRIPTEN_DECLARE_VAL_TYPE(AppendResult)

class Cache {
public:
    explicit Cache(const Shape& shape) : cache_(shape) {}

    AppendResult append(const AppendValue& value) {
        Reader reader(Input::append, value);
        std::int64_t tokens = 1;
        Buffer<float> k;
        Buffer<float> v;
        reader.count("tokens", tokens);
        const std::span<const float> keys = reader.floats("k", k);
        const std::span<const float> values = reader.floats("v", v);
        Status status = reader.status();
        if (status.ok()) status = cache_.append(keys, values, tokens);
        if (!status.ok()) return AppendResult(failure(status));
        val object = val::object();
        put(object, "tokens", static_cast<double>(cache_.tokens()));
        return AppendResult(object);
    }

    AttendResult attend(const DecodeValue& value, const CopyOut& copy_out) const {
        Reader reader(Input::decode, value);
        std::int64_t queries = 1;
        Problem options;
        Buffer<float> memory;
        reader.count("queries", queries);
        reader.window("window", options.mask.window);
        read_softmax(reader, options);
        const std::span<const float> q = reader.floats("q", memory);
        Status status = reader.status();
        const Shape& s = cache_.shape();
        const std::int64_t size = output_size({1, s.query_heads, 1, queries, 0, 0, s.value_dim});
        Buffer<float> values;
        if (status.ok()) status = reserve_output(values, size);
        const std::span<float> output(values.data(), static_cast<std::size_t>(size));
        if (status.ok()) status = cache_.attend(q, queries, output, options);
        if (!status.ok()) return AttendResult(failure(status));
        return AttendResult(
            result_of(output, sizes({queries, s.query_heads * s.value_dim}), copy_out));
    }

private:
    KvCache cache_;
};

Status read_cache(const CacheValue& value, Shape& shape) {
    Reader reader(Input::cache, value);
    read_shape(reader, shape);
    if (!reader.status().ok()) return reader.status();
    return KvCache(shape).append({}, {}, 0);
}

/// { error } if no cache can have this shape.
CheckResult check_cache(const CacheValue& value) {
    Shape shape;
    const Status status = read_cache(value, shape);
    return CheckResult(status.ok() ? val::object() : failure(status));
}

/// A cache of a shape that check_cache() accepts; null otherwise.
Cache* make_cache(const CacheValue& value) {
    Shape shape;
    return read_cache(value, shape).ok() ? new Cache(shape) : nullptr;
}

}  // namespace

EMSCRIPTEN_BINDINGS(cache) {
    declare<CacheValue>(Input::cache);
    declare<AppendValue>(Input::append);
    declare<DecodeValue>(Input::decode);
    declare<CheckResult>("{ error?: undefined } | " FAILURE_TYPE);
    declare<AppendResult>("{ tokens: number } | " FAILURE_TYPE);

    emscripten::class_<Cache>("Cache")
        .function("append", &Cache::append)
        .function("attend", &Cache::attend);
    emscripten::function("checkCache", &check_cache);
    emscripten::function("makeCache", &make_cache, emscripten::allow_raw_pointers());
}

}  // namespace attention::bindings
