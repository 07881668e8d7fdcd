#include "attention/status.hpp"

#include <utility>

namespace attention {

Status::Status() = default;
Status::Status(Code code_, std::string field_, std::string message_)
    : code(code_), field(std::move(field_)), message(std::move(message_)) {}
Status::~Status() = default;
Status::Status(const Status& other) = default;
Status::Status(Status&& other) noexcept = default;
Status& Status::operator=(const Status& other) = default;
Status& Status::operator=(Status&& other) noexcept = default;

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
        case Code::worker_died: return "worker-died";
        case Code::unavailable: return "unavailable";
    }
    return "unknown";
}

}  // namespace attention
