#include "app/study/chart_panel.h"

#include "app/study/study_options.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
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

} // namespace app
