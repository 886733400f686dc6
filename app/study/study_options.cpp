#include "app/study/study_options.h"

#include "app/ui/text.h"
#include "engine/cost/hardware.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_file.h"

#include <algorithm>
#include <array>

namespace app {
namespace {

constexpr std::array<std::string_view, 1> kStudyFolder{"studies/"};
constexpr std::string_view kModel = "model", kHardware = "hardware", kScheme = "scheme";

std::optional<engine::FieldFacts> runField(const std::string& key) // of `bscope run`
{
    for (const engine::FieldFacts& field : engine::experimentFields())
        if (!field.flag.empty() && field.longFlag() == "--" + key)
            return field;
    return std::nullopt;
}

// If both commands have an option of this name, returns the one of `bscope simulate`.
std::optional<engine::FieldFacts> factsOf(const std::string& key)
{
    const auto all = profiler::simulationFields();
    const auto found = std::ranges::find(all, "--" + key, &engine::FieldFacts::longFlag);
    return found == all.end() ? runField(key) : std::optional(*found);
}

bool isPreset(const std::string& key)
{
    return key == kModel || key == kHardware;
}

QString problemOf(const std::string& key, const std::string& value)
{
    if (key == kScheme || value.empty())
        return {};
    if (isPreset(key)) {
        const QStringList names = studyOptionNames(key);
        const QString text = QString::fromStdString(value);
        return names.contains(text) || text.endsWith(QStringLiteral(".toml"))
            ? QString()
            : QStringLiteral("%1 “%2” is neither a preset nor a .toml file")
                  .arg(studyOptionLabel(key), text);
    }
    const auto facts = factsOf(key);
    if (!facts || facts->kind == engine::FieldKind::List)
        return {};
    const auto good = facts->check(value);
    return good ? QString() : fromUtf8(good.error().message);
}

} // namespace

QString studyOptionLabel(const std::string& key)
{
    const auto field = runField(key);
    return fromUtf8(!field || field->label.empty() ? profiler::optionLabel(key)
                                                   : std::string(field->label));
}

QString studyOptionHelp(const std::string& key)
{
    const auto facts = isPreset(key) ? std::nullopt : factsOf(key);
    return facts ? fromUtf8(facts->help) : QString();
}

QStringList studyOptionNames(const std::string& key)
{
    QStringList names;
    const auto add = [&names](const auto& all) {
        for (const auto& name : all)
            names.append(fromUtf8(name));
    };
    if (key == kModel)
        add(engine::transformerNames());
    else if (key == kHardware)
        add(engine::hardwareNames());
    else if (const auto facts = factsOf(key)) {
        add(facts->names);
        if (facts->kind == engine::FieldKind::Flag)
            names = {QStringLiteral("true"), QStringLiteral("false")};
    }
    return names;
}

QStringList otherStudyOptions(const profiler::Study& study)
{
    QStringList keys{QStringLiteral("model"), QStringLiteral("hardware")};
    for (const engine::FieldFacts& field : profiler::simulationFields())
        keys.append(QString::fromStdString(field.longFlag().substr(2)));
    keys.append({QStringLiteral("sync"), QStringLiteral("offload"), QStringLiteral("recompute"),
                 QStringLiteral("recompute-ahead")});
    keys.removeAll(QStringLiteral("scheme"));
    keys.removeDuplicates();
    keys.removeIf([&](const QString& key) {
        return !profiler::optionValues(study, key.toStdString()).empty();
    });
    keys.sort();
    return keys;
}

std::optional<StudyProblem> studyProblem(const profiler::Study& study)
{
    if (profiler::optionValues(study, kScheme).empty() && study.axis("case") == nullptr)
        return StudyProblem{std::string(kScheme),
                            QStringLiteral("No scheme is ticked; tick at least one.")};
    const bool isSimulated = !study.isMeasured();
    for (const auto* axes : {&study.fixed, &study.grid})
        for (const profiler::StudyAxis& axis : *axes)
            for (const std::string& value : axis.values)
                if (const QString text = isSimulated ? problemOf(axis.key, value) : QString();
                    !text.isEmpty()) // runs and simulations accept different models
                    return StudyProblem{axis.key, capitalized(text) + QLatin1Char('.')};
    if (study.grid.empty())
        return StudyProblem{std::string(kScheme),
                            QStringLiteral("No option varies; give one at least two values.")};
    const std::string source = "study";
    const auto again = profiler::readStudy(profiler::studyToml(study), source);
    if (again)
        return std::nullopt;
    const std::string message = again.error().message.substr(source.size() + 2); // "study: "
    return StudyProblem{{}, capitalized(fromUtf8(message)) + QLatin1Char('.')};
}

QString notRunnable(const profiler::Study& study)
{
    if (study.axis("case") != nullptr)
        return QStringLiteral("The cases of this study define how their points are computed");
    for (const auto* axes : {&study.fixed, &study.grid})
        for (const profiler::StudyAxis& axis : *axes)
            if (!runField(axis.key) && !profiler::isSchemeOption(axis.key))
                return QStringLiteral("%1 is an option of simulations only")
                    .arg(fromUtf8(axis.key));
    return {};
}

profiler::Study defaultStudy()
{
    profiler::Study study;
    study.fixed = {{"devices", {"4"}}};
    study.grid = {{"micro-batches", {"4", "8", "16", "32"}},
                  {"scheme", {"gpipe", "1f1b", "interleaved-1f1b", "chimera", "bitpipe"}}};
    return study;
}

QStringList studyPresets()
{
    QStringList names;
    for (const std::string& name : engine::SpecFile::names(kStudyFolder))
        names.append(QString::fromStdString(name));
    return names;
}

engine::Result<profiler::Study> openStudy(const QString& nameOrFile)
{
    const std::string name = nameOrFile.toStdString();
    return engine::SpecFile::textOf(kStudyFolder, name, "study")
        .and_then([&](const std::string& text) { return profiler::readStudy(text, name); });
}

} // namespace app
