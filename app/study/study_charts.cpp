#include "app/study/study_charts.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/base/field.h"
#include "engine/cost/hardware.h"
#include "engine/cost/spec_file.h"
#include "engine/cost/transformer.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_answer.h"
#include "profiler/study/study_file.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>

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
    m_mode->setText(modeText(results->study));
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
    m_where->setText(chosen == nullptr ? QString() : whereText(chosen->chart));
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
                     .arg(fromUtf8(metricTitle(metric)).section(QLatin1Char(','), 0, 0)),
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

QString whereText(const StudyChart& chart)
{
    return fromUtf8(profiler::whereText(chart.where));
}

double gridSize(const Study& study)
{
    double points = 1;
    for (const profiler::StudyAxis& axis : study.grid)
        points *= static_cast<double>(axis.values.size());
    return points;
}

QString summaryText(const Study& study, const StudyPointer& results, double seconds)
{
    const QString count = countOf(static_cast<std::int64_t>(gridSize(study)),
                                  study.isMeasured() ? "run" : "simulation");
    if (results == nullptr || results->study != study || results->done() == 0)
        return QStringLiteral("%1, not computed yet").arg(count);
    if (results->done() < results->points.size())
        return QStringLiteral("%1 of %2 done").arg(results->done()).arg(count);
    return seconds > 0 ? QStringLiteral("%1, %2 s").arg(count, number(seconds, 1)) : count;
}

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

QString modeText(const Study& study)
{
    constexpr std::array<const char*, 3> kModes{"simulated", "emulated", "live"};
    return QString::fromLatin1(kModes[static_cast<std::size_t>(study.mode)]);
}

} // namespace app
