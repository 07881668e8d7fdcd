// Random numbers that are the same on every machine. The engine is the standard
// one, whose output is fixed; the distributions are written out here because
// those of the standard library differ from one library to the next, and the
// native and the WebAssembly run must see the same problems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace support {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// A whole number of low ... high, both included.
    std::int64_t whole(std::int64_t low, std::int64_t high) {
        const auto span = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>(engine_() % span);
    }

    /// A fraction of [0, 1).
    double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

    bool chance(double probability) { return fraction() < probability; }

    template <class Value>
    Value one_of(std::initializer_list<Value> values) {
        return values.begin()[whole(0, static_cast<std::int64_t>(values.size()) - 1)];
    }

    /// Near normal, mean 0 and variance 1: the sum of four 16-bit uniforms. All
    /// values lie within 3.5 of 0.
    float normal() {
        const std::uint64_t bits = engine_();
        double sum = 0.0;
        for (int part = 0; part < 4; ++part) {
            sum += static_cast<double>((bits >> (16 * part)) & 0xFFFF);
        }
        constexpr double mean = 4 * 32767.5;
        constexpr double deviation = 37837.22708;  // sqrt(4 * (65536^2 - 1) / 12)
        return static_cast<float>((sum - mean) / deviation);
    }

    std::vector<float> normals(std::int64_t count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = normal();
        return values;
    }

    template <class Value>
    void shuffle(std::vector<Value>& values) {
        for (std::size_t at = values.size(); at > 1; --at) {
            std::swap(values[at - 1],
                      values[static_cast<std::size_t>(whole(0, static_cast<int>(at) - 1))]);
        }
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace support
