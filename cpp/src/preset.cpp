#include "attention/preset.hpp"

#include <algorithm>
#include <cmath>

#include "checked.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

enum Name : std::uint8_t { identity, zero, random, previous_token, first_token, same_token };
constexpr std::string_view names[] = {"identity",       "zero",        "random",
                                      "previous-token", "first-token", "same-token"};

/// The tensors, each a stream of random numbers of its own.
enum Tensor : std::uint8_t { tokens, wq, wk, wv, wo };

/// The steps of a circle that float32 tells apart with ease.
constexpr std::int64_t most_steps = 64;

/// Each token is compared with all before it.
constexpr std::int64_t most_compared = 4096;

// The finaliser of SplitMix64 (Steele, Lea & Flood 2014), which spreads each bit over all.
std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

double rounded(double value, double unit) { return std::floor(value * unit + 0.5) / unit; }

/// cos or sin of 2 * pi * step / period, to six decimals, by its power series: the
/// libraries of machines differ in the last bit.
double wave(std::int64_t step, std::int64_t period, bool sine) {
    constexpr double pi = 3.14159265358979323846;
    step %= period;
    if (2 * step > period) step -= period;
    if (2 * step < -period) step += period;
    const double angle = 2 * pi * static_cast<double>(step) / static_cast<double>(period);
    double term = 1;
    double sum = sine ? 0 : 1;
    for (int n = 1; n < 28; ++n) {
        term *= angle / n;
        if ((n % 2 == 1) == sine) sum += (n & 2) ? -term : term;
    }
    return rounded(sum, 1e6);
}

/// A preset in the making: every number of it is a function of its place.
struct Maker {
    explicit Maker(const Preset& of) : preset(of) {}

    const Preset& preset;
    int name = identity;
    bool writes = false;            // before that, sizes are only looked at
    std::vector<std::int64_t> ids;  // of the tokens at 0 ... S - 1, counted from 0
    std::int64_t pairs = 0;         // features / 2 of a point
    std::int64_t base = 1;          // the circle of pair p has base^(p + 1) steps
    double factor = 0;              // how long a query is

    std::int64_t period(std::int64_t pair) const {
        std::int64_t steps = base;
        while (pair-- > 0) steps *= base;
        return steps;
    }

    Status check_dims(std::int64_t least_head, std::int64_t least_model, std::int64_t count) const {
        const struct {
            std::string_view field;
            std::int64_t least;
            std::int64_t size;
        } dims[] = {{"headDim", least_head, preset.shape.head_dim},
                    {"modelDim", least_model, preset.model_dim}};
        for (const auto& [field, least, size] : dims) {
            if (size >= least) continue;
            return error(Code::wrong_value, field,
                         "% must be at least % for the preset '%' of % different tokens, but is %",
                         {field, least, preset.name, count, size});
        }
        return {};
    }

    /// Enough circles to tell `count` tokens apart, and queries so long that the right
    /// key outweighs all others together 20 to 1.
    Status choose(std::int64_t count) {
        count = std::max<std::int64_t>(count, 1);
        if (name == first_token) {
            if (Status status = check_dims(1, 2, count); !status.ok()) return status;
        } else {
            std::int64_t least = 2;
            for (std::int64_t reach = most_steps; reach < count; reach *= most_steps) least += 2;
            if (Status status = check_dims(least, least, count); !status.ok()) return status;
            // With 2 steps a circle, count's binary digits are enough of them.
            std::int64_t digits = 1;
            while ((std::int64_t{1} << digits) < count) ++digits;
            pairs = std::min({preset.shape.head_dim / 2, preset.model_dim / 2, digits});
            while (period(pairs - 1) < count) ++base;
        }
        int doublings = 0;
        while ((std::int64_t{1} << doublings) < 20 * count) ++doublings;
        // Of two tokens that differ, the dot is less by one step of a circle at least.
        const double gap = base > 1 ? 1 - wave(1, base, false) : 1;
        const double dim = std::sqrt(static_cast<double>(preset.shape.head_dim));
        factor = std::ceil(0.7 * doublings * dim / gap);  // exp(0.7) > 2
        return {};
    }

    /// Gives the same number to tokens of the same id.
    Status count_ids(std::int64_t& different) {
        const std::int64_t keys = preset.shape.keys;
        if (!preset.token_ids) {
            return error(Code::missing_field, "tokenIds", "The preset '%' needs tokenIds",
                         {preset.name});
        }
        const std::span<const std::int32_t> given = *preset.token_ids;
        if (Status status =
                check_size("tokenIds", "[S]", {keys}, static_cast<std::int64_t>(given.size()));
            !status.ok()) {
            return status;
        }
        if (keys > most_compared) {
            return error(Code::too_large, "tokenIds",
                         "The preset '%' compares at most % tokens, but there are %",
                         {preset.name, most_compared, keys});
        }
        different = 0;
        for (std::int64_t at = 0; at < keys; ++at) {
            const auto first = std::find(given.begin(), given.begin() + at, given[at]);
            const std::int64_t same = first - given.begin();
            ids.push_back(same < at ? ids[same] : different++);
        }
        return {};
    }

    /// A feature of the token at a position.
    double feature(std::int64_t position, std::int64_t at) const {
        if (name == first_token) return at == 0 ? position == 0 : at == 1;
        if (at >= 2 * pairs) return 0;
        const bool known = name == same_token && position >= 0;
        return wave(known ? ids[position] : position, period(at / 2), at % 2 == 1);
    }

    /// How feature `from` of a token goes into feature `to` of its query.
    double query(std::int64_t to, std::int64_t from) const {
        if (name == first_token) return to == 0 && from == 1 ? factor : 0;
        if (to >= 2 * pairs || to / 2 != from / 2) return 0;
        const std::int64_t back = name == previous_token ? 1 : 0;
        const double turn = wave(back, period(to / 2), to != from);
        return rounded((to > from ? -turn : turn) * factor, 1e6);
    }

    double value(Tensor tensor, std::int64_t row, std::int64_t column, std::int64_t columns) const {
        const Shape& s = preset.shape;
        switch (name) {
            case identity: return row == column ? 1 : 0;
            case zero: return 0;
            case random: {
                const std::uint64_t stream =
                    mix(mix(static_cast<std::uint64_t>(preset.seed)) + tensor);
                const auto place = static_cast<std::uint64_t>(row * columns + column);
                const std::uint64_t bits = mix(stream + 0x9E3779B97F4A7C15 * (place + 1));
                const double even = static_cast<double>(bits >> 40) / 0x1p23 - 1;
                return rounded(even / std::sqrt(static_cast<double>(columns)), 100);
            }
            default: break;
        }
        switch (tensor) {
            case tokens: return feature(row, column);
            case wq: return query(row % s.head_dim, column);
            case wk: {
                const std::int64_t to = row % s.head_dim;
                return to == column && to < std::max<std::int64_t>(2 * pairs, 1) ? 1 : 0;
            }
            case wv: return row % s.value_dim == column ? 1 : 0;
            case wo: break;
        }
        return column % s.value_dim == row ? 1.0 / static_cast<double>(s.query_heads) : 0;
    }

    /// heads * dim rows from `first` on, for each of `times` batch items.
    Status fill(Tensor tensor, std::int64_t times, std::int64_t heads, std::int64_t dim,
                std::int64_t columns, std::vector<float>& into, std::int64_t first = 0) const {
        const std::int64_t size = saturating_product({times, heads, dim, columns});
        if (size > max_trace_pairs) {
            return error(Code::too_large, "",
                         "A preset has tensors of at most % values, but one has %",
                         {max_trace_pairs, size});
        }
        if (!writes) return {};
        into.assign(static_cast<std::size_t>(size), 0.0F);
        std::size_t at = 0;
        for (std::int64_t b = 0; b < times; ++b) {
            // Batch items are alike but for random tokens.
            if (name == random && b > 0) first += preset.shape.queries + preset.shape.keys;
            for (std::int64_t row = 0; row < heads * dim; ++row) {
                for (std::int64_t column = 0; column < columns; ++column) {
                    into[at++] = static_cast<float>(value(tensor, first + row, column, columns));
                }
            }
        }
        return {};
    }

    /// The first error, if there is one.
    Status fill_all(LayerValues& into) const {
        const Shape& s = preset.shape;
        const std::int64_t m = preset.model_dim;
        const std::int64_t merged = saturating_product({s.query_heads, s.value_dim});
        Status status = fill(tokens, s.batch, 1, s.queries, m, into.x, s.keys - s.queries);
        if (status.ok()) status = fill(tokens, s.batch, 1, s.keys, m, into.context);
        if (status.ok()) status = fill(wq, 1, s.query_heads, s.head_dim, m, into.wq);
        if (status.ok()) status = fill(wk, 1, s.kv_heads, s.head_dim, m, into.wk);
        if (status.ok()) status = fill(wv, 1, s.kv_heads, s.value_dim, m, into.wv);
        if (status.ok()) status = fill(wo, 1, 1, preset.output_dim, merged, into.wo);
        return status;
    }
};

}  // namespace

Status fill_layer(const Preset& preset, LayerValues& into) {
    const Shape& s = preset.shape;
    Maker maker(preset);
    Status status = check_shape(s);
    if (status.ok() && preset.model_dim < 1) status = too_small("modelDim", 1, preset.model_dim);
    if (status.ok() && preset.output_dim < 1) status = too_small("outputDim", 1, preset.output_dim);
    if (status.ok()) status = find_name("preset", names, preset.name, maker.name);
    if (status.ok()) status = maker.fill_all(into);
    std::int64_t different = s.keys;
    if (status.ok() && maker.name == same_token) status = maker.count_ids(different);
    if (status.ok() && maker.name > random) status = maker.choose(different);
    if (!status.ok()) return status;
    maker.writes = true;
    return maker.fill_all(into);
}

}  // namespace attention
