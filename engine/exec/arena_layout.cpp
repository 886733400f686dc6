#include "engine/exec/arena_layout.h"

#include "engine/model/random.h"

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

// Beyond it only the order of time is tried: the others look at every pair.
constexpr std::size_t kFewLives = 4000;
// Up to here it is searched for a better order, for so many rounds, until a layout is at most one
// part in kGoodEnough above the least that there can be.
constexpr std::size_t kVeryFewLives = 400;
constexpr int kRounds = 300;
constexpr Bytes kGoodEnough = 50;

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
    if (life.shrinks >= life.end)
        return {{{life.begin, life.end, life.bytes}, {}}, 1};
    return {{{life.begin, life.shrinks, life.bytes}, {life.shrinks + 1, life.end, life.rest}}, 2};
}

// How high above `below` the other must lie; 0: they never meet.
Bytes clearance(const BufferLife& below, const BufferLife& other)
{
    Bytes height = 0;
    for (const Piece& a : piecesOf(below))
        for (const Piece& b : piecesOf(other))
            if (a.begin <= b.end && b.begin <= a.end)
                height = std::max(height, aligned(a.bytes));
    return height;
}

class FirstFit
{
public:
    explicit FirstFit(std::span<const BufferLife> lives)
        : m_lives(lives)
        , m_offsets(lives.size())
    { }

    enum class Order : std::uint8_t { ByBegin, Any };
    ArenaLayout place(std::span<const std::size_t> order, Order kind)
    {
        std::vector<std::size_t> placed; // by offset
        ArenaLayout layout;
        for (const std::size_t next : order) {
            if (kind == Order::ByBegin) // what has ended meets nothing that comes
                std::erase_if(placed,
                              [&](std::size_t i) { return m_lives[i].end < m_lives[next].begin; });
            const Bytes offset = lowest(placed, next);
            m_offsets[next] = offset;
            layout.bytes = std::max(layout.bytes, offset + aligned(m_lives[next].bytes));
            const auto behind = std::ranges::upper_bound(
                placed, offset, {}, [this](std::size_t i) { return m_offsets[i]; });
            placed.insert(behind, next);
        }
        layout.offsets = m_offsets;
        return layout;
    }

private:
    // The lowest offset at which the life meets none of those placed.
    Bytes lowest(std::span<const std::size_t> placed, std::size_t next) const
    {
        Bytes offset = 0;
        for (bool raised = true; raised;) { // a life that shrinks may have passed one by
            raised = false;
            for (const std::size_t other : placed) {
                const Bytes above = clearance(m_lives[other], m_lives[next]);
                const Bytes own = clearance(m_lives[next], m_lives[other]);
                if (m_offsets[other] >= offset + own || m_offsets[other] + above <= offset)
                    continue;
                offset = m_offsets[other] + above;
                raised = true;
            }
        }
        return offset;
    }

    std::span<const BufferLife> m_lives;
    std::vector<Bytes> m_offsets;
};

struct Peak
{
    Bytes bytes = 0;
    std::uint32_t position = 0;
};

// `size` of a piece's bytes.
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
    for (std::uint32_t i = 0; i <= last; ++i)
        if ((alive += change[i]) > peak.bytes)
            peak = {alive, i};
    return peak;
}

} // namespace

ArenaLayout layOut(std::span<const BufferLife> lives)
{
    const Peak peak = findPeak(lives, aligned);
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto byBegin = [&](std::size_t i) { return lives[i].begin; };
    const auto longest = [&](std::size_t i) { return lives[i].begin - lives[i].end; };
    const auto largest = [&](std::size_t i) { return -lives[i].bytes; };

    std::ranges::stable_sort(order, {}, byBegin);
    ArenaLayout best = FirstFit(lives).place(order, FirstFit::Order::ByBegin);
    const auto isGood = [&] { return best.bytes <= peak.bytes + peak.bytes / kGoodEnough; };
    const auto improve = [&] {
        ArenaLayout other = FirstFit(lives).place(order, FirstFit::Order::Any);
        if (other.bytes < best.bytes)
            best = std::move(other);
    };
    if (!isGood() && lives.size() <= kFewLives) {
        std::ranges::stable_sort(order, {}, largest);
        improve();
        std::ranges::stable_sort(order, {}, longest);
        improve();
    }
    // Whoever sticks out at the top goes first; now and then another one, so that no circle forms.
    Random random(lives.size());
    for (int i = 0; i < kRounds && !isGood() && lives.size() <= kVeryFewLives; ++i) {
        const ArenaLayout now = FirstFit(lives).place(order, FirstFit::Order::Any);
        if (now.bytes < best.bytes)
            best = now;
        const auto top = std::ranges::max_element(
            order, {}, [&](std::size_t k) { return now.offsets[k] + lives[k].bytes; });
        const auto next = random.below(4) > 0
            ? top
            : order.begin() + static_cast<std::ptrdiff_t>(random.below(order.size()));
        std::rotate(order.begin(), next, next + 1);
    }
    best.peak = peak.bytes;
    best.peakAt = peak.position;
    return best;
}

Bytes peakOf(std::span<const BufferLife> lives)
{
    return findPeak(lives, [](Bytes bytes) { return bytes; }).bytes;
}

} // namespace engine
