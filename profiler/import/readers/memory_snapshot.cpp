#include "engine/base/try.h"
#include "profiler/import/readers/readers.h"

#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <utility>
#include <variant>

namespace profiler {
namespace {

using engine::Error;
using engine::fail;
using engine::MemoryEvent;
using engine::Result;
using engine::Window;

// A value of Python. Texts point into the pickle.
struct List;
struct Dict;
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view, List*, Dict*>;
struct List
{
    std::vector<Value> items;
};
struct Dict
{
    std::vector<std::pair<std::string_view, Value>> items; // keys that are no texts are ""

    template<class T>
    const T* find(std::string_view key) const // nullptr: none, or of another type
    {
        for (const auto& [name, value] : items)
            if (name == key)
                return std::get_if<T>(&value);
        return nullptr;
    }
    std::int64_t integer(std::string_view key) const
    {
        const auto* value = find<std::int64_t>(key);
        return value != nullptr ? *value : 0;
    }
    const List* list(std::string_view key) const // nullptr: none
    {
        const auto* value = find<List*>(key);
        return value != nullptr ? *value : nullptr;
    }
};

// Reads plain data from a pickle of protocol 2 to 5 (Python's pickletools.py). A pickle is a
// program for a machine with a stack; we have the instructions that make numbers, texts, lists,
// tuples and dicts, and refuse those that call functions, so a file cannot execute anything.
class Pickle
{
public:
    Pickle(const std::string& name, std::string_view bytes)
        : m_name(name)
        , m_rest(bytes)
    { }

    Result<Value> read()
    {
        for (;;) {
            const auto code = static_cast<unsigned char>(take(1).empty() ? '\0' : m_taken[0]);
            if (code == '.' && !m_stack.empty())
                return m_stack.back();
            if (++m_values > kMostValues)
                return fail(Error::Code::Unsupported,
                            m_name
                                + " has too many entries; record with "
                                  "_record_memory_history(max_entries=1000000)");
            if (m_isDamaged || !execute(code))
                return fail(Error::Code::Corrupt,
                            "{} is no memory snapshot, or it is damaged: write it with "
                            "torch.cuda.memory._dump_snapshot()",
                            m_name);
        }
    }

private:
    static constexpr std::size_t kMostValues = 100'000'000;

    // The next bytes; "" and damaged if there are fewer.
    std::string_view take(std::size_t count)
    {
        m_isDamaged = m_isDamaged || count > m_rest.size();
        m_taken = m_isDamaged ? std::string_view() : m_rest.substr(0, count);
        m_rest.remove_prefix(m_taken.size());
        return m_taken;
    }
    std::uint64_t number(std::size_t bytes) // little-endian
    {
        std::uint64_t value = 0;
        const std::string_view text = take(bytes);
        for (std::size_t i = text.size(); i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(text[i]);
        return value;
    }
    void push(Value value) { m_stack.push_back(value); }
    void pushText(std::size_t bytesOfLength) { push(take(number(bytesOfLength))); }
    void pushList(std::size_t first) // the values of the stack from `first`
    {
        List* list = &m_lists.emplace_back();
        if (first > m_stack.size())
            m_isDamaged = true;
        else
            list->items.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(first), m_stack.end());
        m_stack.resize(std::min(first, m_stack.size()));
        push(list);
    }
    void pushLast(std::size_t count) { pushList(m_stack.size() - count); } // wraps if too many
    void pushLong(std::size_t bytes)                                       // in two's complement
    {
        const std::string_view text = take(bytes);
        std::int64_t value = text.empty() || text.back() >= 0 ? 0 : -1;
        for (std::size_t i = text.size(); i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(text[i]);
        push(text.size() > sizeof value ? std::numeric_limits<std::int64_t>::max() : value);
    }
    std::size_t takeMark()
    {
        if (m_marks.empty()) {
            m_isDamaged = true;
            return m_stack.size();
        }
        const std::size_t mark = m_marks.back();
        m_marks.pop_back();
        m_isDamaged = m_isDamaged || mark > m_stack.size();
        return std::min(mark, m_stack.size());
    }
    template<class Container>
    Container* containerBelow(std::size_t first)
    {
        const auto* found = first == 0 ? nullptr : std::get_if<Container*>(&m_stack[first - 1]);
        m_isDamaged = m_isDamaged || found == nullptr;
        return found != nullptr ? *found : nullptr;
    }
    void appendFrom(std::size_t first)
    {
        if (auto* list = containerBelow<List>(first))
            list->items.insert(list->items.end(),
                               m_stack.begin() + static_cast<std::ptrdiff_t>(first), m_stack.end());
        m_stack.resize(first);
    }
    void setFrom(std::size_t first)
    {
        if (auto* dict = containerBelow<Dict>(first))
            for (std::size_t i = first; i + 1 < m_stack.size(); i += 2) {
                const auto* key = std::get_if<std::string_view>(&m_stack[i]);
                dict->items.emplace_back(key != nullptr ? *key : std::string_view(),
                                         m_stack[i + 1]);
            }
        m_stack.resize(first);
    }
    std::size_t before(std::size_t count)
    {
        m_isDamaged = m_isDamaged || m_stack.size() < count;
        return m_isDamaged ? 0 : m_stack.size() - count;
    }
    void recall(std::uint64_t index)
    {
        m_isDamaged = m_isDamaged || index >= m_memo.size();
        push(m_isDamaged ? Value() : m_memo[index]);
    }
    void memoize(std::uint64_t index)
    {
        m_isDamaged = m_isDamaged || m_stack.empty() || index > m_memo.size();
        if (m_isDamaged)
            return;
        m_memo.resize(std::max<std::size_t>(m_memo.size(), index + 1));
        m_memo[index] = m_stack.back();
    }
    bool execute(unsigned char code) // false: an instruction that only other pickles have
    {
        return makeNumber(code) || makeText(code) || makeContainer(code) || useMemo(code);
    }
    bool makeNumber(unsigned char code)
    {
        switch (code) {
        case 'N':
            push({});
            return true;
        case 0x88:
            push(std::int64_t{1});
            return true; // True
        case 0x89:
            push(std::int64_t{0});
            return true;
        case 'K':
            push(static_cast<std::int64_t>(number(1)));
            return true;
        case 'M':
            push(static_cast<std::int64_t>(number(2)));
            return true;
        case 'J':
            pushLong(4);
            return true;
        case 0x8A:
            pushLong(number(1));
            return true;
        case 0x8B:
            pushLong(number(4));
            return true;
        case 'G': { // big-endian
            std::uint64_t bits = 0;
            for (const char byte : take(8))
                bits = bits << 8 | static_cast<unsigned char>(byte);
            push(std::bit_cast<double>(bits));
            return true;
        }
        default:
            return false;
        }
    }
    bool makeText(unsigned char code)
    {
        switch (code) {
        case 0x8C: // texts
        case 'C':
            pushText(1);
            return true; // bytes
        case 'X':
        case 'B':
            pushText(4);
            return true;
        case 0x8D:
        case 0x8E:
            pushText(8);
            return true;
        default:
            return false;
        }
    }
    bool makeContainer(unsigned char code)
    {
        switch (code) {
        case '(':
            m_marks.push_back(m_stack.size());
            return true;
        case '}':
            push(&m_dicts.emplace_back());
            return true;
        case ']':
        case ')':
            pushLast(0);
            return true;
        case 't':
            pushList(takeMark());
            return true;
        case 0x85:
            pushLast(1);
            return true;
        case 0x86:
            pushLast(2);
            return true;
        case 0x87:
            pushLast(3);
            return true;
        case 'a':
            appendFrom(before(1));
            return true;
        case 'e':
            appendFrom(takeMark());
            return true;
        case 's':
            setFrom(before(2));
            return true;
        case 'u':
            setFrom(takeMark());
            return true;
        default:
            return false;
        }
    }
    bool useMemo(unsigned char code)
    {
        switch (code) {
        case 0x80:
            take(1);
            return true; // the protocol
        case 0x95:
            take(8);
            return true; // a frame
        case 0x94:
            memoize(m_memo.size());
            return true;
        case 'q':
            memoize(number(1));
            return true;
        case 'r':
            memoize(number(4));
            return true;
        case 'h':
            recall(number(1));
            return true;
        case 'j':
            recall(number(4));
            return true;
        default:
            return false;
        }
    }

    const std::string& m_name;
    std::string_view m_rest, m_taken;
    bool m_isDamaged = false;
    std::size_t m_values = 0;
    std::vector<Value> m_stack, m_memo;
    std::vector<std::size_t> m_marks;
    std::deque<List> m_lists;
    std::deque<Dict> m_dicts;
};

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

bool isAmount(std::int64_t bytes)
{
    return 0 <= bytes && bytes <= kMostBytes;
}

std::vector<const Dict*> dictsIn(const Dict& dict, std::string_view key)
{
    std::vector<const Dict*> found;
    if (const List* list = dict.list(key))
        for (const Value& value : list->items)
            if (const auto* each = std::get_if<Dict*>(&value))
                found.push_back(*each);
    return found;
}

// The bytes that are allocated when the snapshot is taken. We add the requested sizes, because the
// history has these; the allocator rounds a block up to 512 bytes.
std::int64_t allocatedAtEnd(const Dict& snapshot, std::int64_t device)
{
    std::int64_t total = 0;
    for (const Dict* segment : dictsIn(snapshot, "segments")) {
        if (segment->integer("device") != device)
            continue;
        for (const Dict* block : dictsIn(*segment, "blocks")) {
            const auto* state = block->find<std::string_view>("state");
            const std::int64_t requested = block->integer("requested_size");
            if (state != nullptr && *state == "active_allocated")
                total += std::clamp<std::int64_t>(
                    requested > 0 ? requested : block->integer("size"), 0, kMostBytes - total);
        }
    }
    return total;
}

// The history of one device; without events if nothing was allocated. The allocator may have lost
// its beginning, so we count back from the level at its end.
Result<MemorySnapshot::History> historyOf(const std::string& name, const Dict& snapshot,
                                          const List& entries, std::int64_t device)
{
    MemorySnapshot::History history{{kMostTime, 0}, {}};
    std::int64_t change = 0;
    for (const Value& value : entries.items) {
        const auto* entry = std::get_if<Dict*>(&value);
        if (entry == nullptr)
            continue;
        const auto* action = (*entry)->find<std::string_view>("action");
        const std::int64_t bytes = (*entry)->integer("size"), micros = (*entry)->integer("time_us");
        if (micros == 0)
            return fail(Error::Code::Unsupported,
                        name + " has no times; record it with PyTorch 2.1 or newer");
        if (!isAmount(bytes) || micros < 0 || micros > kMostTime / 1000)
            return fail(Error::Code::Corrupt, name + " has impossible numbers; record it again");
        const Window time{1000 * micros, 1000 * micros};
        history.recorded = {std::min(history.recorded.begin, time.begin),
                            std::max(history.recorded.end, time.end)};
        if (action == nullptr || (*action != "alloc" && *action != "free_requested"))
            continue;
        MemoryEvent& event = history.events.emplace_back();
        event.category = engine::MemoryCategory::Buffers;
        event.time = time.begin;
        event.bytes = *action == "alloc" ? bytes : -bytes;
        change = std::clamp(change + event.bytes, -kMostBytes, kMostBytes);
    }
    if (history.events.empty())
        return history;
    std::ranges::stable_sort(history.events, {}, &MemoryEvent::time);
    MemoryEvent before = history.events.front();
    before.bytes = allocatedAtEnd(snapshot, device) - change;
    if (before.bytes < 0)
        return fail(Error::Code::Corrupt,
                    name
                        + " does not add up: fewer bytes are allocated at its end than its "
                          "history allocates; record it again");
    if (before.bytes > 0)
        history.events.insert(history.events.begin(), before);
    return history;
}

} // namespace

std::optional<int> rankNamedIn(const std::string& file)
{
    static const RE2 kRank("(?i).*rank[_-]?(\\d+)");
    std::string rank;
    const bool isNamed
        = RE2::PartialMatch(std::string_view(file).substr(file.rfind('/') + 1), kRank, &rank);
    return isNamed ? rankIn(rank) : std::nullopt;
}

bool isPickle(std::string_view head)
{
    return head.size() >= 2 && head[0] == '\x80' && 2 <= head[1] && head[1] <= 5;
}

Result<MemorySnapshot> readMemorySnapshot(const std::string& name, std::string_view bytes)
{
    MemorySnapshot snapshot;
    snapshot.file = name;
    snapshot.rank = rankNamedIn(name);
    Pickle pickle(name, bytes);
    const Value root = TRY(pickle.read());
    const auto* dict = std::get_if<Dict*>(&root);
    const List* traces = dict == nullptr ? nullptr : (*dict)->list("device_traces");
    if (traces == nullptr)
        return fail(Error::Code::Unsupported,
                    name
                        + " is a pickle, but no memory snapshot: only those of "
                          "torch.cuda.memory._dump_snapshot() can be imported");
    for (std::size_t device = 0; device < traces->items.size(); ++device) {
        const auto* entries = std::get_if<List*>(&traces->items[device]);
        if (entries == nullptr)
            continue;
        auto history = TRY(historyOf(name, **dict, **entries, static_cast<std::int64_t>(device)));
        if (!history.events.empty())
            snapshot.devices.emplace(static_cast<int>(device), std::move(history));
    }
    if (snapshot.devices.empty())
        return fail(Error::Code::NotFound,
                    name
                        + " has no history of allocations: call "
                          "torch.cuda.memory._record_memory_history() before the iterations");
    return snapshot;
}

} // namespace profiler
