#include "profiler/import/readers/kineto_event.h"

#include "profiler/import/readers/readers.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace profiler {

using engine::Window;
namespace ondemand = simdjson::ondemand;

namespace {
simdjson::padded_string_view padded(std::string_view json)
{
    return simdjson::padded_string_view(json.data(), json.size(), json.size() + kJsonPadding);
}

// Consumes an escape such as "\\u00e4" if it is whole; nullopt otherwise.
std::optional<std::uint32_t> takeUnit(std::string_view& token)
{
    constexpr std::size_t kSize = 6;
    std::uint32_t unit = 0;
    if (token.size() < kSize || !token.starts_with("\\u"))
        return std::nullopt;
    const char* const end = token.data() + kSize;
    const auto [parsed, error] = std::from_chars(token.data() + 2, end, unit, 16);
    if (error != std::errc() || parsed != end)
        return std::nullopt;
    token.remove_prefix(kSize);
    return unit;
}

// Consumes the escape at the start of `token`, or two that are a surrogate pair, and appends it as
// UTF-8. A damaged escape becomes U+FFFD.
void appendCodePoint(std::string_view& token, std::string& text)
{
    constexpr std::uint32_t kReplacement = 0xFFFD;
    std::uint32_t code = kReplacement;
    if (const auto unit = takeUnit(token)) {
        code = *unit;
        std::string_view rest = token;
        const bool isHigh = 0xD800 <= code && code < 0xDC00;
        const auto low = isHigh ? takeUnit(rest) : std::nullopt;
        if (low && 0xDC00 <= *low && *low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00);
            token = rest;
        } else if (0xD800 <= code && code < 0xE000) {
            code = kReplacement;
        }
    } else {
        token.remove_prefix(2);
    }
    code = code == 0 ? kReplacement : code;
    const auto add = [&](std::uint32_t lead, int bits) {
        text += static_cast<char>(lead | code >> bits);
        for (bits -= 6; bits >= 0; bits -= 6)
            text += static_cast<char>(0x80U | (code >> bits & 0x3FU));
    };
    add(code < 0x80          ? 0
            : code < 0x800   ? 0xC0
            : code < 0x10000 ? 0xE0
                             : 0xF0,
        code < 0x80          ? 0
            : code < 0x800   ? 6
            : code < 0x10000 ? 12
                             : 18);
}
} // namespace

EventCategory eventCategory(std::string_view name)
{
    struct Known
    {
        std::string_view name;
        EventCategory category;
    };
    // Names with a capital letter are those of Kineto before 2022.
    static constexpr std::array kKnown{
        Known{"cpu_op", EventCategory::Op},
        Known{"Operator", EventCategory::Op},
        Known{"kernel", EventCategory::Kernel},
        Known{"Kernel", EventCategory::Kernel},
        Known{"gpu_memcpy", EventCategory::Copy},
        Known{"Memcpy", EventCategory::Copy},
        Known{"gpu_memset", EventCategory::Memset},
        Known{"Memset", EventCategory::Memset},
        Known{"cuda_runtime", EventCategory::Call},
        Known{"cuda_driver", EventCategory::Call},
        Known{"Runtime", EventCategory::Call},
        Known{"hip_runtime", EventCategory::Call},
        Known{"hip_driver", EventCategory::Call},
        Known{"xpu_runtime", EventCategory::Call},
        Known{"xpu_driver", EventCategory::Call},
        Known{"mtia_runtime", EventCategory::Call},
        Known{"privateuse1_runtime", EventCategory::Call},
        Known{"privateuse1_driver", EventCategory::Call},
        Known{"python_function", EventCategory::Python},
        Known{"cpu_instant_event", EventCategory::Instant},
        Known{"gpu_user_annotation", EventCategory::Skip}, // repeats a user_annotation
        Known{"Trace", EventCategory::Skip},
        Known{"overhead", EventCategory::Skip},
        Known{"cuda_sync", EventCategory::Skip},
        Known{"cuda_event", EventCategory::Skip},
    };
    for (const Known& known : kKnown)
        if (known.name == name)
            return known.category;
    return EventCategory::Range;
}

std::uint8_t copyKindNamed(std::string_view name)
{
    struct Known
    {
        std::string_view text;
        std::uint8_t kind;
    };
    static constexpr std::array kKnown{
        Known{"HtoD", 1},
        Known{"DtoH", 2},
        Known{"DtoD", 8},
        Known{"HtoH", 9},
        Known{"PtoP", 10},
        // The first versions for AMD GPUs wrote "CopyHostToDevice".
        Known{"HostToDevice", 1},
        Known{"DeviceToHost", 2},
        Known{"DeviceToDevice", 8},
        // For Intel GPUs, M is the memory of the host: "Memcpy M2D".
        Known{"M2D", 1},
        Known{"D2M", 2},
        Known{"D2D", 8},
    };
    for (const Known& known : kKnown)
        if (name.find(known.text) != std::string_view::npos)
            return known.kind;
    return 0;
}

OwnEvent ownEventOf(const TraceEvent& event, EventCategory category, JsonParser& json)
{
    if (category != EventCategory::Range || unquoted(event.category) == "user_annotation")
        return OwnEvent::GpuRecord;
    const std::string_view measured = iterationKindName(engine::Iteration::Kind::Measured);
    OwnEvent own = OwnEvent::Measured;
    json.forEachField(event.arguments, [&](std::string_view key, std::string_view value) {
        if (key == "phase" && unquoted(value) != measured)
            own = OwnEvent::OtherPhase;
    });
    return own;
}

std::map<std::int64_t, std::string> gpuNames(std::string_view devices, JsonParser& json)
{
    std::map<std::int64_t, std::string> names;
    for (const std::string_view device : json.elements(devices)) {
        std::optional<std::int64_t> id;
        std::string name;
        json.forEachField(device, [&](std::string_view key, std::string_view token) {
            if (key == "id")
                id = integerFrom(token);
            else if (key == "name")
                name = textOf(token);
        });
        if (id)
            names[*id] = name;
    }
    return names;
}

ProcessGroups processGroups(std::string_view list, JsonParser& json)
{
    // Megatron-LM names its groups; a DeviceMesh of PyTorch names them after its dimensions.
    using Group = std::vector<int> ProcessGroups::*;
    constexpr std::array<std::pair<std::string_view, Group>, 6> kNames{
        {{"PIPELINE_MODEL_PARALLEL_GROUP", &ProcessGroups::pipeline},
         {"mesh_pp", &ProcessGroups::pipeline},
         {"TENSOR_MODEL_PARALLEL_GROUP", &ProcessGroups::tensor},
         {"mesh_tp", &ProcessGroups::tensor},
         {"CONTEXT_PARALLEL_GROUP", &ProcessGroups::context},
         {"mesh_cp", &ProcessGroups::context}}};
    ProcessGroups groups;
    if (list.empty())
        return groups;
    for (const std::string_view group : json.elements(list)) {
        std::string_view name, members;
        json.forEachField(group, [&](std::string_view key, std::string_view value) {
            if (key == "pg_desc")
                name = unquoted(value);
            else if (key == "ranks")
                members = value;
        });
        const auto known
            = std::ranges::find(kNames, name, &std::pair<std::string_view, Group>::first);
        if (members.empty() || known == kNames.end())
            continue;
        std::vector<int> ranks;
        for (const std::string_view rank : json.elements(members))
            putNumber(rank, ranks.emplace_back(-1));
        if (!ranks.empty() && std::ranges::min(ranks) >= 0 && (groups.*known->second).empty())
            groups.*known->second = std::move(ranks);
    }
    if (groups.pipeline.size() == 1)
        groups.pipeline.clear();
    return groups;
}

bool mayBePipelineGroup(std::string_view description)
{
    // Those that PyTorch gives to groups for which the program states none.
    constexpr std::array<std::string_view, 4> kUnnamed{"", "default_pg", "undefined",
                                                       "mesh_default"};
    std::string name(description);
    std::ranges::transform(name, name.begin(), [](char c) {
        return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return std::ranges::find(kUnnamed, name) != kUnnamed.end()
        || name.starts_with("mesh_dim_") // a dimension of a DeviceMesh without names
        || name.find("pp") != std::string::npos || name.find("pipe") != std::string::npos;
}

std::optional<Window> TraceEvent::window() const
{
    constexpr std::int64_t kLongest = 1'000'000'000'000'000;
    const auto begin = nanosecondsFrom(time);
    const auto length
        = duration.empty() ? std::optional<std::int64_t>(0) : nanosecondsFrom(duration);
    if (!begin || !length || *length < 0 || *begin < kLeastTime || *begin > kMostTime
        || *length > kLongest)
        return std::nullopt;
    return Window{*begin, *begin + *length};
}

struct JsonParser::Parsers
{
    ondemand::parser outer, inner;
};

JsonParser::JsonParser()
    : m_parsers(std::make_unique<Parsers>())
{ }
JsonParser::~JsonParser() = default;

std::string textOf(std::string_view token)
{
    token = unquoted(token);
    std::string text;
    text.reserve(token.size());
    while (!token.empty()) {
        const std::size_t plain = std::min(token.find('\\'), token.size());
        text += token.substr(0, plain);
        token.remove_prefix(plain);
        if (token.starts_with("\\u"))
            appendCodePoint(token, text);
        else if (token.size() > 1) {
            constexpr std::string_view kEscapes = "bfnrt", kControls = "\b\f\n\r\t";
            const std::size_t control = kEscapes.find(token[1]);
            text += control < kControls.size() ? kControls[control] : token[1];
            token.remove_prefix(2);
        } else {
            token = {};
        }
    }
    text.resize(std::min(text.size(), kMostText));
    return text;
}

void JsonParser::forEachField(std::string_view json,
                              const std::function<void(std::string_view, std::string_view)>& use)
{
    ondemand::document document;
    if (m_parsers->inner.iterate(padded(json)).get(document) != simdjson::SUCCESS)
        return;
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS)
        return;
    for (auto field : object) {
        std::string_view key, value;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS)
            return;
        ondemand::value token;
        if (field.value().get(token) != simdjson::SUCCESS
            || simdjson::to_json_string(token).get(value) != simdjson::SUCCESS)
            return;
        use(key, value);
    }
}

std::optional<TraceEvent> JsonParser::eventOf(std::string_view json)
{
    ondemand::document document;
    ondemand::object object;
    if (m_parsers->outer.iterate(padded(json)).get(document) != simdjson::SUCCESS
        || document.get_object().get(object) != simdjson::SUCCESS)
        return std::nullopt;
    TraceEvent event;
    for (auto field : object) {
        ondemand::raw_json_string key;
        ondemand::value token;
        std::string_view value;
        if (field.key().get(key) != simdjson::SUCCESS
            || field.value().get(token) != simdjson::SUCCESS
            || simdjson::to_json_string(token).get(value) != simdjson::SUCCESS)
            return std::nullopt;
        for (const auto& [name, member] : {std::pair("ph", &TraceEvent::phase),
                                           {"cat", &TraceEvent::category},
                                           {"name", &TraceEvent::name},
                                           {"pid", &TraceEvent::process},
                                           {"tid", &TraceEvent::thread},
                                           {"id", &TraceEvent::id},
                                           {"id2", &TraceEvent::id},
                                           {"ts", &TraceEvent::time},
                                           {"dur", &TraceEvent::duration},
                                           {"args", &TraceEvent::arguments}})
            if (key.unsafe_is_equal(name))
                event.*member = value;
    }
    return event;
}

std::vector<std::string_view> JsonParser::elements(std::string_view json)
{
    std::vector<std::string_view> all;
    ondemand::document document;
    ondemand::array array;
    if (m_parsers->outer.iterate(padded(json)).get(document) != simdjson::SUCCESS
        || document.get_array().get(array) != simdjson::SUCCESS)
        return all;
    for (auto element : array) {
        ondemand::value value;
        std::string_view text;
        if (element.get(value) != simdjson::SUCCESS
            || simdjson::to_json_string(value).get(text) != simdjson::SUCCESS)
            return all;
        all.push_back(text);
    }
    return all;
}

void putThree(std::string_view token, std::array<std::int32_t, 3>& three)
{
    token.remove_prefix(std::min<std::size_t>(1, token.size()));
    for (std::int32_t& each : three) {
        const std::size_t end = std::min(token.find_first_of(",]"), token.size());
        putNumber(token.substr(std::min(token.find_first_not_of(' '), end), end), each);
        token.remove_prefix(std::min(end + 1, token.size()));
    }
}

} // namespace profiler
