#include "engine/plan/arena_layout.h"

#include "engine/model/random.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace engine {
namespace {

// If a device has more buffers than this, they are placed only in the order of their starts. Any
// other order requires comparing all pairs of buffers.
constexpr std::size_t kFewLives = 4000;
// With at most this many buffers, climb() searches for a better order. The search ends when the
// layout is at most 1 / kGoodEnough larger than the peak, which is a lower bound. It also ends
// after kRounds rounds or kLooks comparisons of pairs (about 0.1 s).
constexpr std::size_t kVeryFewLives = 600;
constexpr std::size_t kRounds = 2'000, kLooks = 5'000'000;
constexpr std::uint64_t kClimbs = 8; // number of climbs; each starts from the best layout so far
constexpr Bytes kGoodEnough = 40;
// A climb may continue from a layout that is at most 1 / kDrift larger than the current one.
constexpr Bytes kDrift = 200;
constexpr Bytes kNoLimit = std::numeric_limits<Bytes>::max();

struct Piece
{
    std::uint32_t begin = 0, end = 0;
    Bytes bytes = 0;
};

struct Pieces
{
    Piece of[2];
    int count = 1;

    const Piece* begin() const { return of; }
    const Piece* end() const { return of + count; }
};

Pieces piecesOf(const BufferLife& life)
{
    if (!life.shrinksEarly())
        return {{{life.begin, life.end, life.bytes}, {}}, 1};
    return {{{life.begin, life.shrinks, life.bytes}, {life.shrinks + 1, life.end, life.rest}}, 2};
}

// The minimum difference of the offsets if `other` is placed above `below`; 0 if the two do not
// overlap in time.
Bytes clearance(const BufferLife& below, const BufferLife& other)
{
    if (below.end < other.begin || other.end < below.begin)
        return 0;
    if (!below.shrinksEarly())
        return aligned(below.bytes);
    Bytes height = 0;
    for (const Piece& a : piecesOf(below))
        for (const Piece& b : piecesOf(other))
            if (a.begin <= b.end && b.begin <= a.end)
                height = std::max(height, aligned(a.bytes));
    return height;
}

using Order = std::vector<std::uint32_t>; // indices of lives

// Places buffers one at a time into the lowest gap that fits.
class FirstFit
{
public:
    explicit FirstFit(std::span<const BufferLife> lives)
        : m_lives(lives)
        , m_shrinks(std::ranges::any_of(lives, &BufferLife::shrinksEarly))
        , m_offsets(lives.size())
    { }

    enum class Sorted : std::uint8_t { ByBegin, No };
    // Stops when the layout reaches `limit`.
    Bytes place(const Order& order, Sorted sorted, Bytes limit = kNoLimit)
    {
        m_placed.clear();
        Bytes bytes = 0;
        for (const std::uint32_t next : order) {
            if (sorted == Sorted::ByBegin) // a buffer that has ended cannot overlap later ones
                std::erase_if(m_placed, [&](std::uint32_t i) {
                    return m_lives[i].end < m_lives[next].begin;
                });
            const Bytes offset = lowest(next);
            m_offsets[next] = offset;
            bytes = std::max(bytes, offset + aligned(m_lives[next].bytes));
            if (bytes >= limit)
                return bytes;
            const auto behind = std::ranges::upper_bound(
                m_placed, offset, {}, [this](std::uint32_t i) { return m_offsets[i]; });
            m_placed.insert(behind, next);
        }
        return bytes;
    }
    const std::vector<Bytes>& offsets() const { return m_offsets; }

private:
    Bytes lowest(std::uint32_t next) const
    {
        Bytes offset = 0;
        for (bool raised = true; raised;) {
            raised = false;
            for (const std::uint32_t other : m_placed) {
                const Bytes above = clearance(m_lives[other], m_lives[next]);
                if (above == 0 || m_offsets[other] + above <= offset)
                    continue;
                if (m_offsets[other] >= offset + clearance(m_lives[next], m_lives[other]))
                    continue;
                offset = m_offsets[other] + above;
                raised = m_shrinks; // if no buffer shrinks, one pass suffices
            }
        }
        return offset;
    }

    std::span<const BufferLife> m_lives;
    bool m_shrinks = false;
    std::vector<Bytes> m_offsets;
    std::vector<std::uint32_t> m_placed; // sorted by offset
};

struct Peak
{
    Bytes bytes = 0;
    std::uint32_t position = 0;
};

// Sums size(bytes) over all pieces that are alive at one position.
template<class Size>
Peak findPeak(std::span<const BufferLife> lives, Size size)
{
    std::uint32_t last = 0;
    for (const BufferLife& life : lives)
        last = std::max(last, life.end);
    std::vector<Bytes> change(last + 2);
    for (const BufferLife& life : lives)
        for (const Piece& piece : piecesOf(life)) {
            change[piece.begin] += size(piece.bytes);
            change[piece.end + 1] -= size(piece.bytes);
        }
    Peak peak;
    Bytes alive = 0;
    for (std::uint32_t i = 0; i <= last; ++i) {
        alive += change[i];
        if (alive > peak.bytes)
            peak = {alive, i};
    }
    return peak;
}

class Search
{
public:
    explicit Search(std::span<const BufferLife> lives)
        : m_lives(lives)
        , m_peak(findPeak(lives, aligned))
        , m_fit(lives)
        , m_byBegin(lives.size())
    {
        std::iota(m_byBegin.begin(), m_byBegin.end(), 0U);
        std::ranges::stable_sort(m_byBegin, {}, [&](std::uint32_t i) { return lives[i].begin; });
    }

    ArenaLayout run()
    {
        m_best.bytes = kNoLimit;
        take(m_byBegin, m_fit.place(m_byBegin, FirstFit::Sorted::ByBegin));
        if (m_lives.size() <= kFewLives) {
            const auto length = [](const BufferLife& l) { return Bytes{l.end} - l.begin + 1; };
            tryBy([](const BufferLife& life) { return -life.bytes; });
            tryBy([&](const BufferLife& life) { return -length(life); });
            tryBy([&](const BufferLife& life) { return -length(life) * life.bytes; });
            tryBy([](const BufferLife& life) { return life.end; });
        }
        if (m_lives.size() <= kVeryFewLives)
            for (std::uint64_t seed = 1; seed <= kClimbs && !isGood(); ++seed)
                climb(Random(seed));
        m_best.peak = m_peak.bytes;
        m_best.peakAt = m_peak.position;
        return std::move(m_best);
    }

private:
    bool isGood() const { return m_best.bytes <= m_peak.bytes + m_peak.bytes / kGoodEnough; }

    void take(const Order& order, Bytes bytes)
    {
        if (bytes >= m_best.bytes)
            return;
        m_best.bytes = bytes;
        m_best.offsets = m_fit.offsets();
        m_order = order;
    }

    template<class Key>
    void tryBy(const Key& key)
    {
        if (isGood())
            return;
        Order order = m_byBegin;
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key(m_lives[i]); });
        take(order, m_fit.place(order, FirstFit::Sorted::No));
    }

    // Moves one buffer at a time within the order, usually one near the top of the layout, and
    // continues from the result unless it is much worse.
    void climb(Random random)
    {
        Order now = m_order;
        std::vector<Bytes> offsets = m_best.offsets;
        Bytes bytes = m_best.bytes;
        const std::size_t rounds = std::min(kRounds, kLooks / (m_lives.size() * m_lives.size()));
        for (std::size_t i = 0; i < rounds && !isGood(); ++i) {
            Order order = now;
            const std::size_t from = candidate(order, offsets, random);
            const std::size_t to
                = random.below(4) == 0 ? random.below(order.size()) : random.below(from + 1);
            const auto at = [&](std::size_t k) { return order.begin() + k; };
            if (to <= from)
                std::rotate(at(to), at(from), at(from + 1));
            else
                std::rotate(at(from), at(from + 1), at(to + 1));
            const Bytes limit = bytes + bytes / kDrift + 1;
            const Bytes next = m_fit.place(order, FirstFit::Sorted::No, limit);
            if (next >= limit)
                continue;
            bytes = next;
            offsets = m_fit.offsets();
            take(order, next);
            now = std::move(order);
        }
    }

    std::size_t candidate(const Order& order, const std::vector<Bytes>& offsets, Random& random)
    {
        m_high.clear();
        for (std::size_t k = 0; k < order.size(); ++k)
            if (offsets[order[k]] + aligned(m_lives[order[k]].bytes) > m_peak.bytes)
                m_high.push_back(k);
        if (m_high.empty() || random.below(2) == 0)
            return random.below(order.size());
        return m_high[random.below(m_high.size())];
    }

    std::span<const BufferLife> m_lives;
    Peak m_peak;
    FirstFit m_fit;
    Order m_byBegin, m_order; // m_order: order of the best layout
    std::vector<std::size_t> m_high;
    ArenaLayout m_best;
};

} // namespace

ArenaLayout layOut(std::span<const BufferLife> lives)
{
    return Search(lives).run();
}

Bytes peakOf(std::span<const BufferLife> lives)
{
    return findPeak(lives, [](Bytes bytes) { return bytes; }).bytes;
}

} // namespace engine
