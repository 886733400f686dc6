#include "app/ledger/ledger_run.h"

#include "app/ui/text.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/analysis/compare.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace app {
namespace {

constexpr std::size_t kMostIterations = 200;

using Optional = std::optional<double> LedgerRun::*;
constexpr std::pair<const char*, Optional> kNumbers[]{{"iteration", &LedgerRun::iteration},
                                                      {"least", &LedgerRun::least},
                                                      {"most", &LedgerRun::most},
                                                      {"bubble", &LedgerRun::bubble},
                                                      {"peak_bytes", &LedgerRun::peakBytes},
                                                      {"tokens", &LedgerRun::tokensPerSecond},
                                                      {"loss_first", &LedgerRun::lossFirst},
                                                      {"loss_last", &LedgerRun::lossLast}};
constexpr std::pair<const char*, QString LedgerRun::*> kTexts[]{
    {"label", &LedgerRun::label},     {"mode", &LedgerRun::mode},
    {"outcome", &LedgerRun::outcome}, {"command", &LedgerRun::command},
    {"problem", &LedgerRun::problem}, {"experiment", &LedgerRun::experiment}};

QString keyOf(const char* name)
{
    return QString::fromLatin1(name);
}

QByteArray factsOf(const LedgerRun& run)
{
    QJsonObject facts;
    for (const auto& [name, number] : kNumbers)
        if (run.*number)
            facts[keyOf(name)] = *(run.*number);
    for (const auto& [name, text] : kTexts)
        facts[keyOf(name)] = run.*text;
    facts[keyOf("started")] = run.started.toString(Qt::ISODateWithMs);
    facts[keyOf("in_units")] = run.isInUnits;
    QJsonArray iterations, settings;
    for (const double iteration : run.iterations)
        iterations.append(iteration);
    for (const auto& [title, value] : run.settings)
        settings.append(QJsonArray{title, value});
    facts[keyOf("iterations")] = iterations;
    facts[keyOf("settings")] = settings;
    return QJsonDocument(facts).toJson(QJsonDocument::Compact);
}

void readFacts(const QJsonObject& facts, LedgerRun& run)
{
    for (const auto& [name, number] : kNumbers)
        if (const QJsonValue value = facts[keyOf(name)]; value.isDouble())
            run.*number = value.toDouble();
    for (const auto& [name, text] : kTexts)
        run.*text = facts[keyOf(name)].toString();
    run.started = QDateTime::fromString(facts[keyOf("started")].toString(), Qt::ISODateWithMs);
    run.isInUnits = facts[keyOf("in_units")].toBool();
    for (const QJsonValue iteration : facts[keyOf("iterations")].toArray())
        run.iterations.push_back(iteration.toDouble());
    for (const QJsonValue setting : facts[keyOf("settings")].toArray())
        run.settings.emplace_back(setting[0].toString(), setting[1].toString());
}

void addResults(const engine::Run& run, LedgerRun& result)
{
    const double perUnit = run.info.inUnits() ? static_cast<double>(run.info.ticksPerUnit) : 1.0;
    const auto compared = profiler::compare({&run});
    if (!compared)
        return;
    const profiler::ComparedRun& of = compared->runs.front();
    const bool isKnown = whyIterationUnknown(run).empty();
    if (isKnown)
        result.iteration = static_cast<double>(of.metrics.duration) / perUnit;
    if (isKnown && of.interval) {
        result.least = static_cast<double>(of.interval->least) / perUnit;
        result.most = static_cast<double>(of.interval->most) / perUnit;
    }
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (isKnown && iteration.kind == engine::Iteration::Kind::Measured
            && result.iterations.size() < kMostIterations)
            result.iterations.push_back(static_cast<double>(iteration.window.duration()) / perUnit);
    if (std::isfinite(of.metrics.bubbleRatio))
        result.bubble = of.metrics.bubbleRatio;
    if (of.peakBytes)
        result.peakBytes = static_cast<double>(*of.peakBytes);
    result.tokensPerSecond = of.metrics.tokensPerSecond;
    result.lossFirst = of.lossFirst;
    result.lossLast = of.lossLast;
    result.thumbnail = std::make_shared<const Thumbnail>(makeThumbnail(run));
}

} // namespace

LedgerRun describeRun(const QString& file, const engine::Run& run)
{
    LedgerRun result;
    result.file = QFileInfo(file).absoluteFilePath();
    result.label = fromUtf8(run.info.label.empty() ? run.info.scheme : run.info.label);
    result.mode = fromUtf8(engine::modeAdjective(run.info.mode));
    result.outcome = fromUtf8(engine::outcomeName(run.info.outcome));
    result.command = fromUtf8(run.info.command);
    result.experiment = fromUtf8(run.info.experiment);
    if (run.info.outcome == engine::Outcome::Failed)
        result.problem = run.info.failure.empty() ? QStringLiteral("the run failed")
                                                  : fromUtf8(run.info.failure);
    result.started = QDateTime::fromString(fromUtf8(run.info.started), Qt::ISODateWithMs);
    result.isInUnits = run.info.inUnits();
    for (const auto& [title, value] : profiler::settingsOf(run))
        result.settings.emplace_back(fromUtf8(title), fromUtf8(value));
    addResults(run, result);
    return result;
}

profiler::LedgerRow toRow(const LedgerRun& run)
{
    profiler::LedgerRow row;
    row.file = run.file.toStdString();
    const QFileInfo file(run.file);
    row.size = file.size();
    row.modified = file.lastModified().toMSecsSinceEpoch();
    row.facts = factsOf(run).toStdString();
    if (run.thumbnail != nullptr)
        row.picture = toBytes(*run.thumbnail).toBase64().toStdString();
    row.name = run.name.toStdString();
    row.note = run.note.toStdString();
    row.tags = run.tags.join(QLatin1Char('\n')).toStdString();
    row.origin = run.origin.toStdString();
    return row;
}

LedgerRun fromRow(const profiler::LedgerRow& row)
{
    LedgerRun run;
    run.file = fromUtf8(row.file);
    run.bytes = row.size;
    readFacts(QJsonDocument::fromJson(QByteArray::fromStdString(row.facts)).object(), run);
    run.thumbnail = std::make_shared<const Thumbnail>(
        thumbnailFromBytes(QByteArray::fromBase64(QByteArray::fromStdString(row.picture))));
    run.name = fromUtf8(row.name);
    run.note = fromUtf8(row.note);
    run.tags = fromUtf8(row.tags).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    run.origin = fromUtf8(row.origin);
    return run;
}

QString LedgerRun::setting(const QString& title) const
{
    const auto found = std::ranges::find(settings, title, &std::pair<QString, QString>::first);
    return found == settings.end() ? QString() : found->second;
}

Scale LedgerRun::time() const
{
    return isInUnits ? Scale{1, 1, QStringLiteral("units")}
                     : timeScale(static_cast<std::int64_t>(iteration.value_or(0)));
}

bool LedgerRun::matches(const QString& filter) const
{
    const auto contains = [&](const QString& word) {
        const auto has
            = [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); };
        const qsizetype colon = word.indexOf(QLatin1Char(':'));
        if (colon > 0)
            return std::ranges::any_of(settings, [&](const auto& one) {
                return one.first.compare(word.left(colon), Qt::CaseInsensitive) == 0
                    && one.second.compare(word.mid(colon + 1), Qt::CaseInsensitive) == 0;
            });
        return has(name) || has(label) || has(note) || has(mode) || has(QFileInfo(file).fileName())
            || std::ranges::any_of(tags, has)
            || std::ranges::any_of(settings, [&](const auto& one) { return has(one.second); });
    };
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(words, contains);
}

QString settingTitle(const QString& title)
{
    if (!title.startsWith(QLatin1Char('-')))
        return title.size() > 1 ? capitalized(title) : title;
    const auto* field = engine::findField(engine::experimentFields(), title.toStdString());
    if (field != nullptr)
        return fromUtf8(field->label);
    const QString words = title.mid(title.lastIndexOf(QStringLiteral("--")) + 2);
    return capitalized(QString(words).replace(QLatin1Char('-'), QLatin1Char(' ')));
}

QStringList settingTitles(QStringList titles)
{
    std::ranges::transform(titles, titles.begin(), settingTitle);
    return titles;
}

QStringList varyingSettings(const std::vector<const LedgerRun*>& runs)
{
    std::vector<const LedgerRun*> known;
    std::ranges::copy_if(runs, std::back_inserter(known),
                         [](const LedgerRun* run) { return !run->settings.empty(); });
    QStringList titles, varying;
    for (const LedgerRun* run : known)
        for (const auto& [title, value] : run->settings)
            if (!titles.contains(title))
                titles.append(title);
    for (const QString& title : titles)
        if (std::ranges::any_of(known, [&](const LedgerRun* run) {
                return run->setting(title) != known.front()->setting(title);
            }))
            varying.append(title);
    return varying;
}

QString differenceText(const QStringList& settings)
{
    constexpr qsizetype kMost = 4;
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Ledger", source); };
    if (settings.isEmpty())
        return {};
    QStringList first;
    for (const QString& title : settings.first(std::min(settings.size(), kMost)))
        first.append(title.startsWith(QLatin1Char('-'))
                         ? withoutUnit(uncapitalized(settingTitle(title)))
                         : title);
    const QString named = text("differ in %1").arg(first.join(text(", ")));
    return settings.size() <= kMost
        ? named
        : text("%1 and %2 more").arg(named).arg(settings.size() - kMost);
}

} // namespace app
