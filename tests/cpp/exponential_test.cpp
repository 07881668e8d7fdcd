// The vector exponential of the SIMD kernels, over its whole range.
#include "exponential.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using Arch = xsimd::default_arch;
using Lanes = attention::simd::Floats<Arch>;

float exponential(float x) {
    std::array<float, Lanes::size> lanes;
    lanes.fill(x);
    attention::simd::exponential<Arch>(Lanes::load_unaligned(lanes.data()))
        .store_unaligned(lanes.data());
    for (const float lane : lanes) {
        REQUIRE(std::bit_cast<std::uint32_t>(lane) == std::bit_cast<std::uint32_t>(lanes[0]));
    }
    return lanes[0];
}

}  // namespace

TEST_CASE("exponential: within its bound from 0 down to where it becomes 0", "[exponential]") {
    // Every 251st float32 from -0 to -87.3 (251 is prime to the sizes of binades),
    // a vector at a time.
    const auto last = std::bit_cast<std::uint32_t>(-87.3F);
    double worst = 0;
    float worst_at = 0;
    std::array<float, Lanes::size> x{};
    std::array<float, Lanes::size> y{};
    for (std::uint32_t bits = 0x80000000U; bits <= last;) {
        for (float& value : x) {
            value = std::bit_cast<float>(std::min(bits, last));
            bits += 251;
        }
        attention::simd::exponential<Arch>(Lanes::load_unaligned(x.data()))
            .store_unaligned(y.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double exact = std::exp(static_cast<double>(x[i]));
            const double bound = 2.5e-7 * exact * (1 + std::abs(x[i]) / 3);
            const double share = std::abs(y[i] - exact) / bound;
            if (!(share <= worst)) {
                worst = share;
                worst_at = x[i];
            }
        }
    }
    INFO("the worst is at " << worst_at << ": " << exponential(worst_at) << " instead of "
                            << std::exp(static_cast<double>(worst_at)));
    CHECK(worst <= 1.0);
    CHECK(worst > 0.1);  // a bound that nothing comes near says nothing
}

TEST_CASE("exponential: exp(0) is 1 to the last bit", "[exponential]") {
    CHECK(exponential(0.0F) == 1.0F);
    CHECK(exponential(-0.0F) == 1.0F);
}

TEST_CASE("exponential: far below 0 it is 0, and neither negative nor NaN on the way",
          "[exponential]") {
    for (const float x :
         {-87.7F, -88.0F, -88.5F, -100.0F, -104.0F, -1000.0F, -1e30F,
          std::numeric_limits<float>::lowest(), -std::numeric_limits<float>::infinity()}) {
        INFO("x = " << x);
        CHECK(exponential(x) == 0.0F);
    }
    for (float x = -87.0F; x > -88.5F; x -= 0.001F) {
        INFO("x = " << x);
        CHECK(exponential(x) >= 0.0F);
        CHECK(exponential(x) < 1.7e-38F);
    }
}

TEST_CASE("exponential: NaN stays NaN", "[exponential]") {
    CHECK(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
    CHECK(std::isnan(exponential(-std::numeric_limits<float>::quiet_NaN())));
}
