// Mask: which keys a query sees, why not the others, and what a rectangle of
// pairs looks like to a kernel.

#include "attention/mask.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/held_problem.hpp"
#include "support/oracle.hpp"
#include "support/problems.hpp"
#include "support/random.hpp"

using namespace support;
using attention::Hidden;
using attention::Mask;
using attention::MaskRules;
using attention::Shape;
using attention::Sight;
using attention::Window;
namespace hidden = attention::hidden;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

Mask resolved(const Shape& shape, const MaskRules& rules) {
    Mask mask;
    const attention::Status status = Mask::resolve(shape, rules, mask);
    REQUIRE(status.message == "");
    return mask;
}

/// The mask of batch item 0 and head 0 as lines of 0 and 1.
std::string picture(const Shape& shape, const MaskRules& rules) {
    const Mask mask = resolved(shape, rules);
    std::string lines;
    for (std::int64_t query = 0; query < shape.queries; ++query) {
        for (std::int64_t key = 0; key < shape.keys; ++key) {
            lines += mask.visible(0, 0, query, key) ? '1' : '0';
        }
        lines += '\n';
    }
    return lines;
}

Shape square(std::int64_t queries, std::int64_t keys) {
    return {.queries = queries, .keys = keys, .head_dim = 1, .value_dim = 1};
}

/// What a rectangle looks like, by looking at each of its pairs.
Sight look(const attention::Problem& problem, std::int64_t batch, std::int64_t head,
           std::int64_t query, std::int64_t queries, std::int64_t key, std::int64_t keys) {
    std::int64_t seen = 0;
    for (std::int64_t i = query; i < query + queries; ++i) {
        for (std::int64_t j = key; j < key + keys; ++j) {
            seen += oracle::hidden_by(problem, batch, head, i, j) == 0;
        }
    }
    if (seen == 0) return Sight::none;
    return seen == queries * keys ? Sight::all : Sight::some;
}

}  // namespace

TEST_CASE("mask: rules drawn", "[mask]") {
    MaskRules rules;
    SECTION("causal by default") {
        CHECK(picture(square(3, 3), rules) ==
              "100\n"
              "110\n"
              "111\n");
    }
    SECTION("fewer queries than keys: the last ones") {
        CHECK(picture(square(2, 4), rules) ==
              "1110\n"
              "1111\n");
    }
    SECTION("more queries than keys: the first see nothing") {
        CHECK(picture(square(4, 2), rules) ==
              "00\n"
              "00\n"
              "10\n"
              "11\n");
    }
    SECTION("window of the last two and causal") {
        rules.window = Window{1, 0};
        CHECK(picture(square(4, 4), rules) ==
              "1000\n"
              "1100\n"
              "0110\n"
              "0011\n");
    }
    SECTION("window to both sides") {
        rules.causal = false;
        rules.window = Window{1, 2};
        CHECK(picture(square(5, 5), rules) ==
              "11100\n"
              "11110\n"
              "01111\n"
              "00111\n"
              "00011\n");
    }
    SECTION("a side without limit") {
        rules.causal = false;
        rules.window = Window{std::nullopt, 1};
        CHECK(picture(square(4, 4), rules) ==
              "1100\n"
              "1110\n"
              "1111\n"
              "1111\n");
        rules.window = Window{1, std::nullopt};
        CHECK(picture(square(4, 4), rules) ==
              "1111\n"
              "1111\n"
              "0111\n"
              "0011\n");
        rules.window = Window{};
        CHECK(picture(square(2, 2), rules) ==
              "11\n"
              "11\n");
    }
    SECTION("positions out of order") {
        const std::vector<std::int32_t> queries = {2, 0};
        const std::vector<std::int32_t> keys = {1, 0, 5, 2};
        rules.query_positions = queries;
        rules.key_positions = keys;
        CHECK(picture(square(2, 4), rules) ==
              "1101\n"
              "0100\n");
    }
    SECTION("an additive mask hides with -infinity only") {
        rules.causal = false;
        const std::vector<float> bias = {0, -1e30F, -infinity, infinity};
        rules.bias = {bias, {4}};
        CHECK(picture(square(1, 4), rules) == "1101\n");
    }
    SECTION("a window far wider than any sequence") {
        rules.window = Window{INT64_MAX, INT64_MAX};
        CHECK(picture(square(3, 3), rules) ==
              "100\n"
              "110\n"
              "111\n");
        rules.causal = false;
        CHECK(picture(square(2, 2), rules) ==
              "11\n"
              "11\n");
    }
}

TEST_CASE("mask: positions at the ends of an int32", "[mask]") {
    const std::vector<std::int32_t> ends = {INT32_MIN, 0, INT32_MAX};
    MaskRules rules;
    rules.query_positions = ends;
    rules.key_positions = ends;
    CHECK(picture(square(3, 3), rules) ==
          "100\n"
          "110\n"
          "111\n");
    rules.window = Window{INT32_MAX, 0};
    CHECK(picture(square(3, 3), rules) ==
          "100\n"
          "010\n"
          "011\n");
}

TEST_CASE("mask: names of the rules", "[mask]") {
    CHECK(hidden::name(hidden::by_causal) == "causal");
    CHECK(hidden::name(hidden::by_window_left) == "window-left");
    CHECK(hidden::name(hidden::by_window_right) == "window-right");
    CHECK(hidden::name(hidden::by_allowed) == "allowed");
    CHECK(hidden::name(hidden::by_bias) == "bias");
    Hidden together = 0;
    for (const Hidden bit : hidden::all) {
        CHECK((together & bit) == 0);
        together |= bit;
    }
    CHECK(together == 31);
}

TEST_CASE("mask: a pair that several rules hide names them all", "[mask]") {
    const std::vector<std::uint8_t> allowed = {1, 1, 0, 0};
    const std::vector<float> bias = {0, -infinity, 0, -infinity};
    MaskRules rules;
    rules.allowed = {allowed, {4}};
    rules.bias = {bias, {4}};
    rules.window = Window{1, 0};
    const Mask mask = resolved(square(4, 4), rules);
    CHECK(mask.hidden_by(0, 0, 0, 0) == 0);
    CHECK(mask.hidden_by(0, 0, 2, 0) == hidden::by_window_left);
    CHECK(mask.hidden_by(0, 0, 1, 1) == hidden::by_bias);
    CHECK(mask.hidden_by(0, 0, 3, 1) == (hidden::by_window_left | hidden::by_bias));
    CHECK(mask.hidden_by(0, 0, 2, 2) == hidden::by_allowed);
    CHECK(mask.hidden_by(0, 0, 3, 3) == (hidden::by_allowed | hidden::by_bias));
    CHECK(mask.hidden_by(0, 0, 0, 2) ==
          (hidden::by_causal | hidden::by_window_right | hidden::by_allowed));
    CHECK(mask.hidden_by(0, 0, 0, 3) ==
          (hidden::by_causal | hidden::by_window_right | hidden::by_allowed | hidden::by_bias));
}

TEST_CASE("mask: hidden_by, visible, bias and positions of random rules", "[mask]") {
    for (std::uint64_t seed = 8000; seed < 8300; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        const attention::Problem problem = held.problem();
        const Shape& s = held.shape;
        const Mask mask = resolved(s, problem.mask);
        CHECK(mask.has_bias() == (held.bias.has_value() && !held.bias->values.empty()));
        CHECK(mask.has_allowed() == (held.allowed.has_value() && !held.allowed->values.empty()));
        INFO("seed " << seed << ", " << describe(problem));
        double visible = 0;
        for (std::int64_t b = 0; b < s.batch; ++b) {
            for (std::int64_t h = 0; h < s.query_heads; ++h) {
                for (std::int64_t t = 0; t < s.queries; ++t) {
                    for (std::int64_t k = 0; k < s.keys; ++k) {
                        const Hidden by = oracle::hidden_by(problem, b, h, t, k);
                        visible += by == 0;
                        if (mask.hidden_by(b, h, t, k) != by) {
                            FAIL("hidden_by(" << b << ", " << h << ", " << t << ", " << k << ") is "
                                              << int{mask.hidden_by(b, h, t, k)} << ", expected "
                                              << int{by});
                        }
                        if (mask.visible(b, h, t, k) != (by == 0)) FAIL("visible() disagrees");
                    }
                }
            }
        }
        CHECK(mask.count_visible(s) == visible);
    }
}

TEST_CASE("mask: range holds exactly the positions that causal rule and window show", "[mask]") {
    const std::optional<std::int64_t> sides[] = {std::nullopt, 0, 1, 5};
    for (const bool causal : {true, false}) {
        for (const auto& left : sides) {
            for (const auto& right : sides) {
                MaskRules rules;
                rules.causal = causal;
                rules.window = Window{left, right};
                const Mask mask = resolved(square(1, 1), rules);
                for (const std::int64_t at : {-3, 0, 7}) {
                    const Mask::Range range = mask.range(at);
                    for (std::int64_t key = at - 10; key <= at + 10; ++key) {
                        const bool seen = (!causal || key <= at) && (!left || at - key <= *left) &&
                                          (!right || key - at <= *right);
                        INFO("causal " << causal << ", position " << at << ", key " << key);
                        CHECK((range.first <= key && key <= range.last) == seen);
                    }
                    CHECK((range.first == Mask::no_first) == !left.has_value());
                    CHECK((range.last == Mask::no_last) == (!causal && !right));
                }
            }
        }
    }
}

TEST_CASE("mask: classify never claims wrongly", "[mask]") {
    // `all` and `none` must be true of every pair; `some` may be cautious where
    // positions are given, and is exact where they are not.
    int exact = 0;
    int cautious = 0;
    int claims[3] = {};
    for (std::uint64_t seed = 9000; seed < 9400; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        const attention::Problem problem = held.problem();
        const Shape& s = held.shape;
        if (s.batch * s.queries * s.keys == 0) continue;
        const Mask mask = resolved(s, problem.mask);
        const bool by_default = !held.query_positions && !held.key_positions;
        Random random(seed);
        for (int draw = 0; draw < 40; ++draw) {
            const std::int64_t b = random.whole(0, s.batch - 1);
            const std::int64_t h = random.whole(0, s.query_heads - 1);
            const std::int64_t query = random.whole(0, s.queries - 1);
            const std::int64_t queries =
                random.whole(1, std::min<std::int64_t>(s.queries - query, 9));
            const std::int64_t key = random.whole(0, s.keys - 1);
            const std::int64_t keys = random.whole(1, std::min<std::int64_t>(s.keys - key, 9));
            const Sight got = mask.classify(b, h, query, queries, key, keys);
            const Sight right = look(problem, b, h, query, queries, key, keys);
            ++claims[static_cast<int>(got)];
            INFO("seed " << seed << ", queries " << query << " + " << queries << ", keys " << key
                         << " + " << keys << ", classified " << static_cast<int>(got) << ", right "
                         << static_cast<int>(right) << ", " << describe(problem));
            if (got == right) {
                ++exact;
            } else if (got == Sight::some && !by_default) {
                ++cautious;
            } else {
                FAIL_CHECK("a wrong claim");
            }
        }
    }
    for (const int count : claims) CHECK(count > 500);
    INFO("exact " << exact << ", cautious " << cautious);
    CHECK(exact > 10 * cautious);
}

TEST_CASE("mask: keys outside of reach() are hidden from all the queries", "[mask]") {
    int narrowed = 0;
    for (std::uint64_t seed = 9500; seed < 9900; ++seed) {
        const HeldProblem held = random_problem(seed).held;
        const attention::Problem problem = held.problem();
        const Shape& s = held.shape;
        if (s.batch * s.queries == 0) continue;
        const Mask mask = resolved(s, problem.mask);
        Random random(seed);
        for (int draw = 0; draw < 5; ++draw) {
            const std::int64_t b = random.whole(0, s.batch - 1);
            const std::int64_t h = random.whole(0, s.query_heads - 1);
            const std::int64_t query = random.whole(0, s.queries - 1);
            const std::int64_t queries = random.whole(1, s.queries - query);
            const Mask::Keys reach = mask.reach(b, query, queries, s.keys);
            INFO("seed " << seed << ", queries " << query << " + " << queries << ", reach "
                         << reach.begin << " to " << reach.end << ", " << describe(problem));
            REQUIRE(0 <= reach.begin);
            REQUIRE(reach.begin <= reach.end);
            REQUIRE(reach.end <= s.keys);
            narrowed += reach.end - reach.begin < s.keys;
            for (std::int64_t key = 0; key < s.keys; ++key) {
                if (reach.begin <= key && key < reach.end) continue;
                REQUIRE(look(problem, b, h, query, queries, key, 1) == Sight::none);
            }
        }
    }
    CHECK(narrowed > 200);
}

TEST_CASE("mask: reach() of a causal window is as narrow as it can be", "[mask]") {
    MaskRules rules;
    rules.window = Window{2, 0};
    const Mask mask = resolved(square(10, 10), rules);
    const Mask::Keys one = mask.reach(0, 7, 1, 10);
    CHECK(one.begin == 5);
    CHECK(one.end == 8);
    const Mask::Keys some = mask.reach(0, 4, 3, 10);
    CHECK(some.begin == 2);
    CHECK(some.end == 7);
    const Mask::Keys early = mask.reach(0, 0, 2, 10);
    CHECK(early.begin == 0);
    CHECK(early.end == 2);
}

TEST_CASE("mask: classify on all rectangles of small default masks", "[mask]") {
    const std::optional<Window> windows[] = {
        std::nullopt,           Window{0, 0}, Window{2, 0}, Window{1, 3}, Window{std::nullopt, 2},
        Window{2, std::nullopt}};
    for (const auto& window : windows) {
        for (const bool causal : {true, false}) {
            for (const std::int64_t tokens : {4, 7, 9}) {
                HeldProblem held = zero_problem(square(6, tokens));
                held.causal = causal;
                held.window = window;
                const attention::Problem problem = held.problem();
                const Mask mask = resolved(held.shape, problem.mask);
                for (std::int64_t query = 0; query < 6; ++query) {
                    for (std::int64_t queries = 1; query + queries <= 6; ++queries) {
                        for (std::int64_t key = 0; key < tokens; ++key) {
                            for (std::int64_t keys = 1; key + keys <= tokens; ++keys) {
                                const Sight got = mask.classify(0, 0, query, queries, key, keys);
                                if (got != look(problem, 0, 0, query, queries, key, keys)) {
                                    FAIL_CHECK("queries " << query << " + " << queries << ", keys "
                                                          << key << " + " << keys << ", "
                                                          << describe(problem));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("mask: an error leaves the mask as it was", "[mask]") {
    MaskRules rules;
    rules.window = Window{1, 0};
    Mask mask = resolved(square(4, 4), rules);
    rules.window = Window{-1, 0};
    CHECK_FALSE(Mask::resolve(square(4, 4), rules, mask).ok());
    CHECK(mask.hidden_by(0, 0, 3, 0) == hidden::by_window_left);
    CHECK(mask.visible(0, 0, 3, 2));
}
