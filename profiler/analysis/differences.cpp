#include "profiler/analysis/differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace profiler {

using namespace engine;

namespace {

struct Setting
{
    const char* title;
    std::string (*value)(const Run& run);
};

// The value of a setting that the trace of another program does not state.
constexpr std::string_view kUnknown = "unknown";

std::string shapeText(int value, bool isKnown = true)
{
    return isKnown ? std::to_string(value) : std::string(kUnknown);
}

constexpr std::array kSettings{
    Setting{"D", [](const Run& run) { return shapeText(run.schedule.shape.devices); }},
    Setting{"N",
            [](const Run& run) {
                return shapeText(run.schedule.shape.microBatches, knowsMicroBatches(run.info));
            }},
    Setting{"v",
            [](const Run& run) {
                return shapeText(run.schedule.shape.chunks(), knowsStages(run.info));
            }},
    Setting{"slices", [](const Run& run) { return shapeText(run.schedule.shape.slices); }},
    Setting{"W", [](const Run& run) { return shapeText(run.schedule.shape.dataParallel); }},
    Setting{"mode", [](const Run& run) { return std::string(modeAdjective(run.info.mode)); }},
    Setting{"model", [](const Run& run) { return run.info.model; }},
    Setting{"precision", [](const Run& run) { return run.info.precision; }},
    Setting{"hardware", [](const Run& run) { return run.info.deviceName; }},
    Setting{"link", [](const Run& run) { return run.info.link; }},
    Setting{"transport", [](const Run& run) { return run.info.transport; }},
};

// Options that other settings already cover, or that do not affect the comparison.
const std::set<std::string, std::less<>> kOtherOptions{
    "--scheme",        "--schedule",       "--devices",     "--micro-batches", "--chunks",
    "--data-parallel", "--mode",           "--model",       "--precision",     "--transport",
    "--trace",         "--iterations",     "--warmup",      "--calibrate",     "--p2p",
    "--latency",       "--link-bandwidth", "--link-latency"};

using Options = std::map<std::string, std::string, std::less<>>;

// Parses the options of a stored command: "--seed 2 --blocking".
Options optionsOf(const std::string& command)
{
    Options options;
    std::size_t begin = command.find(" --");
    while (begin != std::string::npos) {
        const std::size_t end = command.find(" --", begin + 1);
        const std::string one = command.substr(begin + 1, end - begin - 1);
        const std::size_t blank = one.find(' ');
        const std::string name = one.substr(0, blank);
        if (!kOtherOptions.contains(name)) {
            std::string& value = options[name];
            value += (value.empty() ? "" : ", ")
                + (blank == std::string::npos ? "on" : one.substr(blank + 1));
        }
        begin = end;
    }
    return options;
}

void addIfDifferent(std::vector<Difference>& all, Difference one)
{
    const auto differs = [&](const std::string& value) { return value != one.values.front(); };
    if (std::ranges::any_of(one.values, differs))
        all.push_back(std::move(one));
}

std::string labelOf(const Run& run)
{
    return run.info.label.empty() ? run.info.scheme : run.info.label;
}

// The differing settings of run `index`: "D = 4, --seed 2". Long values, such as those of the
// hardware, are left out.
std::string suffixOf(const std::vector<Difference>& differences, std::size_t index)
{
    constexpr std::size_t kLongest = 24;
    std::string text;
    for (const auto& [title, values] : differences)
        // Options that were not given and unknown values are not named.
        if (!values[index].empty() && values[index] != kUnknown && values[index].size() <= kLongest)
            text += fmt::format(", {}{}{}", title, title.starts_with('-') ? " " : " = ",
                                values[index]);
    return text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> settingsOf(const Run& run)
{
    std::vector<std::pair<std::string, std::string>> settings;
    for (const Setting& setting : kSettings)
        settings.emplace_back(setting.title, setting.value(run));
    for (auto& [name, value] : optionsOf(run.info.command))
        settings.emplace_back(name, value);
    return settings;
}

std::vector<Difference> differences(const std::vector<const Run*>& runs)
{
    std::vector<std::map<std::string, std::string>> settings;
    std::set<std::string> options; // the options of all runs, sorted by name
    for (const Run* run : runs) {
        const auto of = settingsOf(*run);
        settings.emplace_back(of.begin(), of.end());
        for (std::size_t i = kSettings.size(); i < of.size(); ++i)
            options.insert(of[i].first);
    }
    std::vector<std::string> titles;
    for (const Setting& setting : kSettings)
        titles.emplace_back(setting.title);
    titles.insert(titles.end(), options.begin(), options.end());
    std::vector<Difference> all;
    for (const std::string& title : titles) {
        Difference one{title, {}};
        for (auto& of : settings)
            one.values.push_back(of[title]); // "" for an option that was not given
        if (!runs.empty())
            addIfDifferent(all, std::move(one));
    }
    return all;
}

std::vector<std::string> distinctLabels(const std::vector<const Run*>& runs)
{
    std::map<std::string, std::vector<std::size_t>> same; // label -> indices of the runs with it
    for (std::size_t i = 0; i < runs.size(); ++i)
        same[labelOf(*runs[i])].push_back(i);
    std::vector<std::string> labels(runs.size());
    for (const auto& [label, indices] : same) {
        std::vector<const Run*> group;
        for (const std::size_t i : indices)
            group.push_back(runs[i]);
        const auto found = differences(group);
        std::map<std::string, int> seen;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            std::string& name = labels[indices[k]] = label + suffixOf(found, k);
            if (const int number = ++seen[name]; number > 1)
                name += fmt::format(" ({})", number);
        }
    }
    return labels;
}

} // namespace profiler
