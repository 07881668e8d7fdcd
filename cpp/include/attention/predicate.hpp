// Mask rules as predicates on positions: may a query at one position see the key
// at another? They can be combined, drawn, and read as a line of code, in which
// `query` and `key` are the positions.
//
// named_mask.hpp turns one into the boolean mask of a problem.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace attention::predicate {

struct Causal {
    bool operator()(std::int64_t query, std::int64_t key) const { return key <= query; }
    std::string code() const;
};

/// The last `width` positions, the query's own among them, and if `sinks` is not 0
/// those before position `sinks`, which a model that streams must not lose (Xiao et
/// al. 2023, "Efficient Streaming Language Models with Attention Sinks").
struct SlidingWindow {
    std::int64_t width;
    std::int64_t sinks = 0;
    bool operator()(std::int64_t query, std::int64_t key) const {
        return key <= query && (query - key < width || (sinks != 0 && key < sinks));
    }
    std::string code() const;
};

/// The positions before `length`, which everyone sees (Raffel et al. 2020,
/// section 3.2.1: "causal with prefix" is either(Causal, Prefix)).
struct Prefix {
    std::int64_t length;
    bool operator()(std::int64_t /*query*/, std::int64_t key) const { return key < length; }
    std::string code() const;
};

/// The positions of the query's own document, before and after it: sequences that
/// were packed into one row do not see each other (Krell et al. 2021). `ids` holds
/// the document of position 0, 1, 2 ...; all other positions share one of their own.
struct Documents {
    std::span<const std::int32_t> ids;
    bool operator()(std::int64_t query, std::int64_t key) const {
        const bool inside = has(query);
        return inside == has(key) && (!inside || ids[query] == ids[key]);
    }
    std::string code() const;

private:
    bool has(std::int64_t position) const {
        return position >= 0 && position < static_cast<std::int64_t>(ids.size());
    }
};

/// Positions in blocks of `size`, of which a query sees, as far as they lie not
/// after it, the last `local` ones with its own and every one whose number counted
/// from 1 is a multiple of `stride`. That is the "fixed" pattern of Child et al.
/// 2019 with whole blocks as its columns, as Phi-3 computes it (Abdin et al. 2024).
/// A stride of 0 is none.
struct BlockSparse {
    std::int64_t size;
    std::int64_t local = 1;
    std::int64_t stride = 0;
    bool operator()(std::int64_t query, std::int64_t key) const {
        return key <= query && (block(query) - block(key) < local ||
                                (stride != 0 && (block(key) + 1) % stride == 0));
    }
    std::string code() const;

private:
    /// Rounds down, so that position -1 is the last of block -1.
    std::int64_t block(std::int64_t position) const {
        return position / size - (position % size < 0 ? 1 : 0);
    }
};

/// Every `dilation`-th position back from the query's own, within `width` positions
/// (Beltagy et al. 2020, section 3.1, looking back only; their w is the number of
/// keys seen, width / dilation rounded up).
struct Dilated {
    std::int64_t width;
    std::int64_t dilation;
    bool operator()(std::int64_t query, std::int64_t key) const {
        return key <= query && query - key < width && (query - key) % dilation == 0;
    }
    std::string code() const;
};

template <class A, class B>
struct Both {
    A a;
    B b;
    bool operator()(std::int64_t query, std::int64_t key) const {
        return a(query, key) && b(query, key);
    }
    std::string code() const { return "(" + a.code() + ") && (" + b.code() + ")"; }
};

template <class A, class B>
struct Either {
    A a;
    B b;
    bool operator()(std::int64_t query, std::int64_t key) const {
        return a(query, key) || b(query, key);
    }
    std::string code() const { return a.code() + " || " + b.code(); }
};

template <class A, class B>
Both<A, B> both(A a, B b) {
    return {a, b};
}
template <class A, class B>
Either<A, B> either(A a, B b) {
    return {a, b};
}

/// The predicate as lines of 0 and 1 for queries and keys at 0 ... tokens - 1.
template <class Predicate>
std::string draw(const Predicate& sees, std::int64_t tokens) {
    std::string lines;
    for (std::int64_t query = 0; query < tokens; ++query) {
        for (std::int64_t key = 0; key < tokens; ++key) lines += sees(query, key) ? '1' : '0';
        lines += '\n';
    }
    return lines;
}

}  // namespace attention::predicate
