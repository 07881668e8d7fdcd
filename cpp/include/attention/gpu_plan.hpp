// The work that a GPU has to do for a problem, planned but not done.
//
// The plan is made here and nowhere else: a driver (web/src/engine/gpu) uploads
// what it names, runs its passes and knows no rule of attention. So the plan is
// tested without a GPU, and both paths keep one contract.
//
// The kernels work on tiles: the rows of a KV head (the queries of all heads that
// read it, ordered by position: row r is query r / group of the group's head
// r % group), 16 to 64 at a time, against 32 keys at a time. A workgroup takes one
// tile of rows and visits the key tiles that the plan lists for it, and no others.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "attention/attention.hpp"

namespace attention {

/// What an adapter can do, by the names of WebGPU's GPUSupportedLimits. The values
/// here are those that every adapter has. Workgroup memory is not among them: the
/// kernels need 4 KiB and a few bytes, and every adapter has 16 KiB.
struct GpuLimits {
    std::int64_t max_storage_buffer_binding_size = std::int64_t{128} << 20;  ///< bytes
    std::int64_t max_buffer_size = std::int64_t{256} << 20;                  ///< bytes
    std::int64_t max_compute_workgroups_per_dimension = 65535;
};

enum class GpuTask : std::uint8_t {
    output,   ///< the output of attend()
    weights,  ///< the weights [B, Hq, T, S], for display
};

/// Rows of a tile: a power of 2, from the one to the other.
inline constexpr std::int64_t gpu_least_rows = 16;
inline constexpr std::int64_t gpu_most_rows = 64;
/// Keys of a tile; one word of packed mask.
inline constexpr std::int64_t gpu_tile_keys = 32;
/// The longest value of which a thread can hold rows.
inline constexpr std::int64_t gpu_max_value_dim = 256;

/// The uniform buffer, 4 bytes a field; the build writes WGSL's struct from this one.
/// Strides count float32 values or words; what ends in _at is an index of words.
struct GpuUniforms {
    std::uint32_t rows = 0;   ///< of a KV head: group * queries
    std::uint32_t group = 0;  ///< query heads that read one KV head
    std::uint32_t keys = 0;
    std::uint32_t head_dim = 0;
    std::uint32_t value_dim = 0;
    std::uint32_t kv_heads = 0;   ///< of the pass
    std::uint32_t heads = 0;      ///< batch items times KV heads of the pass
    std::uint32_t row_tiles = 0;  ///< of a KV head
    std::uint32_t q_batch = 0;
    std::uint32_t q_head = 0;
    std::uint32_t q_row = 0;
    std::uint32_t k_batch = 0;
    std::uint32_t k_head = 0;
    std::uint32_t k_row = 0;
    std::uint32_t v_batch = 0;
    std::uint32_t v_head = 0;
    std::uint32_t v_row = 0;
    std::uint32_t output_batch = 0;  ///< of the output, or of the weights
    std::uint32_t output_head = 0;
    std::uint32_t output_row = 0;
    std::uint32_t ranges_at = 0;         ///< first and last position that a query sees
    std::uint32_t ranges_batch = 0;      ///< 0: one for all batch items
    std::uint32_t key_positions_at = 0;  ///< 0: key j stands at j
    std::uint32_t key_positions_batch = 0;
    std::uint32_t lists_at = 0;  ///< where the list of each row tile begins and ends
    std::uint32_t lists_batch = 0;
    std::uint32_t lists_head = 0;
    std::uint32_t allowed_at = 0;  ///< a bit for each key, 0: no boolean mask
    std::uint32_t allowed_batch = 0;
    std::uint32_t allowed_head = 0;
    std::uint32_t allowed_query = 0;
    std::uint32_t has_bias = 0;
    std::uint32_t bias_batch = 0;
    std::uint32_t bias_head = 0;
    std::uint32_t bias_query = 0;
    std::uint32_t bias_key = 0;
    float scale = 1.0F;
    float softcap = 0.0F;        ///< 0: none
    std::uint32_t unused_0 = 0;  // the size of a uniform struct is a multiple of 16 bytes
    std::uint32_t unused_1 = 0;
};

/// One dispatch: a rectangle of the problem with tensors of its own, which lie in
/// the problem's layout. Cut so that no buffer exceeds a limit.
struct GpuPass {
    std::int64_t first_batch = 0;
    std::int64_t batches = 0;
    std::int64_t first_kv_head = 0;
    std::int64_t kv_heads = 0;
    std::int64_t first_query = 0;
    std::int64_t queries = 0;
    std::array<std::int64_t, 3> workgroups = {0, 0, 0};
    std::int64_t output_values = 0;  ///< float32 values that the pass writes
    std::int64_t most_words = 0;     ///< the room that fill_gpu_words() needs
    GpuUniforms uniforms;
};

struct GpuPlan {
    std::int64_t rows = 0;        ///< of a tile; WGSL's ROWS
    std::int64_t chunks = 0;      ///< of 32 values that an output row has room for; WGSL's CHUNKS
    bool aligned = false;         ///< D and Dv are multiples of 4: tensors as vectors of 4
    bool capped = false;          ///< there is a softcap
    std::vector<GpuPass> passes;  ///< none where there is no work
};

/// Checks the problem as validate() does and plans it; q, k and v are not read.
/// Errors: whatever validate() says; too_large where one query of one KV head
/// exceeds a limit, or Dv exceeds gpu_max_value_dim. On an error `into` is left as
/// it was.
Status gpu_plan(const Problem& problem, GpuTask task, const GpuLimits& limits, GpuPlan& into);

/// Writes all that the kernels have to know of a pass's mask but the bias, and gives
/// the number of words. In this order: for each query the first and the last position
/// that it sees, as int32; positions of keys, if given; the boolean mask, a bit for
/// each key, if there is one; for each tile of rows where its list begins, and the end
/// of the last list; the lists, for each key tile to visit a word: twice its index,
/// plus 1 if some pair in it is hidden or has a bias. Needs the problem that the plan
/// was made for, and `into` of pass.most_words.
std::int64_t fill_gpu_words(const Problem& problem, const GpuPlan& plan, const GpuPass& pass,
                            std::span<std::uint32_t> into);

/// Why WASM computes and not the GPU, or the other way round.
enum class GpuReason : std::uint8_t {
    chosen,      ///< the caller asked for the backend that computes
    waiting,     ///< no problem was large enough yet to look at the GPU
    faster,      ///< measured: the GPU, from some size on
    slower,      ///< measured: WASM at any size
    too_small,   ///< this problem is below that size
    no_api,      ///< neither navigator.gpu nor a `gpu` handed in
    insecure,    ///< the page came over plain http, where browsers hide WebGPU
    no_adapter,  ///< requestAdapter() gave null
    no_device,   ///< requestDevice() failed
    shader,      ///< the GPU's compiler refused a kernel
    lost,        ///< the device was lost
    failed,      ///< anything else that the GPU refused
};

/// The reason as a sentence, with code unavailable. `detail` is what the browser said
/// of it, or the figures that were measured.
Status gpu_reason(GpuReason reason, std::string_view detail);

}  // namespace attention
