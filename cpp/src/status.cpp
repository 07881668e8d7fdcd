#include "attention/status.hpp"

namespace attention {

std::string_view name(Code code) {
    switch (code) {
        case Code::ok: return "ok";
        case Code::missing_field: return "missing-field";
        case Code::unknown_field: return "unknown-field";
        case Code::wrong_type: return "wrong-type";
        case Code::wrong_value: return "wrong-value";
        case Code::wrong_shape: return "wrong-shape";
        case Code::too_large: return "too-large";
        case Code::out_of_memory: return "out-of-memory";
        case Code::unavailable: return "unavailable";
    }
    return "unknown";
}

}  // namespace attention
