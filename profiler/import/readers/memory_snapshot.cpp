#include "engine/base/try.h"
#include "profiler/import/readers/readers.h"
#include "resources/resources.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace profiler {
namespace {

using namespace engine;

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
        constexpr std::size_t kMostKeys = 64;
        for (const auto& [name, value] : std::span(items).first(std::min(items.size(), kMostKeys)))
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
    void pushNone(std::size_t) { push({}); }
    void pushInteger(std::size_t value) { push(static_cast<std::int64_t>(value)); }
    void pushUnsigned(std::size_t bytes) { pushInteger(number(bytes)); }
    void pushLongOf(std::size_t bytesOfLength) { pushLong(number(bytesOfLength)); }
    void pushDouble(std::size_t) // big-endian
    {
        std::uint64_t bits = 0;
        for (const char byte : take(8))
            bits = bits << 8 | static_cast<unsigned char>(byte);
        push(std::bit_cast<double>(bits));
    }
    void pushDict(std::size_t) { push(&m_dicts.emplace_back()); }
    void pushTuple(std::size_t) { pushList(takeMark()); }
    void mark(std::size_t) { m_marks.push_back(m_stack.size()); }
    void appendAll(std::size_t) { appendFrom(takeMark()); }
    void append(std::size_t count) { appendFrom(before(count)); }
    void setAll(std::size_t) { setFrom(takeMark()); }
    void set(std::size_t count) { setFrom(before(count)); }
    void skip(std::size_t bytes) { take(bytes); }
    void memoizeNext(std::size_t) { memoize(m_memo.size()); }
    void memoizeAt(std::size_t bytes) { memoize(number(bytes)); }
    void recallAt(std::size_t bytes) { recall(number(bytes)); }

    struct Instruction
    {
        unsigned char code = 0;
        void (Pickle::*execute)(std::size_t) = nullptr;
        std::size_t argument = 0;
    };
    bool execute(unsigned char code) // false: an instruction that only other pickles have
    {
        using P = Pickle;
        static constexpr auto kInstructions = [] {
            std::array<Instruction, 256> all{};
            for (const Instruction& one : std::initializer_list<Instruction>{
                     {'N', &P::pushNone},        {0x88, &P::pushInteger, 1},
                     {0x89, &P::pushInteger, 0}, {'K', &P::pushUnsigned, 1},
                     {'M', &P::pushUnsigned, 2}, {'J', &P::pushLong, 4},
                     {0x8A, &P::pushLongOf, 1},  {0x8B, &P::pushLongOf, 4},
                     {'G', &P::pushDouble},      {0x8C, &P::pushText, 1},
                     {'C', &P::pushText, 1},     {'X', &P::pushText, 4},
                     {'B', &P::pushText, 4},     {0x8D, &P::pushText, 8},
                     {0x8E, &P::pushText, 8},    {'(', &P::mark},
                     {'}', &P::pushDict},        {']', &P::pushLast, 0},
                     {')', &P::pushLast, 0},     {'t', &P::pushTuple},
                     {0x85, &P::pushLast, 1},    {0x86, &P::pushLast, 2},
                     {0x87, &P::pushLast, 3},    {'a', &P::append, 1},
                     {'e', &P::appendAll},       {'s', &P::set, 2},
                     {'u', &P::setAll},          {0x80, &P::skip, 1},
                     {0x95, &P::skip, 8},        {0x94, &P::memoizeNext},
                     {'q', &P::memoizeAt, 1},    {'r', &P::memoizeAt, 4},
                     {'h', &P::recallAt, 1},     {'j', &P::recallAt, 4}})
                all[one.code] = one;
            return all;
        }();
        const Instruction& instruction = kInstructions[code];
        if (instruction.execute == nullptr)
            return false;
        (this->*instruction.execute)(instruction.argument);
        return true;
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

std::string_view textIn(const Dict& dict, std::string_view key) // "": none
{
    const auto* text = dict.find<std::string_view>(key);
    return text != nullptr ? *text : std::string_view();
}

// The part of a program that allocates or frees memory.
enum class Caller : std::uint8_t {
    Unknown,
    Forward,
    Backward,
    Weights,   // creates parameters or moves them to the GPU
    Gradients, // accumulates gradients or drops them
    Optimizer,
    Communication,
};

// A line of resources/import/frames.txt.
struct KnownFrame
{
    std::string file, function; // "": any
    Caller caller;
};

std::vector<KnownFrame> knownFrames()
{
    constexpr std::array kCallers{"unknown",   "forward",   "backward",     "weights",
                                  "gradients", "optimizer", "communication"};
    std::vector<KnownFrame> frames;
    std::istringstream text{std::string(resources::find("import/frames.txt"))};
    for (std::string line; std::getline(text, line);) {
        std::string caller, file, function;
        std::istringstream(line) >> caller >> file >> function;
        const auto* const known = std::ranges::find(kCallers, caller);
        if (known != kCallers.end())
            frames.push_back({file == "*" ? "" : file, function == "*" ? "" : function,
                              static_cast<Caller>(known - kCallers.begin())});
    }
    return frames;
}

Caller callerOf(const Dict& frame)
{
    constexpr std::size_t kMostText = 256; // files differ in their ends
    std::string_view file = textIn(frame, "filename");
    file.remove_prefix(file.size() - std::min(file.size(), kMostText));
    const std::string_view name = textIn(frame, "name").substr(0, kMostText);
    static const std::vector<KnownFrame> kFrames = knownFrames();
    for (const KnownFrame& known : kFrames)
        if (file.find(known.file) != std::string_view::npos
            && (known.function.empty() || name == known.function
                || (known.function.find("::") != std::string::npos
                    && name.find(known.function) != std::string_view::npos)))
            return known.caller;
    return Caller::Unknown;
}

// What is allocated by one caller and freed by another; nullopt: not freed. Memory that a caller
// frees itself is workspace, which counts as buffers. PyTorch lets a parameter keep the gradient
// that a backward has allocated, so only its free shows that it is one.
MemoryCategory categoryOf(Caller allocates, std::optional<Caller> frees)
{
    const bool isWorkspace = allocates == frees;
    if (allocates == Caller::Weights || allocates == Caller::Gradients)
        return allocates == Caller::Weights ? MemoryCategory::Weights : MemoryCategory::Gradients;
    if (allocates == Caller::Communication || (isWorkspace && allocates != Caller::Unknown))
        return MemoryCategory::Buffers;
    if (allocates == Caller::Optimizer || allocates == Caller::Forward)
        return allocates == Caller::Forward ? MemoryCategory::Stash : MemoryCategory::Optimizer;
    return frees == Caller::Gradients ? MemoryCategory::Gradients : MemoryCategory::Unknown;
}

// Reads the histories of a snapshot. A pickle may have the same list in many places, so the time of
// the reader is bounded by refusing lists of blocks or entries that occur twice, and by reading
// each list of frames once.
class HistoryReader
{
public:
    using History = MemorySnapshot::History;

    HistoryReader(const std::string& name, const Dict& snapshot)
        : m_name(name)
    {
        if (const List* segments = snapshot.list("segments"))
            forEachDict(*segments, [&](const Dict& segment) {
                const List* blocks = segment.list("blocks");
                if (blocks != nullptr && isNew(*blocks))
                    forEachDict(*blocks, [&](const Dict& block) {
                        if (textIn(block, "state") == "active_allocated")
                            m_blocks[segment.integer("device")].push_back(&block);
                    });
            });
    }

    // The history of one device; without events if nothing was allocated.
    Result<History> read(const List& entries, std::int64_t device)
    {
        m_changes.clear();
        m_recordsFrees = false;
        History history{{kMostTime, 0}, {}};
        if (!entries.items.empty() && !isNew(entries))
            return damaged();
        for (const Value& value : entries.items)
            if (const auto* entry = std::get_if<Dict*>(&value))
                TRY(add(**entry, history.recorded));
        if (m_changes.empty())
            return history;
        std::ranges::stable_sort(m_changes, {}, &Change::time);
        const Amounts before = TRY(categorize(m_blocks[device]));
        for (const MemoryCategory category : before.enumerators())
            if (before[category] > 0)
                history.events.push_back(
                    {m_changes.front().time, before[category], MemoryEvent::kNoOp, 0, category});
        for (const Change& change : m_changes)
            history.events.push_back(
                {change.time, change.bytes, MemoryEvent::kNoOp, 0, change.category});
        return history;
    }

private:
    using Amounts = EnumArray<MemoryCategory, std::int64_t, kMemoryCategories>;
    struct Change
    {
        std::int64_t time = 0, bytes = 0, address = 0;
        Caller caller = Caller::Unknown;
        MemoryCategory category = MemoryCategory::Unknown;
    };

    template<class Use>
    static void forEachDict(const List& list, Use use)
    {
        for (const Value& value : list.items)
            if (const auto* each = std::get_if<Dict*>(&value))
                use(**each);
    }
    bool isNew(const List& list) { return m_seen.insert(&list).second; }
    tl::unexpected<Error> damaged() const
    {
        return fail(Error::Code::Corrupt, m_name + " has impossible numbers; record it again");
    }
    Result<void> add(const Dict& entry, Window& recorded)
    {
        const std::string_view action = textIn(entry, "action");
        const std::int64_t bytes = entry.integer("size"), micros = entry.integer("time_us");
        if (micros == 0)
            return fail(Error::Code::Unsupported,
                        m_name + " has no times; record it with PyTorch 2.1 or newer");
        if (bytes < 0 || bytes > kMostBytes || micros < 0 || micros > kMostTime / 1000)
            return damaged();
        const std::int64_t time = 1000 * micros;
        recorded = {std::min(recorded.begin, time), std::max(recorded.end, time)};
        const bool isFree = action == "free_requested";
        if ((!isFree && action != "alloc") || bytes == 0)
            return {};
        m_changes.push_back({time, isFree ? -bytes : bytes, entry.integer("addr"), caller(entry)});
        const List* frames = entry.list("frames");
        m_recordsFrees = m_recordsFrees || (isFree && frames != nullptr && !frames->items.empty());
        return {};
    }
    // The innermost known caller of an entry or a block.
    Caller caller(const Dict& of)
    {
        const List* frames = of.list("frames");
        if (frames == nullptr)
            return Caller::Unknown;
        if (const auto known = m_callers.find(frames); known != m_callers.end())
            return known->second;
        Caller caller = Caller::Unknown;
        for (const Value& value : frames->items) {
            const auto* frame = std::get_if<Dict*>(&value);
            if (frame == nullptr)
                continue;
            const auto [known, isNewFrame] = m_callers.emplace(*frame, caller);
            if (isNewFrame && m_callers.size() < kMostFrames)
                known->second = callerOf(**frame);
            caller = known->second;
            if (caller != Caller::Unknown)
                break;
        }
        m_callers.emplace(frames, caller);
        return caller;
    }
    // Sets the categories of the changes. Returns what was allocated before them. The allocator may
    // have lost the beginning of the history, so we count back from the level at its end.
    Result<Amounts> categorize(const std::vector<const Dict*>& blocks)
    {
        Amounts before{};
        std::unordered_map<std::int64_t, std::size_t> open; // address -> its allocation
        bool adds = true; // whether the sizes and addresses of the changes agree
        std::int64_t sum = 0, least = 0;
        for (std::size_t i = 0; i < m_changes.size(); ++i) {
            Change& change = m_changes[i];
            sum = std::clamp(sum + change.bytes, -kMostBytes, kMostBytes);
            least = std::min(least, sum);
            if (change.bytes >= 0 && change.address != 0)
                adds = open.emplace(change.address, i).second && adds;
            if (change.bytes >= 0)
                continue;
            const auto found = open.find(change.address);
            Change* const from = found != open.end() ? &m_changes[found->second] : nullptr;
            change.category
                = categoryOf(from != nullptr ? from->caller : Caller::Unknown,
                             m_recordsFrees ? std::optional(change.caller) : std::nullopt);
            if (from == nullptr) {
                before[change.category]
                    = std::min(before[change.category] - change.bytes, kMostBytes);
                continue;
            }
            // Without the frames of frees, workspace looks like what a caller leaves.
            if (!m_recordsFrees && from->caller != Caller::Weights)
                change.category = MemoryCategory::Unknown;
            from->category = change.category;
            adds = adds && from->bytes == -change.bytes;
            open.erase(found);
        }
        for (const auto& [address, i] : open)
            m_changes[i].category = categoryOf(m_changes[i].caller, std::nullopt);
        const std::int64_t atEnd = addBlocks(blocks, open, before);
        if (atEnd - sum + least < 0)
            return fail(Error::Code::Corrupt,
                        m_name
                            + " does not add up: its history frees more bytes than are allocated; "
                              "record it again");
        if (!adds
            || std::accumulate(before.begin(), before.end(), std::int64_t{0}) != atEnd - sum) {
            for (Change& change : m_changes)
                change.category = MemoryCategory::Unknown;
            before = {};
            before[MemoryCategory::Unknown] = atEnd - sum;
        }
        return before;
    }
    // Adds the blocks that were allocated before the history. Returns the bytes of all. We add the
    // requested sizes, because the history has these; the allocator rounds a block up to 512 bytes.
    std::int64_t addBlocks(const std::vector<const Dict*>& blocks, const auto& open,
                           Amounts& before)
    {
        std::int64_t atEnd = 0;
        for (const Dict* block : blocks) {
            const std::int64_t requested = block->integer("requested_size");
            const std::int64_t bytes = std::clamp<std::int64_t>(
                requested > 0 ? requested : block->integer("size"), 0, kMostBytes - atEnd);
            atEnd += bytes;
            if (!open.contains(block->integer("address")))
                before[categoryOf(caller(*block), std::nullopt)] += bytes;
        }
        return atEnd;
    }

    static constexpr std::size_t kMostFrames = 1'000'000;
    const std::string& m_name;
    std::map<std::int64_t, std::vector<const Dict*>> m_blocks; // allocated at the end, by device
    std::unordered_set<const List*> m_seen;
    std::unordered_map<const void*, Caller> m_callers; // by list of frames, and by frame
    std::vector<Change> m_changes;
    bool m_recordsFrees = false;
};

} // namespace

std::optional<int> rankNamedIn(const std::string& file)
{
    static const RE2 kRank("(?i).*rank[_-]?(\\d+)");
    std::string rank;
    const bool isNamed = RE2::PartialMatch(file.substr(file.rfind('/') + 1), kRank, &rank);
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
    HistoryReader reader(name, **dict);
    for (std::size_t device = 0; device < traces->items.size(); ++device) {
        const auto* entries = std::get_if<List*>(&traces->items[device]);
        if (entries == nullptr)
            continue;
        auto history = TRY(reader.read(**entries, static_cast<std::int64_t>(device)));
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
