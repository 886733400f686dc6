#include "app/ledger/ledger_run.h"

#include "app/ui/table_text.h"
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

namespace app {
namespace {

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
    {"label", &LedgerRun::label},
    {"scheme", &LedgerRun::scheme},
    {"mode", &LedgerRun::mode},
    {"outcome", &LedgerRun::outcome},
    {"command", &LedgerRun::command},
    {"problem", &LedgerRun::problem},
    {"experiment", &LedgerRun::experiment}};

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
    QJsonArray settings;
    for (const auto& [title, value] : run.settings)
        settings.append(QJsonArray{title, value});
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
    if (std::isfinite(of.metrics.bubbleRatio))
        result.bubble = of.metrics.bubbleRatio;
    if (of.peakBytes)
        result.peakBytes = static_cast<double>(*of.peakBytes);
    result.tokensPerSecond = of.metrics.tokensPerSecond;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss && iteration.kind != engine::Iteration::Kind::Replay) {
            result.lossFirst = result.lossFirst.value_or(*iteration.loss);
            result.lossLast = iteration.loss;
        }
}

} // namespace

LedgerRun describeRun(const QString& file, const engine::Run& run)
{
    LedgerRun result;
    result.file = QFileInfo(file).absoluteFilePath();
    result.label = fromUtf8(run.info.label.empty() ? run.info.scheme : run.info.label);
    result.scheme = fromUtf8(run.info.scheme);
    result.mode = fromUtf8(engine::modeAdjective(run.info.mode));
    result.outcome = fromUtf8(engine::outcomeName(run.info.outcome));
    result.command = fromUtf8(run.info.command);
    result.experiment = fromUtf8(run.info.experiment);
    if (run.info.outcome == engine::Outcome::Failed)
        result.problem = run.info.failure.empty() ? QStringLiteral("the run failed")
                                                  : fromUtf8(run.info.failure);
    if (run.info.outcome == engine::Outcome::Running)
        result.problem = QStringLiteral("Ended by the system, or its window was killed");
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
    row.number = run.number;
    const QFileInfo file(run.file);
    row.size = file.size();
    row.modified = file.lastModified().toMSecsSinceEpoch();
    row.facts = factsOf(run).toStdString();
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
    run.number = static_cast<int>(row.number);
    run.modified = QDateTime::fromMSecsSinceEpoch(row.modified);
    readFacts(QJsonDocument::fromJson(QByteArray::fromStdString(row.facts)).object(), run);
    run.name = fromUtf8(row.name);
    run.note = fromUtf8(row.note);
    run.tags = fromUtf8(row.tags).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    run.origin = fromUtf8(row.origin);
    if (run.isTrashed()) // a move changes the metadata of a file, and nothing else
        run.moved = QFileInfo(run.file).metadataChangeTime();
    return run;
}

LedgerRun::State LedgerRun::kind() const
{
    if (isUnderWay())
        return state == QStringLiteral("queued") ? State::Queued : State::Running;
    const auto how = engine::outcomeNamed(outcome.toStdString());
    return isUnreadable() || how == engine::Outcome::Failed ? State::Failed
        : how == engine::Outcome::Cancelled                 ? State::Stopped
        : how == engine::Outcome::Running ? (isFailed() ? State::Killed : State::Running)
                                          : State::Finished;
}

QString LedgerRun::stateName() const
{
    constexpr const char* kNames[]{"queued", "running", "finished", "stopped", "failed", "killed"};
    return isUnreadable() ? QStringLiteral("unreadable")
                          : QString::fromLatin1(kNames[static_cast<std::size_t>(kind())]);
}

Icon LedgerRun::stateIcon() const
{
    constexpr Icon kIcons[]{Icon::Pause, Icon::Run,   Icon::Check,
                            Icon::Stop,  Icon::Error, Icon::Close};
    return kIcons[static_cast<std::size_t>(kind())];
}

QString LedgerRun::reason() const
{
    return iteration ? QString() : isUnderWay() ? state : problem;
}

QString LedgerRun::size() const
{
    const auto known = [this](const char* key) {
        const QString value = setting(QString::fromLatin1(key));
        return value == QLatin1String("unknown") ? QStringLiteral("–") : value;
    };
    return settings.empty() ? QString() : QStringLiteral("%1 × %2").arg(known("D"), known("N"));
}

QDateTime LedgerRun::when() const
{
    return isTrashed() ? moved : started.isValid() ? started : modified;
}

std::optional<double> LedgerRun::perToken() const
{
    return tokensPerSecond && *tokensPerSecond > 0 ? std::optional(1e9 / *tokensPerSecond)
                                                   : std::nullopt;
}

QString LedgerRun::setting(const QString& title) const
{
    const auto found = std::ranges::find(settings, title, &std::pair<QString, QString>::first);
    return found == settings.end() ? QString() : found->second;
}

QStringList LedgerRun::values(const QString& key) const
{
    const auto is = [&](const QString& title) {
        return title.compare(key, Qt::CaseInsensitive) == 0
            || title.compare(QStringLiteral("--") + key, Qt::CaseInsensitive) == 0;
    };
    QStringList found;
    if (is(QStringLiteral("tag")))
        found = tags;
    else if (is(QStringLiteral("scheme")))
        found = QStringList(scheme.isEmpty() ? label : scheme);
    else if (is(QStringLiteral("state")))
        found = QStringList(stateName());
    else if (is(QStringLiteral("mode")))
        found = QStringList(mode);
    else
        for (const auto& [title, value] : settings)
            if (is(title))
                found.append(value);
    for (QString& value : found)
        value.replace(QLatin1Char(' '), QLatin1Char('_'));
    return found;
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
        if (const qsizetype colon = word.indexOf(QLatin1Char(':')); colon > 0)
            return std::ranges::any_of(
                values(word.left(colon)),
                [wanted = word.mid(colon + 1).split(QLatin1Char(','))](const QString& value) {
                    return wanted.contains(value, Qt::CaseInsensitive);
                });
        if (word == QStringLiteral("#%1").arg(number))
            return true;
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

QStringList knownSettings(const std::vector<LedgerRun>& runs)
{
    QStringList titles;
    for (const LedgerRun& run : runs)
        for (const auto& [title, value] : run.settings)
            if (!titles.contains(title))
                titles.append(title);
    return titles;
}

QStringList tagsOf(const std::vector<LedgerRun>& runs)
{
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    return tags;
}

QString ledgerCsv(const std::vector<LedgerRun>& runs)
{
    const QStringList settings = knownSettings(runs);
    QStringList titles{fromUtf8("No."), fromUtf8("Name"), fromUtf8("State")};
    for (const QString& setting : settings)
        titles.append(settingTitle(setting));
    titles += {fromUtf8("Unit of time"), fromUtf8("Iteration"),  fromUtf8("From"),
               fromUtf8("To"),           fromUtf8("Tokens/s"),   fromUtf8("Bubble"),
               fromUtf8("Peak, bytes"),  fromUtf8("First loss"), fromUtf8("Last loss"),
               fromUtf8("Tags"),         fromUtf8("Started")};
    QString all;
    const auto add = [&all](QStringList cells) {
        std::ranges::transform(cells, cells.begin(), quotedCell);
        all += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    add(titles);
    for (const LedgerRun& run : runs) {
        QStringList cells{QString::number(run.number), run.title(), run.stateName()};
        for (const QString& setting : settings)
            cells.append(run.setting(setting));
        cells.append(run.isInUnits ? fromUtf8("units") : fromUtf8("ns"));
        for (const auto& value : {run.iteration, run.least, run.most, run.tokensPerSecond,
                                  run.bubble, run.peakBytes, run.lossFirst, run.lossLast})
            cells.append(value ? QString::number(*value, 'g', 10) : QString());
        add(cells << run.tags.join(QLatin1Char(' ')) << run.when().toString(Qt::ISODate));
    }
    return all;
}

QStringList varyingSettings(const std::vector<LedgerRun>& runs)
{
    QStringList varying;
    for (const QString& title : knownSettings(runs)) {
        std::optional<QString> first;
        if (std::ranges::any_of(runs, [&](const LedgerRun& run) {
                if (!first && !run.settings.empty())
                    first = run.setting(title);
                return !run.settings.empty() && run.setting(title) != *first;
            }))
            varying.append(title);
    }
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
