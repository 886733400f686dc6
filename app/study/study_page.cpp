#include "app/study/study_page.h"

#include "app/documents/run_library.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/field.h"
#include "engine/base/new_file.h"
#include "engine/base/version.h"
#include "engine/cost/hardware.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_file.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

namespace app {
namespace {

using profiler::Study;

// The largest size of the cache of simulated studies in bytes. Before a study starts, the folders
// that were computed least recently are removed until the cache has at most this size. The results
// of runs are user data and are not removed.
constexpr qint64 kMostCachedStudies = qint64{500} << 20;

QString tomlFile(const QString& folder)
{
    return QDir(folder).filePath(QStringLiteral("study.toml"));
}

// Writes the TOML of a study. Returns why the file cannot be written; "" if it was written.
QString writeToml(const QString& folder, const std::string& toml)
{
    if (!QDir().mkpath(folder))
        return StudySession::tr("The folder %1 cannot be created; rename the file of that name.")
            .arg(folder);
    const auto saved
        = engine::saveFile(tomlFile(folder).toStdString(), toml, engine::IfExists::Replace);
    return saved ? QString() : QString::fromStdString(saved.error().message);
}

QString rootIn(QStandardPaths::StandardLocation location)
{
    return QStandardPaths::writableLocation(location) + QStringLiteral("/bubblescope/studies");
}

} // namespace

QString studyFolder(const Study& study)
{
    const bool isSimulated = !study.isMeasured();
    QCryptographicHash hash(QCryptographicHash::Sha1);
    hash.addData(QByteArray::fromStdString(profiler::pointsToml(study)));
    if (isSimulated) // another build may compute other times
        hash.addData(QByteArray::fromStdString(std::string(engine::buildId())));
    const auto location
        = isSimulated ? QStandardPaths::GenericCacheLocation : QStandardPaths::GenericDataLocation;
    return rootIn(location) + QLatin1Char('/')
        + QString::fromLatin1(hash.result().toHex().left(16));
}

void cleanStudyCache(const QString& root, qint64 most, const QString& kept)
{
    struct Folder
    {
        QString path;
        QDateTime used;
        qint64 bytes = 0;
    };
    std::vector<Folder> folders;
    qint64 all = 0;
    for (const QFileInfo& entry : QDir(root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        Folder folder{entry.absoluteFilePath(), {}, 0};
        for (const QFileInfo& file : QDir(folder.path).entryInfoList(QDir::Files)) {
            folder.bytes += file.size();
            folder.used = std::max(folder.used, file.lastModified());
        }
        all += folder.bytes;
        if (folder.path != QFileInfo(kept).absoluteFilePath())
            folders.push_back(std::move(folder));
    }
    std::ranges::sort(folders, {}, &Folder::used);
    for (const Folder& folder : folders) {
        if (all <= most)
            return;
        QDir(folder.path).removeRecursively();
        all -= folder.bytes;
    }
}

StudySession::StudySession(QObject* parent)
    : QObject(parent)
{
    connect(&m_process, &RunProcess::eventReceived, this, [this](const WorkerEvent& event) {
        if (event.kind != WorkerEvent::Kind::Points)
            return;
        Q_EMIT progressed(event.done, event.all, event.left);
        if (event.done < event.all) // after the last point, workerEnded() reads
            m_reads.ask(m_source);
    });
    connect(&m_process, &RunProcess::ended, this, &StudySession::workerEnded);
}

void StudySession::prepare(const Study& study)
{
    m_reads.drop();
    m_source = {studyFolder(study), study};
    m_end.reset();
    m_seconds = 0;
}

void StudySession::open(const Study& study)
{
    prepare(study);
    m_reads.ask(m_source);
}

void StudySession::start(const Study& study)
{
    if (m_isRunning)
        return;
    prepare(study);
    m_isRunning = true;
    m_isCancelled = false;
    m_clock.start();
    m_preparing.run(
        [folder = m_source.folder, toml = profiler::studyToml(study)] {
            cleanStudyCache(rootIn(QStandardPaths::GenericCacheLocation), kMostCachedStudies,
                            folder);
            return writeToml(folder, toml);
        },
        [this](const QString& problem) { launch(problem); });
}

void StudySession::launch(const QString& problem)
{
    if (m_isCancelled)
        return workerEnded({WorkerEnd::How::Cancelled, {}});
    if (!problem.isEmpty())
        return workerEnded({WorkerEnd::How::Refused, problem});
    m_process.start(m_program,
                    {QStringLiteral("study"), tomlFile(m_source.folder),
                     QStringLiteral("--progress"), QStringLiteral("jsonl"), QStringLiteral("-o"),
                     m_source.folder});
}

void StudySession::cancel()
{
    m_isCancelled = m_isRunning;
    m_process.stop();
}

// Returns nullptr while the worker is still creating the file.
StudyPointer StudySession::read(const Source& source)
{
    auto stored = profiler::storedResults(source.study, source.folder.toStdString());
    return stored ? std::make_shared<const StudyData>(*std::move(stored)) : nullptr;
}

void StudySession::take(const StudyPointer& data)
{
    if (data != nullptr)
        Q_EMIT dataRead(data);
    if (!m_end || m_reads.isBusy())
        return;
    m_isRunning = false;
    Q_EMIT ended(*std::exchange(m_end, std::nullopt));
}

void StudySession::workerEnded(const WorkerEnd& end)
{
    m_seconds = static_cast<double>(m_clock.elapsed()) / 1e3;
    m_end = end;
    m_reads.ask(m_source);
}

PointRuns::PointRuns(QObject* parent)
    : QObject(parent)
{
    // The connection is queued, because m_process cannot start the next worker until its signal
    // ended() has returned.
    connect(&m_process, &RunProcess::ended, this, &PointRuns::ended, Qt::QueuedConnection);
}

void PointRuns::simulate(const std::vector<QStringList>& points)
{
    if (isRunning() || points.empty())
        return;
    m_points = points;
    m_files.clear();
    next();
}

void PointRuns::next()
{
    const auto names = newRunNames(m_points.front());
    int number = 1;
    QString file = QString::fromStdString(names(number).string());
    while (QFileInfo::exists(file))
        file = QString::fromStdString(names(++number).string());
    m_files.append(file);
    m_process.start({},
                    QStringList{QStringLiteral("simulate")} + m_points.front()
                        + QStringList{QStringLiteral("-o"), file});
}

void PointRuns::ended(const WorkerEnd& end)
{
    if (end.how != WorkerEnd::How::Finished) {
        m_points.clear();
        Q_EMIT failed(end.text);
        return;
    }
    m_points.erase(m_points.begin());
    m_points.empty() ? Q_EMIT simulated(m_files) : next();
}

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

QString studyOptionHelp(const std::string& key)
{
    const auto facts = isPreset(key) ? std::nullopt : factsOf(key);
    return facts ? fromUtf8(facts->help) : QString();
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

namespace {

QComboBox* makeChoice(const QString& prefix, const char* name, const QString& accessibleName)
{
    auto* combo = new QComboBox;
    combo->setObjectName(prefix + QLatin1String(name));
    combo->setAccessibleName(accessibleName);
    combo->setFocusPolicy(Qt::TabFocus);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return combo;
}

} // namespace

ChartPanel::ChartPanel(const ThemeController& theme, StudyPanel which, const char* name,
                       const SceneView::Describe& describe, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_which(which)
    , m_chart(makeChoice(QString::fromLatin1(name), "Chart", tr("Chart")))
    , m_axis(makeChoice(QString::fromLatin1(name), "Axis", tr("Axis of the chart")))
    , m_over(makeLabel(tr("over"), "small"))
    , m_where(new ElidedLabel("hint"))
    , m_mode(new Tag(theme))
    , m_view(new SceneView(theme, describe))
{
    const QString prefix = QString::fromLatin1(name);
    m_view->setObjectName(prefix + QLatin1String("View"));
    m_view->setAccessibleName(tr("Chart"));
    m_where->setObjectName(prefix + QLatin1String("Where"));
    m_chart->setMinimumContentsLength(16);
    m_axis->setMinimumContentsLength(8);
    auto* save = makeIconButton("", Icon::Export, tr("Export the chart"), theme);
    save->setObjectName(prefix + QLatin1String("Export"));
    connect(save, &QToolButton::clicked, this, &ChartPanel::exportRequested);
    connect(m_view, &SceneView::resized, this, &ChartPanel::draw);
    connect(&theme, &ThemeController::changed, this, &ChartPanel::draw);
    for (QComboBox* combo : {m_chart, m_axis})
        connect(combo, &QComboBox::activated, this, [this] {
            show(m_data, m_point); // the axis decides which charts are offered
            Q_EMIT chartChosen();
        });
    constexpr int kBar = 40;
    auto* bar = makeBar(kBar, 8, {{m_chart, 2}, m_over, {m_axis, 1}, m_mode, {m_where, 1}, save});
    spaced(new QVBoxLayout(this), {}, 0, {bar, makeLine(Qt::Horizontal), {m_view, 1}});
}

void ChartPanel::show(const StudyPointer& results, std::size_t point)
{
    m_data = results;
    m_point = point;
    if (results == nullptr) {
        m_drawings.drop();
        m_view->show(nullptr);
        return;
    }
    const std::vector<std::string> axes = m_which == StudyPanel::Front
        ? std::vector<std::string>()
        : chartAxes(results->study, m_which);
    const bool isKnown = std::ranges::find(axes, axis()) != axes.end();
    offer(chartChoices(*results, m_which, isKnown ? axis() : std::string(), point), axes);
    m_mode->setText(fromUtf8(engine::modeAdjective(results->study.mode)));
    m_view->select(point);
    draw();
}

void ChartPanel::offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes)
{
    const QString chart = m_chart->currentText(), axis = m_axis->currentData().toString();
    const int index = m_chart->currentIndex();
    m_choices = std::move(choices);
    m_axes = axes;
    m_chart->clear();
    for (const ChartChoice& choice : m_choices)
        m_chart->addItem(choice.title);
    m_axis->clear();
    for (const std::string& key : axes)
        m_axis->addItem(studyOptionLabel(key), fromUtf8(key));
    // Charts can share a title, so the chart at the previous position is preferred.
    const bool isSame = index >= 0 && m_chart->itemText(index) == chart;
    m_chart->setCurrentIndex(isSame ? index : std::max(0, m_chart->findText(chart)));
    m_axis->setCurrentIndex(std::max(0, m_axis->findData(axis)));
    showChoice();
}

// A chart that the study defines has a fixed axis, so the choice of an axis is hidden.
void ChartPanel::showChoice()
{
    const ChartChoice* const chosen = choice();
    const bool hasAxis = chosen != nullptr && !chosen->isOwn && m_axes.size() > 1;
    m_axis->setVisible(hasAxis);
    m_over->setVisible(hasAxis);
    m_where->setText(chosen == nullptr ? QString()
                                       : fromUtf8(profiler::whereText(chosen->chart.where)));
    m_view->setAccessibleName(chosen == nullptr ? tr("Chart") : chosen->title);
}

const ChartChoice* ChartPanel::choice() const
{
    const auto index = static_cast<std::size_t>(m_chart->currentIndex()); // -1: none
    return index < m_choices.size() ? &m_choices[index] : nullptr;
}

std::string ChartPanel::axis() const
{
    return m_axis->currentData().toString().toStdString();
}

void ChartPanel::draw()
{
    const QSize size = m_view->viewport()->size();
    if (m_data != nullptr && choice() != nullptr && !size.isEmpty())
        m_drawings.ask({m_data, choice()->chart, chartStyle(m_theme.theme(), size)});
}

ChartPanel::Drawn ChartPanel::drawn(const Drawing& of)
{
    return drawChart(*of.data, of.chart, of.style);
}

RunSaver::MakeScene ChartPanel::figure() const
{
    return [of = Drawing{m_data, choice()->chart, {}}] {
        return drawn(of).map([](const profiler::MarkedScene& chart) { return chart.scene; });
    };
}

namespace {

using profiler::Study;
using profiler::StudyAxis;
using profiler::StudyChart;
using profiler::StudyMetric;
using ChartKind = StudyChart::Kind;

StudyPanel panelOf(ChartKind kind)
{
    switch (kind) {
    case ChartKind::HeatMap:
    case ChartKind::PhaseMap:
        return StudyPanel::Map;
    case ChartKind::Pareto:
        return StudyPanel::Front;
    case ChartKind::Lines:
    case ChartKind::Bars:
        break;
    }
    return StudyPanel::Lines;
}

bool isKnown(const StudyData& data, StudyMetric metric)
{
    return std::ranges::any_of(data.results, [metric](const profiler::StudyResult& result) {
        return result.values.of[metric].has_value();
    });
}

// Returns the names of the quantities that a chart can show: bubble and iteration, the other
// metrics that some result has, and the ratios of the study.
std::vector<std::string> quantities(const StudyData& data, StudyPanel panel)
{
    constexpr std::array kMetrics{StudyMetric::Bubble,          StudyMetric::Iteration,
                                  StudyMetric::TokensPerSecond, StudyMetric::Mfu,
                                  StudyMetric::PeakBytes,       StudyMetric::PeakStash,
                                  StudyMetric::Weights,         StudyMetric::Messages};
    std::vector<std::string> names;
    for (const StudyMetric metric : kMetrics)
        if (isKnown(data, metric) || metric == StudyMetric::Bubble
            || metric == StudyMetric::Iteration)
            names.emplace_back(metricName(metric));
    for (const profiler::StudyRatio& ratio : data.study.ratios)
        names.push_back(ratio.name);
    if (panel == StudyPanel::Lines) // the map starts with the bubble, the lines with the iteration
        std::swap(names[0], names[1]);
    return names;
}

bool isNumeric(const StudyAxis& axis)
{
    return std::ranges::all_of(axis.values, [](const std::string& value) {
        return engine::parseNumber(value).has_value();
    });
}

// Uses the compared axis as the series of a chart, and fixes all axes that the chart does not use
// at the values of `point`.
StudyChart through(const Study& study, ChartKind kind, std::string_view x, std::string_view y,
                   const profiler::StudyPoint& point)
{
    StudyChart chart;
    chart.kind = kind;
    chart.x = x;
    chart.y = y;
    chart.series = study.comparedAxis()->key;
    for (std::size_t i = 0; i < study.grid.size(); ++i)
        if (const std::string& key = study.grid[i].key;
            key != chart.series && (chart.kind == ChartKind::Pareto || key != chart.x))
            chart.where[key] = point.values[i];
    return chart;
}

void addFronts(const StudyData& data, const profiler::StudyPoint& point,
               std::vector<ChartChoice>& choices)
{
    const std::string memory(metricName(
        isKnown(data, StudyMetric::PeakBytes) ? StudyMetric::PeakBytes : StudyMetric::PeakStash));
    for (const StudyMetric metric :
         {StudyMetric::Iteration, StudyMetric::TokensPerSecond, StudyMetric::Bubble})
        if (isKnown(data, metric) || metric == StudyMetric::Iteration)
            choices.push_back(
                {QStringLiteral("%1 against memory")
                     .arg(fromUtf8(metricInfo(metric).title).section(QLatin1Char(','), 0, 0)),
                 through(data.study, ChartKind::Pareto, memory, metricName(metric), point), false});
}

} // namespace

std::vector<std::string> chartAxes(const Study& study, StudyPanel panel)
{
    const StudyAxis* const compared = study.comparedAxis();
    std::vector<const StudyAxis*> axes;
    for (const StudyAxis& axis : study.grid)
        if (&axis != compared)
            axes.push_back(&axis);
    const auto rank = [panel](const StudyAxis* axis) {
        const bool isCount = axis->key == "micro-batches" || axis->key == "devices";
        const bool isPreferred = panel == StudyPanel::Map ? axis->key == "micro-batches" : !isCount;
        return std::tuple(axis->values.size() < 2, !(isPreferred && isNumeric(*axis)),
                          !isNumeric(*axis));
    };
    std::ranges::stable_sort(axes, {}, rank);
    std::vector<std::string> keys;
    for (const StudyAxis* axis : axes)
        keys.push_back(axis->key);
    if (keys.empty() && compared != nullptr)
        keys.push_back(compared->key);
    return keys;
}

std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t at)
{
    const profiler::StudyPoint& point = data.points[at];
    std::vector<ChartChoice> choices;
    for (const StudyChart& chart : data.study.charts)
        if (panelOf(chart.kind) == panel)
            choices.push_back({QString::fromStdString(chart.title), chart, true});
    if (panel == StudyPanel::Front) {
        addFronts(data, point, choices);
        return choices;
    }
    const std::string x = axis.empty() ? chartAxes(data.study, panel).front() : axis;
    const bool hasOneAxis = x == data.study.comparedAxis()->key;
    const ChartKind kind = hasOneAxis ? ChartKind::Bars
        : panel == StudyPanel::Map    ? ChartKind::HeatMap
                                      : ChartKind::Lines;
    for (const std::string& name : quantities(data, panel))
        choices.push_back(
            {fromUtf8(columnTitle(data, name)), through(data.study, kind, x, name, point), false});
    return choices;
}

std::size_t firstPoint(const StudyData& data)
{
    std::vector<std::string> values = data.points.front().values;
    if (!data.study.charts.empty())
        for (std::size_t i = 0; i < values.size(); ++i)
            if (const auto at = data.study.charts.front().where.find(data.study.grid[i].key);
                at != data.study.charts.front().where.end())
                values[i] = at->second;
    const std::size_t start = pointAt(data.study, values).value_or(0);
    return summarizePoint(data, start).best.value_or(start);
}

namespace {

// "20 simulations, 0.3 s". `results`: nullptr if there are none. `seconds`: 0 if unknown.
QString summaryText(const Study& study, const StudyPointer& results, double seconds)
{
    const QString count = countOf(static_cast<std::int64_t>(study.size()),
                                  study.isMeasured() ? "run" : "simulation");
    if (results == nullptr || results->study != study || results->done() == 0)
        return QStringLiteral("%1, not computed yet").arg(count);
    if (results->done() < results->points.size())
        return QStringLiteral("%1 of %2 done").arg(results->done()).arg(count);
    return seconds > 0 ? QStringLiteral("%1, %2 s").arg(count, number(seconds, 1)) : count;
}

// "4 values of devices × 6 of micro-batches × 10 of scheme"
QString gridText(const Study& study)
{
    QStringList axes;
    for (const StudyAxis& axis : study.grid)
        axes.append(
            (axes.isEmpty() ? QStringLiteral("%1 values of %2") : QStringLiteral("%1 of %2"))
                .arg(axis.values.size())
                .arg(fromUtf8(profiler::optionWord(axis.key))));
    return axes.join(QStringLiteral(" × "));
}

// Sorts the values if all are numbers.
void sortNumbers(std::vector<std::string>& values)
{
    const auto number = [](const std::string& text) { return engine::parseNumber(text); };
    if (std::ranges::all_of(values, [&](const auto& text) { return number(text).has_value(); }))
        std::ranges::stable_sort(values, {}, [&](const auto& text) { return *number(text); });
}

// The values of an option: a chip for each, or one for many values in equal steps ("0 to 20, 21
// steps"), which its x removes. Typed values are added.
class ValuesLine : public QWidget
{
public:
    ValuesLine(const ThemeController& theme, std::string key,
               std::function<void(const std::vector<std::string>&)> edited)
        : m_theme(theme)
        , m_key(std::move(key))
        , m_edited(std::move(edited))
    {
        const QString name = QString::fromStdString(m_key), title = studyOptionLabel(m_key);
        const QStringList names = studyOptionNames(m_key);
        QLabel* label = makeLabel(title, "section");
        label->setToolTip(toolTipText(studyOptionHelp(m_key)));
        m_line->setObjectName(name + QLatin1String("Line"));
        m_line->setAccessibleName(tr("Add values of %1").arg(title));
        m_line->setPlaceholderText(tr("add"));
        m_line->setToolTip(toolTipText(names.isEmpty()
                                           ? tr("Type values and press Enter: 4 8, or 0 to 0.5, 11 "
                                                "steps")
                                           : names.join(QStringLiteral(", "))));
        m_line->setParent(m_chips);
        m_problem->setObjectName(name + QLatin1String("Problem"));
        m_problem->hide();
        spaced(new QVBoxLayout(this), {}, 6, {label, m_chips, m_problem});
        connect(m_line, &QLineEdit::editingFinished, this, &ValuesLine::read);
        connect(m_line, &QLineEdit::textChanged, this, &ValuesLine::place);
    }

    const std::string& key() const { return m_key; }

    void show(const std::vector<std::string>& values)
    {
        m_values = values;
        const std::string text = profiler::valuesText(values);
        m_isRange = !values.empty() && profiler::parseValues(text) == values
            && text.find(" to ") != std::string::npos;
        for (QWidget* chip : m_shown) {
            chip->hide();
            chip->deleteLater(); // after the click on its x
        }
        m_shown.clear();
        for (const std::string& value : m_isRange ? std::vector{text} : values)
            m_shown.push_back(makeChip(value));
        m_line->clear();
        place();
    }

    // Frames the chip of a value.
    void mark(const std::string& value)
    {
        for (std::size_t k = 0; !m_isRange && k < m_shown.size(); ++k)
            setLook(m_shown[k], "chosen", m_values[k] == value);
    }

    // "": none
    void setProblem(const QString& text)
    {
        setLook(m_line, "invalid", !text.isEmpty());
        m_problem->setText(text);
        m_problem->setVisible(!text.isEmpty());
    }

    void edit() { m_line->setFocus(); }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        place();
    }

private:
    QWidget* makeChip(const std::string& value)
    {
        const QString text = fromUtf8(value);
        auto* chip = new QFrame(m_chips);
        chip->setProperty("kind", QStringLiteral("chip"));
        auto* remove
            = makeIconButton("removeValue", Icon::Close, tr("Remove %1").arg(text), m_theme);
        remove->setFixedSize(20, 20);
        auto* name = new ElidedLabel;
        name->setText(text);
        spaced(new QHBoxLayout(chip), {7, 0, 2, 0}, 0, {{name, 1}, remove});
        connect(remove, &QToolButton::clicked, this, [this, value] {
            std::vector<std::string> left = m_isRange ? std::vector<std::string>() : m_values;
            std::erase(left, value);
            show(left);
            m_edited(left);
        });
        chip->show();
        return chip;
    }

    // Arranges the chips and the field in lines.
    void place()
    {
        constexpr int kGap = 6, kField = 48;
        const int height = m_line->minimumSizeHint().height(); // a lower field would be cut off
        int x = 0, y = 0;
        const auto put = [&](QWidget* widget, int needed) {
            const int width = std::min(needed, m_chips->width());
            if (x > 0 && x + width > m_chips->width()) {
                x = 0;
                y += height + kGap;
            }
            widget->setGeometry(x, y, width, height);
            x += width + kGap;
        };
        for (QWidget* chip : m_shown)
            put(chip, chip->sizeHint().width());
        put(m_line, std::max(kField, m_line->fontMetrics().horizontalAdvance(m_line->text()) + 24));
        m_chips->setFixedHeight(y + height);
    }

    void read()
    {
        QString text = m_line->text().trimmed();
        if (text.isEmpty())
            return setProblem({});
        const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        if (std::ranges::all_of(words, [](const QString& word) {
                return engine::parseNumber(word.toStdString()).has_value();
            }))
            text = words.join(QLatin1Char(','));
        auto values = profiler::parseValues(text.toStdString());
        setProblem(values ? QString() : fromUtf8(values.error().message));
        if (!values)
            return;
        std::vector<std::string> all = m_values;
        std::ranges::copy_if(*values, std::back_inserter(all), [&](const std::string& value) {
            return std::ranges::find(all, value) == all.end();
        });
        sortNumbers(all);
        const bool isEdit = all != m_values;
        show(all);
        if (isEdit)
            m_edited(all);
    }

    const ThemeController& m_theme;
    std::string m_key;
    std::vector<std::string> m_values;
    std::function<void(const std::vector<std::string>&)> m_edited;
    QWidget* m_chips = new QWidget;
    std::vector<QWidget*> m_shown;
    bool m_isRange = false; // all values have one chip
    QLineEdit* m_line = new QLineEdit;
    QLabel* m_problem = makeWrapped("problem");
};

constexpr const char* kSchemeKey = "scheme";
// Options that have a row even if the study leaves them out.
constexpr std::array kFirstOptions{"model", "hardware", "devices", "micro-batches"};

// The options that have a row, in this order: kFirstOptions, then the other options of the study.
std::vector<std::string> rowsOf(const profiler::Study& study)
{
    std::vector<std::string> keys(kFirstOptions.begin(), kFirstOptions.end());
    for (const auto* axes : {&study.grid, &study.fixed})
        for (const profiler::StudyAxis& axis : *axes)
            if (axis.key != kSchemeKey && std::ranges::find(keys, axis.key) == keys.end())
                keys.push_back(axis.key);
    return keys;
}

class Form : public StudyForm
{
public:
    explicit Form(const ThemeController& theme)
        : m_theme(theme)
    {
        m_title->setPlaceholderText(tr("Title"));
        m_onlyFitting->setToolTip(tr(
            "Excludes from charts and results the points that need more memory than a device has"));
        m_schemeProblem->hide();
        auto* content = makeSurface("plain");
        auto* add = spaced(new QHBoxLayout, {}, 0, {m_addOption, kStretch});
        auto* column = spaced(new QVBoxLayout(content), {14, 12, 14, 12}, 14,
                              {m_title, m_options, add, m_onlyFitting});
        makeSchemes(*column);
        fill(*column, {m_kept, kStretch});
        spaced(new QVBoxLayout(this), {}, 0, {{makeScroll(content), 1}});
        connect(m_title, &QLineEdit::textEdited, this, [this](const QString& text) {
            m_study.title = text.toStdString();
            Q_EMIT edited();
        });
        connect(m_onlyFitting, &QCheckBox::clicked, this, [this](bool isChecked) {
            m_study.onlyFitting = isChecked;
            Q_EMIT edited();
        });
        connect(m_addOption, &QPushButton::clicked, this, &Form::addOption);
    }

    void setStudy(const profiler::Study& study) override
    {
        m_study = m_complete = study;
        // Moves the schemes of the study to the top, in the order of the study. A later tick does
        // not move a scheme.
        const auto ticked = profiler::optionValues(m_study, kSchemeKey);
        std::ranges::stable_sort(m_schemes, {}, [&ticked](const QCheckBox* box) {
            return std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                - ticked.begin();
        });
        for (QCheckBox* box : m_schemes) {
            m_schemeRows->removeWidget(box->parentWidget());
            m_schemeRows->addWidget(box->parentWidget());
        }
        showStudy();
    }
    void mark(const std::map<std::string, std::string>& values) override
    {
        for (ValuesLine* row : m_rows)
            if (const auto value = values.find(row->key()); value != values.end())
                row->mark(value->second);
    }
    void showWins(const profiler::StudyWins& wins) override
    {
        for (const QCheckBox* box : m_schemes) {
            const auto own = wins.of.find(box->property("scheme").toString().toStdString());
            auto* count = box->parentWidget()->findChild<QLabel*>();
            count->setText(own == wins.of.end() ? QString()
                                                : tr("%1 of %2").arg(own->second).arg(wins.setUps));
            count->setToolTip(tr("Set-ups in which it has the shortest iteration"));
        }
    }
    bool showProblem(const std::optional<StudyProblem>& problem) override
    {
        bool isShown = false;
        for (ValuesLine* row : m_rows) {
            const bool isAtFault = problem && problem->key == row->key();
            row->setProblem(isAtFault ? problem->text : QString());
            isShown = isShown || isAtFault;
        }
        const bool isOfSchemes = problem && problem->key == kSchemeKey;
        m_schemeProblem->setText(isOfSchemes ? problem->text : QString());
        m_schemeProblem->setVisible(isOfSchemes);
        return isShown || isOfSchemes;
    }

private:
    void showStudy()
    {
        m_title->setText(fromUtf8(m_study.title));
        m_title->setCursorPosition(0);
        m_onlyFitting->setChecked(m_study.onlyFitting);
        clearLayout(*m_options);
        m_rows.clear();
        for (const std::string& key : rowsOf(m_study))
            addRow(key);
        showSchemes();
        m_kept->setText(keptText());
        m_kept->setVisible(!m_kept->text().isEmpty());
    }

    void addRow(const std::string& key)
    {
        auto* row = new ValuesLine(m_theme, key,
                                   [this, key](const auto& values) { setValues(key, values); });
        row->show(profiler::optionValues(m_study, key));
        m_options->addWidget(row);
        m_rows.push_back(row);
    }

    void setValues(const std::string& key, const std::vector<std::string>& values)
    {
        // Removes what needs a value that is not there now; another edit may add the value.
        m_study.ratios = m_complete.ratios;
        m_study.charts = m_complete.charts;
        m_study.answers = m_complete.answers;
        m_study.compare = m_complete.compare;
        m_study.repeat = m_complete.repeat;
        profiler::setOption(m_study, key, values);
        Q_EMIT edited();
    }

    void addOption()
    {
        auto* menu = named(new QMenu(this), "studyOptionMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (const QString& key : otherStudyOptions(m_study)) {
            const std::string option = key.toStdString();
            const auto isShown = [&option](const ValuesLine* row) { return row->key() == option; };
            if (std::ranges::any_of(m_rows, isShown))
                continue;
            QAction* action = menu->addAction(key, this, [this, option] {
                addRow(option);
                m_rows.back()->edit();
            });
            action->setToolTip(toolTipText(studyOptionHelp(option)));
        }
        menu->setToolTipsVisible(true);
        menu->popup(m_addOption->mapToGlobal(m_addOption->rect().bottomLeft()));
    }

    void makeSchemes(QVBoxLayout& column)
    {
        auto* head = spaced(new QHBoxLayout, {}, 8,
                            {makeLabel(tr("Schemes"), "section"), kStretch, m_schemeCount});
        fill(column, {head, m_schemeProblem, m_schemeRows});
        for (const engine::Scheme& scheme : engine::schemes()) {
            const std::string name(scheme.name);
            auto* box = new QCheckBox(shortTitle(fromUtf8(scheme.title)));
            box->setObjectName(QStringLiteral("studyScheme-") + fromUtf8(name));
            box->setToolTip(toolTipText(fromUtf8(scheme.summary)));
            box->setProperty("scheme", fromUtf8(name));
            connect(box, &QCheckBox::clicked, this,
                    [this, name](bool isTicked) { tickScheme(name, isTicked); });
            m_schemes.push_back(box);
            makeRow({}, 8, {{box, 1}, makeLabel({}, "small")}); // is the parent of the box
        }
    }

    void showSchemes()
    {
        const auto ticked = profiler::optionValues(m_study, kSchemeKey);
        for (QCheckBox* box : m_schemes)
            box->setChecked(
                std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                != ticked.end());
        m_schemeCount->setText(tr("%1 of %2").arg(ticked.size()).arg(m_schemes.size()));
    }

    void tickScheme(const std::string& scheme, bool isTicked)
    {
        std::vector<std::string> values = profiler::optionValues(m_study, kSchemeKey);
        std::erase(values, scheme);
        if (isTicked)
            values.push_back(scheme);
        setValues(kSchemeKey, values);
        showSchemes();
    }

    // Lists the options that apply to only one scheme; the form does not edit them.
    QString keptText() const
    {
        QStringList lines;
        for (const auto& [scheme, arguments] : m_study.schemeArguments) {
            QStringList texts;
            for (const std::string& argument : arguments)
                texts.append(fromUtf8(argument));
            lines.append(tr("Only %1: %2").arg(fromUtf8(scheme), texts.join(QLatin1Char(' '))));
        }
        return lines.join(QLatin1Char('\n'));
    }

    const ThemeController& m_theme;
    profiler::Study m_complete; // before the edits
    std::vector<ValuesLine*> m_rows;
    std::vector<QCheckBox*> m_schemes;
    QVBoxLayout *m_options = spaced(new QVBoxLayout, {}, 14),
                *m_schemeRows = spaced(new QVBoxLayout, {}, 8);
    QLineEdit* m_title = named(new QLineEdit, "studyTitle", tr("Title"));
    QCheckBox* m_onlyFitting
        = named(new QCheckBox(tr("Leave out points that do not fit")), "studyOnlyFitting");
    QPushButton* m_addOption
        = makeButton(tr("Add an option"), QStringLiteral("studyAddOption"), "tool");
    QLabel *m_schemeCount = named(makeLabel({}, "small"), "studySchemeCount"),
           *m_schemeProblem = makeWrapped("problem", "studySchemeProblem"),
           *m_kept = makeWrapped("hint", "studyKept");
};

} // namespace

StudyForm* StudyForm::make(const ThemeController& theme)
{
    return new Form(theme);
}

namespace {

using Mode = profiler::Study::Mode;
using PointRow = profiler::PointSummary::Row;
using Answers = std::vector<profiler::AnsweredQuestion>;
using Found = std::pair<Answers, profiler::StudyWins>;

constexpr double kMostAtOnce = 10'000; // points; a larger study does not start when it is opened
constexpr int kStartPage = 0, kChartsPage = 1;              // pages of the stack
constexpr int kDefinition = 270, kMaps = 746, kFront = 584; // widths in a window of 1600 px

// The metrics of the selected point, and the best value of each among the points that differ from
// it only in the compared axis.
std::vector<TableColumn<PointRow>> pointColumns(const std::string& name)
{
    using Column = TableColumn<PointRow>;
    return {Column(QString(), &PointRow::title, Qt::AlignLeft),
            Column(fromUtf8(name), &PointRow::value).flag(kStrongRole),
            Column(QStringLiteral("best here"), &PointRow::best),
            Column(QStringLiteral("reached by"), &PointRow::bestNames, Qt::AlignLeft)};
}

// A study to begin with: its title and question, and the shape of its first chart.
class StudyCard : public CardButton
{
public:
    StudyCard(const ThemeController& theme, const profiler::Study& study)
        : CardButton(theme)
        , m_title(fromUtf8(study.title))
        , m_question(fromUtf8(study.question))
        , m_count(countOf(static_cast<int>(study.size()), study.isMeasured() ? "run" : "point"))
        , m_kind(study.charts.empty() ? Kind::Lines : study.charts.front().kind)
    {
        setObjectName(QStringLiteral("studyCard"));
        setFixedHeight(144);
        setMinimumWidth(240);
        setAccessibleName(m_title);
        setAccessibleDescription(m_question);
    }

protected:
    void paintContent(QPainter& painter) override
    {
        constexpr double kEdge = 16, kLeft = 116;
        const Chrome& c = theme().chrome;
        paintShape(painter, {kEdge, 22, 80, 64});
        const double inner = width() - kLeft - kEdge;
        const auto wrapped
            = [&](double top, const QString& words, const QFont& font, const QColor& ink) {
                  QRectF used;
                  painter.setFont(font);
                  painter.setPen(ink);
                  painter.drawText(QRectF(kLeft, top, inner, height() - 32 - top), Qt::TextWordWrap,
                                   words, &used);
                  return used.bottom();
              };
        const double below = wrapped(14, m_title, uiFont(13, QFont::Medium), c.text) + 4;
        wrapped(below, m_question, uiFont(12), c.text2);
        text(painter, {kLeft, height() - 28.0, inner, 16}, m_count, {uiFont(12), c.text2});
    }

private:
    using Kind = profiler::StudyChart::Kind;

    void paintShape(QPainter& painter, const QRectF& box) const
    {
        constexpr int kColumns = 5, kRows = 4;
        const Chrome& c = theme().chrome;
        const auto at = [&](double x, double y) {
            return box.bottomLeft() + QPointF(x * box.width(), -y * box.height());
        };
        painter.setPen(c.lineStrong);
        if (m_kind == Kind::PhaseMap || m_kind == Kind::HeatMap) {
            for (int cell = 0; cell < kColumns * kRows; ++cell) {
                const int x = cell % kColumns, y = cell / kColumns;
                painter.setBrush(x > y + 1 ? c.text2 : x > y - 1 ? c.text3 : c.surfaceAlt);
                painter.drawRect(QRectF(at(x / 5.0, y / 4.0), at((x + 1) / 5.0, (y + 1) / 4.0)));
            }
            return;
        }
        painter.drawPolyline(QPolygonF{at(0, 1), at(0, 0), at(1, 0)});
        if (m_kind == Kind::Bars)
            for (int bar = 0; bar < kColumns; ++bar)
                painter.fillRect(QRectF(at(0.08 + bar / 5.4, 0),
                                        at(0.2 + bar / 5.4, 0.35 + 0.13 * (bar * 3 % 5))),
                                 bar == 3 ? c.text2 : c.text3);
        painter.setPen(QPen(c.text2, 2));
        if (m_kind == Kind::Pareto)
            painter.drawPolyline(QPolygonF{at(0.1, 0.95), at(0.1, 0.7), at(0.35, 0.7),
                                           at(0.35, 0.4), at(0.65, 0.4), at(0.65, 0.2),
                                           at(0.98, 0.2)});
        if (m_kind != Kind::Lines)
            return;
        painter.drawPolyline(QPolygonF{at(0.05, 0.2), at(0.35, 0.5), at(0.65, 0.75), at(1, 0.85)});
        painter.setPen(QPen(c.text3, 2));
        painter.drawPolyline(QPolygonF{at(0.05, 0.45), at(0.35, 0.55), at(0.65, 0.6), at(1, 0.62)});
    }

    QString m_title, m_question, m_count;
    Kind m_kind;
};

// A grid of simulations or runs: its form at the left, three charts, and the selected point. We
// keep the results beside the edited grid, because an edit must not empty the charts: they show the
// last results until the next run.
class GridPage : public StudyPage
{
public:
    explicit GridPage(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("studyPage"));
        makeActions();
        m_notice->hide();
        m_answer->hide();
        connect(m_answer->addAction(tr("Copy the sentence"), QStringLiteral("studyCopyAnswer")),
                &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(m_sentences); });
        m_stack->addWidget(makeStart());
        m_stack->addWidget(makeCharts());
        m_definition = makeDefinition();
        auto* centre = makeColumn({}, 0, {m_notice, m_answer, {m_stack, 1}});
        spaced(new QHBoxLayout(this), {}, 0,
               {{makeSplitter(Qt::Horizontal,
                              {{m_definition, kDefinition}, {centre, kMaps + kFront, 1}}),
                 1}});
        setInitialFocus(m_presets);
        connectAll();
        m_form->setStudy(m_saved);
        showEdits();
    }

    void open(const QString& nameOrFile) override
    {
        if (m_session.isRunning())
            return;
        const auto study = openStudy(nameOrFile);
        if (!study)
            return m_notice->show(Band::Kind::Error, tr("Not opened."),
                                  capitalized(fromUtf8(study.error().message)));
        const bool isFile = nameOrFile.endsWith(QStringLiteral(".toml")); // as SpecFile::textOf()
        const QFileInfo file(nameOrFile);
        m_path = isFile ? file.absoluteFilePath() : QString();
        m_name = isFile ? file.completeBaseName() : nameOrFile;
        m_saved = *study;
        m_form->setStudy(*study);
        showPreset();
        showEdits();
        if (m_isRunnable && !study->isMeasured() && study->size() <= kMostAtOnce)
            run();
        else
            showStart(*study);
        Q_EMIT titleChanged();
    }

    QString title() const override
    {
        const QString title = m_name.isEmpty() ? tr("Study") : tr("Study: %1").arg(m_name);
        return isModified() ? title + QStringLiteral(" \u2022") : title;
    }

    QString file() const override { return m_path; }
    QJsonObject state() const override // of a preset
    {
        return m_path.isEmpty() && !m_name.isEmpty()
            ? QJsonObject{{QStringLiteral("preset"), m_name}}
            : QJsonObject();
    }
    void restoreState(const QJsonObject& state) override
    {
        if (const QString preset = state.value(QStringLiteral("preset")).toString();
            !preset.isEmpty())
            open(preset);
    }

    QStringList statusTexts() const override
    {
        if (m_data == nullptr)
            return {tr("<b>Study</b> not computed yet")};
        QStringList texts{
            tr("<b>Study</b> %1").arg(fromUtf8(engine::modeAdjective(m_data->study.mode))),
            gridText(m_data->study).toHtmlEscaped(),
            countOf(static_cast<qint64>(m_data->done()), "point")};
        if (m_data->refused() > 0)
            texts.append(tr("%1 not possible").arg(m_data->refused()));
        return texts;
    }

    QString statusNote() const override
    {
        return m_data == nullptr
            ? QString()
            : fromUtf8(m_summary.name) + QLatin1String(", ") + m_pointWhere->text();
    }

    bool queryClose() override
    {
        return !isModified()
            || mayDiscard(m_name.isEmpty() ? tr("The study") : m_name, 0, this,
                          [this] { return save(); });
    }

    StudySession& session() override { return m_session; }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        StudyPage::resizeEvent(event);
        arrange();
    }

private:
    void makeActions()
    {
        const auto make = [this](const char* name, const QString& text, const QKeySequence& key,
                                 auto slot, const QString& tip = {}) {
            return makeAction(name, text, key, std::bind_front(slot, this), tip);
        };
        m_run = make("studyRun", tr("Run"), Qt::CTRL | Qt::Key_Return, &GridPage::run,
                     tr("compute the points of the grid that are missing"));
        m_cancel = makeAction(
            "studyCancel", tr("Cancel"), Qt::Key_Escape, [this] { m_session.cancel(); },
            tr("stop the study and keep the points that are done"));
        m_otherMode = make("studyOtherMode", tr("Emulate the grid"), {}, &GridPage::runOtherMode);
        m_showForm = makeAction("studyShowForm", tr("Definition"), Qt::Key_F9, {},
                                tr("show the grid at the left"));
        foldBelow(1180, *m_showForm);
        m_openPoint
            = make("studyOpenPoint", tr("Open timeline"), Qt::CTRL | Qt::Key_T,
                   &GridPage::openPoint, tr("simulate the selected point and open its run"));
        m_emulate
            = make("studyEmulatePoint", tr("Emulate this point"), {}, &GridPage::emulatePoint);
        m_compareBest = make("studyCompareBest", tr("Compare with best"), Qt::CTRL | Qt::Key_B,
                             &GridPage::compareBest,
                             tr("compare the timeline of the selected point with the best of its "
                                "set-up"));
        m_open = make("studyOpen", tr("Open a study…"), {}, &GridPage::askForStudy,
                      tr("read a grid from a .toml file"));
        m_save = make("studySave", tr("Save study…"), Qt::CTRL | Qt::Key_S, &GridPage::save,
                      tr("save the grid as a .toml file, which bscope study also reads"));
        m_saveReport = makeAction(
            "studySaveReport", tr("Save report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, [this] {
                m_saver.saveText({tr("Save report"), baseName(), tr("Reports (*.html)")},
                                 [data = m_data] { return profiler::studyReport(*data); });
            });
        m_saveCsv = makeAction("studySaveCsv", tr("Save results as CSV…"), {}, [this] {
            m_saver.saveText({tr("Save results"), baseName(), tr("Tables (*.csv)")},
                             [data = m_data] { return profiler::studyCsv(*data); });
        });
        m_exportMap = makeAction("studyExportMap", tr("Export the map…"), Qt::CTRL | Qt::Key_E,
                                 [this] { exportChart(StudyPanel::Map); });
        for (const auto& [action, icon] : {std::pair(m_run, Icon::Run),
                                           {m_emulate, Icon::Run},
                                           {m_showForm, Icon::ChevronRight},
                                           {m_open, Icon::Open},
                                           {m_openPoint, Icon::Chart},
                                           {m_compareBest, Icon::Compare}})
            followTheme(action, icon, m_theme);
        inMenu(Menu::File, {m_open, m_save});
        inMenu(Menu::Run, {m_run, m_cancel, m_otherMode, m_emulate});
        inMenu(Menu::View, {m_showForm, m_openPoint});
        inMenu(Menu::Compare, {m_compareBest});
        inMenu(Menu::Export, {m_exportMap, m_saveReport, m_saveCsv});
    }

    QWidget* makeDefinition()
    {
        m_presets->addItem(tr("Preset…"));
        for (const QString& name : studyPresets()) {
            m_presets->addItem(name);
            const auto study = openStudy(name);
            if (!study)
                continue;
            m_presets->model()->setItemData(
                m_presets->model()->index(m_presets->count() - 1, 0),
                {{Qt::ToolTipRole, toolTipText(fromUtf8(study->title + ": " + study->question))}});
            auto* card = new StudyCard(m_theme, *study);
            connect(card, &CardButton::clicked, this, [this, name] {
                if (queryClose())
                    open(name);
            });
            const int place = m_cards->count();
            m_cards->addWidget(card, place / 2, place % 2);
        }
        m_presets->setFocusPolicy(Qt::TabFocus);
        auto* more = makeIconButton("studyMore", Icon::More, tr("Save"), m_theme);
        auto* menu = new QMenu(more);
        menu->addActions({m_save, m_saveReport, m_saveCsv});
        more->setMenu(menu);
        more->setPopupMode(QToolButton::InstantPopup);
        auto* choice
            = spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Study"), "dock"), {m_presets, 1}});
        auto* head = makeBar(40, 4, {{choice, 1}, makeToolButton(m_open), more});

        m_runButton = makeButton(m_run, "studyRunButton", "primary");
        m_cancelButton = makeButton(m_cancel, "studyCancelButton");
        m_progress->setTextVisible(false);
        QSizePolicy keepsPlace = m_progress->sizePolicy();
        keepsPlace.setRetainSizeWhenHidden(true);
        m_progress->setSizePolicy(keepsPlace);
        auto* bottom = makeColumn({14, 10, 14, 12}, 8,
                                  {spaced(new QHBoxLayout, {}, 8, {{m_count, 1}, m_progressText}),
                                   m_progress,
                                   spaced(new QHBoxLayout, {}, 8,
                                          {{m_runButton, 1},
                                           {m_cancelButton, 1},
                                           {makeButton(m_otherMode, "studyOtherModeButton"), 1}})});
        auto* column = named(makeLined({head, {m_form, 1}, bottom}), "studyDefinition");
        column->setMinimumWidth(kDefinition);
        return column;
    }

    QWidget* makeCharts()
    {
        constexpr std::array kNames{"studyMap", "studyLines", "studyFront"};
        for (std::size_t i = 0; i < kStudyPanels; ++i) {
            m_panels[i] = new ChartPanel(m_theme, StudyPanel(i), kNames[i],
                                         [this](std::size_t point) { return describe(point); });
            connectPanel(StudyPanel(i));
        }
        m_maps = makeSplitter(Qt::Vertical,
                              {{&panel(StudyPanel::Map), 535}, {&panel(StudyPanel::Lines), 375}});
        m_selected = makePoint();
        m_side = makeSplitter(Qt::Vertical, {{&panel(StudyPanel::Front), 500}, {m_selected, 410}});
        m_shown->setCompact();
        m_shown->setName(tr("Shown chart"));
        connect(m_shown, &SegmentControl::currentChanged, this, &GridPage::arrange);
        m_bar = makeBar(36, 8, {m_shown, kStretch});
        return makeColumn(
            {}, 0,
            {m_bar,
             {makeSplitter(Qt::Horizontal, {{m_maps, kMaps, kMaps}, {m_side, kFront, kFront}}),
              1}});
    }

    // A small page shows one chart at a time.
    void arrange()
    {
        constexpr int kLeastWidth = 1080, kLeastHeight = 600;
        const bool areAll = width() >= kLeastWidth && height() >= kLeastHeight;
        const auto isShown = [&](int part) { return areAll || m_shown->current() == part; };
        m_bar->setVisible(!areAll);
        for (std::size_t i = 0; i < kStudyPanels; ++i)
            m_panels[i]->setVisible(isShown(static_cast<int>(i)));
        m_selected->setVisible(isShown(kStudyPanels));
        m_maps->setVisible(isShown(0) || isShown(1));
        m_side->setVisible(isShown(2) || isShown(3));
    }

    QWidget* makePoint()
    {
        m_pointTable->show(pointColumns("selected"), {});
        auto* buttons = spaced(new QHBoxLayout, {}, 8,
                               {makeActionButton(m_openPoint), makeActionButton(m_emulate),
                                makeActionButton(m_compareBest), kStretch});
        auto* below = makeColumn({12, 8, 12, 12}, 10, {m_sentence, buttons});
        return makeLined(
            {makeBar(40, 8, {m_pointTitle, m_mode, {m_pointWhere, 1}}), {m_pointTable, 1}, below});
    }

    // The page of a study without results: its question.
    QWidget* makeStart()
    {
        auto* content = makeSurface("plain");
        auto* run = makeButton(m_run, "studyStartRun", "primary");
        spaced(new QVBoxLayout(content), {28, 24, 28, 24}, 8,
               {m_startTitle, m_startQuestion,
                spaced(new QHBoxLayout, {0, 4, 0, 12}, 12, {run, {m_startCount, 1}}),
                makeLabel(tr("Or begin with a question"), "section"), spaced(m_cards, {}, 12),
                kStretch});
        return makeScroll(content);
    }

    void connectAll()
    {
        connect(m_form, &StudyForm::edited, this, &GridPage::showEdits);
        connect(m_showForm, &QAction::toggled, m_definition, &QWidget::setVisible);
        connect(m_presets, &QComboBox::activated, this, [this](int index) {
            if (index > 0 && queryClose())
                open(m_presets->itemText(index));
            showPreset();
        });
        connect(&m_points, &PointRuns::simulated, this, &GridPage::showSimulated);
        connect(&m_points, &PointRuns::failed, this, [this](const QString& reason) {
            m_notice->show(Band::Kind::Error, tr("Not simulated."), reason);
            showState();
        });
        connect(&m_session, &StudySession::dataRead, this, &GridPage::showData);
        connect(&m_session, &StudySession::progressed, this, &GridPage::showProgress);
        connect(&m_session, &StudySession::ended, this, &GridPage::showEnd);
    }

    void connectPanel(StudyPanel which)
    {
        ChartPanel& of = panel(which);
        connect(&of, &ChartPanel::exportRequested, this, [this, which] { exportChart(which); });
        connect(&of, &ChartPanel::chartChosen, this, [this] {
            if (m_data != nullptr)
                showPoint(); // the text about the point depends on the axis of the line chart
        });
        connect(&of.view(), &SceneView::pointChosen, this, [this](std::size_t point) {
            m_isChosen = true;
            choose(point);
        });
        connect(&of.view(), &SceneView::pointOpened, m_openPoint, &QAction::trigger);
    }

    ChartPanel& panel(StudyPanel which) { return *m_panels[static_cast<std::size_t>(which)]; }

    bool isModified() const { return m_form->study() != m_saved; }

    QString baseName() const { return m_name.isEmpty() ? QStringLiteral("study") : m_name; }

    void askForStudy()
    {
        askForFile(this, tr("Open a study"), tr("Studies (*.toml);;All files (*)"),
                   [this](const QString& file) {
                       if (queryClose())
                           open(file);
                   });
    }

    // Asks for a file; false: cancelled, or not written.
    bool save()
    {
        const QString file = m_saver.saveNow({tr("Save study"), baseName(), tr("Studies (*.toml)")},
                                             profiler::studyToml(m_form->study()));
        if (file.isEmpty())
            return false;
        m_path = file;
        m_name = QFileInfo(file).completeBaseName();
        m_saved = m_form->study();
        showPreset();
        Q_EMIT titleChanged();
        return true;
    }

    // Hides the results of the previous study, which would look like results of this one.
    void showStart(const profiler::Study& study)
    {
        clearCharts();
        m_answers.drop();
        m_answer->hide();
        m_form->showWins({});
        m_data = nullptr;
        m_stack->setCurrentIndex(kStartPage);
        m_session.open(study);
        showState();
    }

    void showEdits()
    {
        const auto problem = studyProblem(m_form->study());
        m_isRunnable = !problem;
        if (!m_form->showProblem(problem) && problem)
            m_notice->show(Band::Kind::Error, tr("This grid cannot be run."), problem->text);
        else
            m_notice->hide();
        showEditedParts();
        showState();
        Q_EMIT titleChanged();
    }

    void showPreset()
    {
        const bool isFile = !m_path.isEmpty(); // which may have the name of a preset
        m_presets->setCurrentIndex(isFile ? 0 : std::max(0, m_presets->findText(m_name)));
    }

    // Applies edits that change no result to the shown results.
    void showEditedParts()
    {
        const profiler::Study& study = m_form->study();
        if (m_data == nullptr || m_session.isRunning() || !m_isRunnable || m_data->study == study
            || profiler::pointsToml(m_data->study) != profiler::pointsToml(study))
            return;
        auto edited = std::make_shared<StudyData>(*m_data);
        edited->study = study;
        showResults(edited);
    }

    void run()
    {
        if (!m_isRunnable || m_session.isRunning())
            return;
        m_notice->hide();
        m_progress->setRange(0, 0);
        m_progressText->clear();
        m_session.start(m_form->study());
        showState();
    }

    void runOtherMode()
    {
        profiler::Study study = m_form->study();
        study.mode = study.mode == Mode::Simulate ? Mode::Emulate : Mode::Simulate;
        m_form->setStudy(study);
        showEdits();
        run();
    }

    void showProgress(qint64 done, qint64 all, double secondsLeft)
    {
        m_progress->setRange(0, static_cast<int>(all));
        m_progress->setValue(static_cast<int>(done));
        m_progressText->setText(remainingTime(secondsLeft));
        m_count->setText(tr("%1 of %2 points").arg(done).arg(all));
    }

    void showData(const StudyPointer& results)
    {
        if (results->done() == 0 && !m_session.isRunning())
            return;
        m_stack->setCurrentIndex(kChartsPage);
        setInitialFocus(&panel(StudyPanel::Map).view());
        showResults(results);
    }

    void showEnd(const WorkerEnd& end)
    {
        if (end.how == WorkerEnd::How::Cancelled)
            m_notice->show(Band::Kind::Warning, tr("Cancelled."),
                           tr("%1 of %2 points were kept; press Run to continue. %3")
                               .arg(m_data == nullptr ? 0 : m_data->done())
                               .arg(m_data == nullptr ? 0 : m_data->points.size())
                               .arg(end.text)
                               .trimmed());
        else if (end.how != WorkerEnd::How::Finished)
            m_notice->show(Band::Kind::Error, tr("The study ended with an error."),
                           capitalized(end.text));
        showState();
    }

    // Keeps the selected point if the user chose it and the study still has it.
    void showResults(const StudyPointer& results)
    {
        const auto kept = m_isChosen && m_data != nullptr
                && m_data->points[m_point].values.size() == results->study.grid.size()
            ? pointAt(results->study, m_data->points[m_point].values)
            : std::nullopt;
        m_isChosen = kept.has_value();
        if (m_data != nullptr && m_data->study.grid != results->study.grid)
            clearCharts(); // a chart of the previous grid has the indices of its points
        m_data = results;
        if (results->done() == results->points.size())
            m_answers.ask(results);
        choose(kept.value_or(firstPoint(*results)));
    }

    // The first clause of the first claim is what the page says first.
    void showAnswers(const Answers& answers)
    {
        m_answer->setVisible(!answers.empty());
        if (answers.empty())
            return;
        m_sentences.clear();
        for (const profiler::AnsweredQuestion& answer : answers)
            m_sentences += fromUtf8(answer.sentence) + QLatin1Char('\n');
        const QStringList clauses = fromUtf8(answers.front().claim).split(QStringLiteral("; "));
        QString rest = clauses.mid(1).join(QStringLiteral("; "));
        rest += rest.isEmpty() ? QString() : QStringLiteral(".");
        if (answers.size() > 1)
            rest += tr(" (%1 more in the copied text and the report)").arg(answers.size() - 1);
        m_answer->show(answers.front().unknown.empty() ? Band::Kind::Ok : Band::Kind::Warning,
                       clauses.front() + QLatin1Char('.'), rest.trimmed());
        m_answer->setToolTip(toolTipText(m_sentences.trimmed()));
    }

    void clearCharts()
    {
        for (ChartPanel* of : m_panels)
            of->show(nullptr, 0);
    }

    void choose(std::size_t point)
    {
        m_point = point;
        for (ChartPanel* of : m_panels)
            of->show(m_data, point);
        showPoint();
    }

    void showPoint()
    {
        m_summary = summarizePoint(*m_data, m_point, panel(StudyPanel::Lines).axis());
        std::map<std::string, std::string> values;
        for (std::size_t i = 0; i < m_data->study.grid.size(); ++i)
            values[m_data->study.grid[i].key] = m_data->points[m_point].values[i];
        m_form->mark(values);
        m_pointTable->show(pointColumns(m_summary.name), m_summary.rows);
        m_pointTitle->setText(tr("Selected: %1").arg(fromUtf8(m_summary.name)));
        m_pointWhere->setText(fromUtf8(m_summary.where));
        m_mode->setText(fromUtf8(engine::modeAdjective(m_data->study.mode)));
        m_sentence->setText(m_summary.reason.empty()
                                ? fromUtf8(m_summary.sentence)
                                : tr("Not possible: %1.").arg(fromUtf8(m_summary.reason)));
        showState();
    }

    QString describe(std::size_t point) const
    {
        return m_data == nullptr || point >= m_data->points.size()
            ? QString()
            : fromUtf8(pointText(summarizePoint(*m_data, point)));
    }

    void showState()
    {
        const bool isRunning = m_session.isRunning();
        const profiler::Study& study = m_form->study();
        m_runButton->setVisible(!isRunning);
        m_cancelButton->setVisible(isRunning);
        m_progress->setVisible(isRunning);
        m_progressText->setVisible(isRunning);
        const QString summary = summaryText(study, m_data, m_session.seconds());
        if (!isRunning || m_data == nullptr)
            m_count->setText(summary);
        m_startTitle->setText(study.title.empty() ? tr("A grid of simulations")
                                                  : fromUtf8(study.title));
        m_startQuestion->setText(fromUtf8(study.question));
        m_startQuestion->setVisible(!study.question.empty());
        m_startCount->setText(summary);
        m_run->setEnabled(m_isRunnable && !isRunning);
        m_cancel->setEnabled(isRunning);
        const QString refused = notRunnable(study);
        m_otherMode->setText(study.mode == Mode::Simulate ? tr("Emulate the grid")
                                                          : tr("Simulate the grid"));
        m_otherMode->setEnabled(m_isRunnable && !isRunning && study.axis("case") == nullptr
                                && (refused.isEmpty() || study.mode != Mode::Simulate));
        m_otherMode->setToolTip(refused.isEmpty()
                                    ? tr("Trains every point on this machine, one op at a time")
                                    : refused);
        m_presets->setEnabled(!isRunning);
        m_stack->widget(kStartPage)->setEnabled(!isRunning);
        m_open->setEnabled(!isRunning);
        showPointActions();
        Q_EMIT statusChanged();
    }

    void showPointActions()
    {
        const bool hasPoint = m_data != nullptr && m_summary.reason.empty();
        const bool canOpen = hasPoint && !m_data->study.isMeasured() && !m_points.isRunning();
        m_openPoint->setEnabled(canOpen);
        m_compareBest->setEnabled(canOpen && m_summary.best && *m_summary.best != m_point);
        const QString notRun = m_data == nullptr ? QString() : notRunnable(m_data->study);
        m_emulate->setEnabled(hasPoint && notRun.isEmpty());
        m_emulate->setToolTip(notRun.isEmpty() ? tr("Trains the selected point on this machine")
                                               : notRun);
        for (QAction* action : {m_saveReport, m_saveCsv, m_exportMap})
            action->setEnabled(m_data != nullptr);
    }

    QStringList argumentsOf(std::size_t point) const
    {
        QStringList arguments;
        for (const std::string& argument : m_data->points[point].arguments)
            arguments.append(fromUtf8(argument));
        return arguments;
    }

    void simulatePoints(const std::vector<std::size_t>& points)
    {
        std::vector<QStringList> all;
        for (const std::size_t point : points)
            all.push_back(argumentsOf(point));
        m_points.simulate(all);
        showState();
    }

    void openPoint() { simulatePoints({m_point}); }
    void compareBest() { simulatePoints({m_point, *m_summary.best}); }

    void showSimulated(const QStringList& files)
    {
        showState();
        Q_EMIT pageRequested({files.size() == 1 ? "run" : "compare", files});
    }

    void emulatePoint()
    {
        Q_EMIT startRequested({QStringList{QStringLiteral("--mode"), QStringLiteral("emulate")}
                               + argumentsOf(m_point)});
    }

    void exportChart(StudyPanel which)
    {
        if (m_data != nullptr)
            m_saver.saveFigure(panel(which).figure(), baseName());
    }

    const ThemeController& m_theme;
    StudySession m_session{this};
    PointRuns m_points{this};
    Latest<StudyPointer, Found> m_answers{this,
                                          [](const StudyPointer& of) {
                                              return Found{studyAnswers(*of), studyWins(*of)};
                                          },
                                          [this](const Found& found) {
                                              showAnswers(found.first);
                                              m_form->showWins(found.second);
                                          }};
    QString m_sentences; // the answers, one a line
    RunSaver m_saver{this};

    profiler::Study m_saved = defaultStudy(); // the study as last opened or saved
    QString m_name, m_path; // name of the preset or file; "": a new study. Path: "": no file
    bool m_isRunnable = true;

    StudyPointer m_data;     // nullptr: nothing to show
    std::size_t m_point = 0; // the selected point, which all charts mark
    bool m_isChosen = false; // whether the user chose the point
    profiler::PointSummary m_summary;

    QAction *m_run, *m_cancel, *m_otherMode; // otherMode: emulate a simulated grid, or vice versa
    QAction *m_openPoint, *m_emulate, *m_compareBest;
    QAction *m_open, *m_save, *m_saveReport, *m_saveCsv, *m_exportMap, *m_showForm;

    StudyForm* m_form = named(StudyForm::make(m_theme), "studyForm");
    std::array<ChartPanel*, kStudyPanels> m_panels;
    SegmentControl* m_shown
        = named(new SegmentControl(m_theme, {tr("Map"), tr("Lines"), tr("Pareto"), tr("Selected")}),
                "studyShown");
    QWidget *m_bar, *m_maps, *m_side, *m_selected; // m_maps, m_side: the left and right charts
    // m_answer: what the study found, before its charts; m_notice: problems of grid and worker
    Band *m_answer = named(new Band(m_theme, Band::Shape::State), "studyAnswer"),
         *m_notice = named(new Band(m_theme, Band::Shape::State), "studyNotice");
    QGridLayout* m_cards = new QGridLayout; // of the presets
    QComboBox* m_presets = named(new QComboBox, "studyPresets", tr("Preset"));
    ElidedLabel *m_count = named(new ElidedLabel("small"), "studySummary"),
                *m_progressText = named(new ElidedLabel("small"), "studyLeft"),
                *m_pointTitle = named(new ElidedLabel("dock"), "studyPoint"),
                *m_pointWhere = named(new ElidedLabel("hint"), "studyPointWhere");
    QLabel *m_sentence = makeWrapped("small", "studySentence"),
           *m_startTitle = makeWrapped("heading", "studyStartTitle"),
           *m_startQuestion = makeWrapped("secondary", "studyStartQuestion"),
           *m_startCount = makeWrapped("small", "studyStartCount");
    QProgressBar* m_progress
        = named(new QProgressBar, "studyProgress", tr("Progress of the study"));
    QPushButton *m_runButton, *m_cancelButton;
    Tag* m_mode = new Tag(m_theme);
    RowTable<PointRow>* m_pointTable
        = new RowTable<PointRow>(m_theme, 28, "studyPointTable", tr("Selected point"), 3);
    QStackedWidget* m_stack = new QStackedWidget;
    QWidget* m_definition;
};

} // namespace

StudyPage* StudyPage::make(const ThemeController& theme)
{
    return new GridPage(theme);
}

} // namespace app
