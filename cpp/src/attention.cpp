// attend() and trace(): check, make room, choose the kernel.
#include "attention/attention.hpp"

#include "checked.hpp"
#include "kernels.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

/// The tiled kernel fills 8 lanes with rows of one KV head (on 128-bit vectors);
/// with up to half of that the decode kernel is faster, measured at S = 8192.
constexpr std::int64_t most_decoding_rows = 4;

}  // namespace

std::string_view name(Kernel kernel) {
    switch (kernel) {
        case Kernel::automatic: return "auto";
        case Kernel::reference: return "reference";
        case Kernel::online: return "online";
        case Kernel::tiled: return "tiled";
        case Kernel::decode: return "decode";
    }
    return "unknown";
}

Kernel kernel_for(const Problem& problem) {
    if (problem.kernel != Kernel::automatic) return problem.kernel;
    const Shape& s = problem.shape;
    const bool is_decoding = s.group() * s.queries <= most_decoding_rows;
    return is_decoding ? Kernel::decode : Kernel::tiled;
}

std::int64_t output_size(const Shape& shape) {
    return saturating_product({shape.batch, shape.query_heads, shape.queries, shape.value_dim});
}

Status attend(const Problem& problem, std::span<float> output) {
    Checked checked;
    if (Status status = check(problem, checked); !status.ok()) return status;
    const Shape& s = problem.shape;
    if (Status status = check_size("output", "B * Hq * T * Dv", {output_size(s)},
                                   static_cast<std::int64_t>(output.size()));
        !status.ok()) {
        return status;
    }
    if (output.empty()) return {};  // whatever the other counts are: there is no work
    const HeadView<float> into =
        view_heads(output.data(), problem.layout, s.query_heads, s.queries, s.value_dim);
    switch (kernel_for(problem)) {
        case Kernel::reference: return attend_reference(checked, into);
        case Kernel::online: attend_online(checked, into); return {};
        case Kernel::decode: return attend_decode(checked, into);
        case Kernel::automatic:
        case Kernel::tiled: return attend_tiled(checked, into);
    }
    return error(Code::wrong_value, "kernel", "kernel is none that this library has");
}

Status check_trace_size(std::string_view what, std::int64_t count) {
    if (count <= max_trace_pairs) return {};
    return error(Code::too_large, "",
                 "A trace keeps every intermediate and takes at most % %, but this problem has %",
                 {max_trace_pairs, what, count});
}

Status trace(const Problem& problem, Trace& into) {
    Checked checked;
    if (Status status = check(problem, checked); !status.ok()) return status;
    const Shape& s = problem.shape;
    const std::int64_t rows = saturating_product({s.batch, s.query_heads, s.queries});
    const std::int64_t pairs = saturating_product({rows, s.keys});
    if (Status status = check_trace_size("pairs of queries and keys (B * Hq * T * S)", pairs);
        !status.ok()) {
        return status;
    }
    if (Status status = check_trace_size("output values (B * Hq * T * Dv)", output_size(s));
        !status.ok()) {
        return status;
    }
    for (std::vector<float>* stage :
         {&into.dots, &into.scores, &into.capped, &into.masked, &into.weights}) {
        stage->assign(static_cast<std::size_t>(pairs), 0.0F);
    }
    into.hidden_by.assign(static_cast<std::size_t>(pairs), 0);
    into.row_max.assign(static_cast<std::size_t>(rows), 0.0F);
    into.row_sum.assign(static_cast<std::size_t>(rows), 0.0F);
    into.output.assign(static_cast<std::size_t>(output_size(s)), 0.0F);
    if (into.output.empty()) return {};
    trace_reference(
        checked,
        view_heads(into.output.data(), problem.layout, s.query_heads, s.queries, s.value_dim),
        into);
    return {};
}

}  // namespace attention
