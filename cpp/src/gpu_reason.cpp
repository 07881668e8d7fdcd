#include "attention/gpu_plan.hpp"
#include "sentence.hpp"

namespace attention {

namespace {

std::string_view words(GpuReason reason) {
    switch (reason) {
        case GpuReason::chosen: return "This backend was asked for";
        case GpuReason::waiting: return "No problem was large enough yet to try the GPU";
        case GpuReason::faster: return "Measured here, the GPU is faster from some size on";
        case GpuReason::slower: return "Measured here, WebAssembly is faster at any size";
        case GpuReason::too_small: return "The problem is too small to be worth the GPU";
        case GpuReason::no_api:
            return "WebGPU is not there: neither navigator.gpu nor the option gpu";
        case GpuReason::insecure:
            return "WebGPU needs https or localhost; this page came over http";
        case GpuReason::no_adapter:
            return "WebGPU is there, but has no adapter: no GPU can be used";
        case GpuReason::no_device: return "The GPU's adapter gave no device";
        case GpuReason::shader: return "The GPU's compiler refused a kernel";
        case GpuReason::lost: return "The GPU's device was lost";
        case GpuReason::failed: return "The GPU could not do it";
    }
    return "";
}

}  // namespace

Status gpu_reason(GpuReason reason, std::string_view detail) {
    const std::string_view colon = detail.empty() ? "" : ": ";
    return error(Code::unavailable, "backend", "%%%", {words(reason), colon, detail});
}

}  // namespace attention
