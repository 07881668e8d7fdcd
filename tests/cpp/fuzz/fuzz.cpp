// libFuzzer target over the whole description of a problem: whatever the bytes
// say, every kernel answers with the same verdict, an error leaves the output as it
// was, a result repeats itself bit for bit, and the counts agree with the trace.
// The sanitizers watch the memory.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "attention/attention.hpp"
#include "attention/cost.hpp"
#include "attention/split.hpp"

namespace {

/// Takes values off the front of the input; zeros when it has run out.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    template <class Value>
    Value take() {
        Value value{};
        const std::size_t count = size_ < sizeof value ? size_ : sizeof value;
        if (count > 0) std::memcpy(&value, data_, count);
        data_ += count;
        size_ -= count;
        return value;
    }

    std::int64_t count(int most) { return take<std::uint8_t>() % (most + 1); }
    bool flag() { return (take<std::uint8_t>() & 1) != 0; }

    /// Mostly numbers of ordinary size, sometimes any float32 at all.
    float number() {
        const auto kind = take<std::uint8_t>();
        if (kind < 8) return take<float>();
        return static_cast<float>(static_cast<std::int8_t>(kind)) / 32.0F;
    }

    template <class Value, class Make>
    std::vector<Value> list(std::int64_t size, Make make) {
        std::vector<Value> values(static_cast<std::size_t>(size < 0 ? 0 : size));
        for (Value& value : values) value = make();
        return values;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
};

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace attention;
    Bytes bytes(data, size);
    Problem problem;
    Shape& s = problem.shape;
    s.batch = bytes.count(3);
    s.kv_heads = bytes.count(3) - 1;
    s.query_heads = s.kv_heads * bytes.count(4) + (bytes.count(15) == 0 ? 1 : 0);
    s.queries = bytes.count(40);
    s.keys = bytes.count(140);
    s.head_dim = bytes.count(20);
    s.value_dim = bytes.count(20);
    problem.layout = bytes.flag() ? Layout::bhtd : Layout::bthd;

    // Sizes follow from the shape, but for one in sixteen.
    const auto off = [&] { return bytes.count(15) == 0 ? bytes.count(4) - 2 : 0; };
    const auto number = [&] { return bytes.number(); };
    const auto q =
        bytes.list<float>(s.batch * s.query_heads * s.queries * s.head_dim + off(), number);
    const auto k = bytes.list<float>(s.batch * s.kv_heads * s.keys * s.head_dim + off(), number);
    const auto v = bytes.list<float>(s.batch * s.kv_heads * s.keys * s.value_dim + off(), number);
    problem.q = q;
    problem.k = k;
    problem.v = v;

    problem.mask.causal = bytes.flag();
    if (bytes.flag()) {
        Window window;
        if (bytes.flag()) window.left = bytes.take<std::int8_t>();
        if (bytes.flag()) window.right = bytes.take<std::int64_t>();
        problem.mask.window = window;
    }
    const auto position = [&] {
        return bytes.count(31) == 0 ? bytes.take<std::int32_t>()
                                    : static_cast<std::int32_t>(bytes.take<std::int8_t>());
    };
    std::vector<std::int32_t> query_positions;
    std::vector<std::int32_t> key_positions;
    if (bytes.flag()) {
        query_positions =
            bytes.list<std::int32_t>(s.queries * (bytes.flag() ? s.batch : 1) + off(), position);
        problem.mask.query_positions = query_positions;
    }
    if (bytes.flag()) {
        key_positions =
            bytes.list<std::int32_t>(s.keys * (bytes.flag() ? s.batch : 1) + off(), position);
        problem.mask.key_positions = key_positions;
    }
    const auto shape_of_mask = [&] {
        std::vector<std::int64_t> axes = {s.batch, s.query_heads, s.queries, s.keys};
        for (std::int64_t& axis : axes) {
            if (bytes.flag()) axis = 1;
        }
        axes.erase(axes.begin(), axes.begin() + bytes.count(4));
        return axes;
    };
    const auto volume = [](const std::vector<std::int64_t>& axes) {
        std::int64_t product = 1;
        for (const std::int64_t axis : axes) product *= axis;
        return product;
    };
    std::vector<std::uint8_t> allowed;
    std::vector<float> bias;
    if (bytes.flag()) {
        const auto axes = shape_of_mask();
        allowed = bytes.list<std::uint8_t>(volume(axes) + off(),
                                           [&] { return std::uint8_t(bytes.count(3)); });
        problem.mask.allowed = Broadcast<std::uint8_t>{allowed, axes};
    }
    if (bytes.flag()) {
        const auto axes = shape_of_mask();
        bias = bytes.list<float>(volume(axes) + off(), number);
        problem.mask.bias = Broadcast<float>{bias, axes};
    }
    if (bytes.flag()) problem.scale = bytes.number();
    if (bytes.flag()) problem.softcap = bytes.number();

    const Status valid = validate(problem);
    require(valid.ok() || !valid.message.empty());
    const std::int64_t size_of_output = valid.ok() ? output_size(s) : 3;
    std::vector<float> first;
    for (const Kernel kernel : {Kernel::reference, Kernel::online, Kernel::tiled, Kernel::decode}) {
        problem.kernel = kernel;
        std::vector<float> output(static_cast<std::size_t>(size_of_output), 12345.0F);
        const Status status = attend(problem, output);
        require(status.ok() == valid.ok());
        if (!status.ok()) {
            for (const float value : output) require(value == 12345.0F);
        }
        std::vector<float> again(output.size(), -1.0F);
        if (status.ok()) {
            require(attend(problem, again).ok());
            require(output.empty() ||
                    std::memcmp(output.data(), again.data(), output.size() * sizeof(float)) == 0);
        }
    }
    Trace traced;
    require(trace(problem, traced).ok() == valid.ok());
    if (valid.ok()) {
        for (const Part& part : split(problem, 3)) require(part.queries > 0);
        for (const Hidden reasons : traced.hidden_by) require(reasons < 32);
    }
    Cost counted;
    if (valid.ok()) {
        require(cost(s, problem.mask, 4, counted).ok());
        double visible = 0;
        for (const Hidden reasons : traced.hidden_by) visible += reasons == 0 ? 1 : 0;
        require(counted.visible_pairs == visible);
    }
    return 0;
}
