// The module attention-gpu: the plan of a GPU's work as JavaScript values. It is a
// module of its own, so that nobody fetches it who has no use for it; the driver is
// TypeScript.
#include "attention/gpu_plan.hpp"
#include "inputs.hpp"
#include "results.hpp"

namespace attention::bindings {

namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(GpuProblemValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(GpuLimitsValue)
EMSCRIPTEN_DECLARE_VAL_TYPE(GpuPlanResult)

/// An adapter's limits: the GPUSupportedLimits of a device.
GpuLimits read_limits(const val& value) {
    const auto limit = [&](const char* name) {
        return static_cast<std::int64_t>(value[key(name)].as<double>());
    };
    GpuLimits limits;
    limits.max_storage_buffer_binding_size = limit("maxStorageBufferBindingSize");
    limits.max_buffer_size = limit("maxBufferSize");
    limits.max_compute_workgroups_per_dimension = limit("maxComputeWorkgroupsPerDimension");
    return limits;
}

Status pass_object(const Problem& problem, const GpuPlan& plan, const GpuPass& pass, val& object) {
    Buffer<std::uint32_t> memory;
    if (!memory.reserve(pass.most_words)) return out_of_memory("the mask of the GPU's plan");
    const std::span<std::uint32_t> words(memory.data(), static_cast<std::size_t>(pass.most_words));
    const std::int64_t count = fill_gpu_words(problem, plan, pass, words);
    const auto range = [&](const char* name, std::int64_t first, std::int64_t length) {
        object.set(key(name), sizes({first, first + length}));
    };
    range("batch", pass.first_batch, pass.batches);
    range("kvHeads", pass.first_kv_head, pass.kv_heads);
    range("queries", pass.first_query, pass.queries);
    object.set(key("workgroups"), sizes(pass.workgroups));
    object.set(key("outputValues"), static_cast<double>(pass.output_values));
    object.set(key("words"), copy(words.data(), static_cast<std::size_t>(count)));
    object.set(key("uniforms"),
               copy(reinterpret_cast<const std::uint8_t*>(&pass.uniforms), sizeof(GpuUniforms)));
    return {};
}

GpuPlanResult gpu_plan_value(const GpuProblemValue& value, const GpuLimitsValue& limits,
                             bool weights) {
    ProblemInput input;
    GpuPlan plan;
    Status status = read_without_values(value, input);
    const Problem& problem = input.problem;
    if (status.ok()) {
        const GpuTask task = weights ? GpuTask::weights : GpuTask::output;
        status = gpu_plan(problem, task, read_limits(limits), plan);
    }
    Mask mask;
    if (status.ok()) status = Mask::resolve(problem.shape, problem.mask, mask);
    val passes = val::array();
    int at = 0;
    for (const GpuPass& pass : plan.passes) {
        val object = val::object();
        if (status.ok()) status = pass_object(problem, plan, pass, object);
        passes.set(at++, object);
    }
    if (!status.ok()) return GpuPlanResult(failure(status));
    val object = val::object();
    object.set(key("rows"), static_cast<double>(plan.rows));
    object.set(key("chunks"), static_cast<double>(plan.chunks));
    object.set(key("aligned"), plan.aligned);
    object.set(key("capped"), plan.capped);
    object.set(key("passes"), passes);
    object.set(key("biasShape"), sizes(mask.bias_sizes(problem.shape)));
    object.set(key("shape"), shape_object(problem));
    return GpuPlanResult(object);
}

}  // namespace

EMSCRIPTEN_BINDINGS(gpu) {
    declare<GpuProblemValue>(Input::problem);
    declare<GpuLimitsValue>(
        "{ maxStorageBufferBindingSize: number; maxBufferSize: number;"
        " maxComputeWorkgroupsPerDimension: number }");
    declare<GpuPlanResult>(
        "{ rows: number; chunks: number; aligned: boolean; capped: boolean; biasShape: number[];"
        " shape: " SHAPE_TYPE
        ";"
        " passes: { batch: [number, number]; kvHeads: [number, number];"
        " queries: [number, number]; workgroups: [number, number, number];"
        " outputValues: number; words: Uint32Array; uniforms: Uint8Array }[] } | " FAILURE_TYPE);

    emscripten::function("plan", &gpu_plan_value);
}

}  // namespace attention::bindings
