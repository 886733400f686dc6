#include "app/study/point_browser.h"

#include "app/study/chart_panel.h"
#include "app/study/point_model.h"
#include "app/study/study_frame.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "profiler/study/chart.h"

namespace app {
namespace {

constexpr std::array kPanels{StudyPanel::Map, StudyPanel::Lines, StudyPanel::Front};

} // namespace

PointBrowser::PointBrowser(const ThemeController& theme, StudyFrame& frame, QObject* parent)
    : QObject(parent)
    , m_theme(theme)
    , m_frame(frame)
    , m_model(new PointModel(this))
{
    frame.point->setModel(m_model);
    frame.point->setRestColumn(static_cast<int>(PointModel::Column::Names));
    for (const StudyPanel panel : kPanels)
        connectPanel(panel);
    connect(&theme, &ThemeController::changed, this, [this] {
        for (const StudyPanel panel : kPanels)
            draw(panel);
    });
}

void PointBrowser::connectPanel(StudyPanel panel)
{
    ChartPanel& of = m_frame.panel(panel);
    connect(&of, &ChartPanel::chartChosen, this, [this, panel] {
        if (m_data == nullptr)
            return;
        offer(panel);
        showPoint(); // the text about the point depends on the axis of the line chart
    });
    connect(&of.view(), &ChartView::resized, this, [this, panel] { draw(panel); });
    connect(&of.view(), &ChartView::pointChosen, this, [this](std::size_t point) {
        m_isChosen = true;
        choose(point);
    });
    connect(&of.view(), &ChartView::pointOpened, this, &PointBrowser::pointOpened);
}

void PointBrowser::clear()
{
    m_data = nullptr;
    for (const StudyPanel panel : kPanels) {
        ++m_drawings[static_cast<std::size_t>(panel)];
        m_frame.panel(panel).view().show(nullptr);
    }
}

void PointBrowser::show(const StudyPointer& data)
{
    const auto kept = m_isChosen && m_data != nullptr
            && m_data->points[m_point].values.size() == data->study.grid.size()
        ? pointAt(data->study, m_data->points[m_point].values)
        : std::nullopt;
    m_isChosen = kept.has_value();
    if (m_data != nullptr && m_data->study.grid != data->study.grid)
        clear(); // a chart of the previous grid has the indices of its points
    m_data = data;
    choose(kept.value_or(firstPoint(*data)));
}

void PointBrowser::choose(std::size_t point)
{
    m_point = point;
    for (const StudyPanel panel : kPanels)
        offer(panel);
    showPoint();
}

void PointBrowser::offer(StudyPanel panel)
{
    ChartPanel& of = m_frame.panel(panel);
    const std::vector<std::string> axes
        = panel == StudyPanel::Front ? std::vector<std::string>() : chartAxes(m_data->study, panel);
    const std::string axis = of.axis();
    const bool isKnown = std::ranges::find(axes, axis) != axes.end();
    of.offer(chartChoices(*m_data, panel, isKnown ? axis : std::string(), m_point), axes);
    of.setMode(modeText(m_data->study));
    of.view().select(m_point);
    draw(panel);
}

void PointBrowser::draw(StudyPanel panel)
{
    const ChartChoice* const choice = m_frame.panel(panel).choice();
    const QSize size = m_frame.panel(panel).view().viewport()->size();
    if (m_data == nullptr || choice == nullptr || size.isEmpty())
        return;
    const int number = ++m_drawings[static_cast<std::size_t>(panel)];
    m_background.run(
        [data = m_data, chart = choice->chart, style = chartStyle(m_theme.theme(), size)] {
            return drawChart(data->study, chart, data->points, data->results, style);
        },
        [this, panel, number](engine::Result<profiler::DrawnChart> drawn) {
            if (number == m_drawings[static_cast<std::size_t>(panel)] && drawn)
                m_frame.panel(panel).view().show(
                    std::make_shared<const profiler::DrawnChart>(*std::move(drawn)));
        });
}

void PointBrowser::showPoint()
{
    m_summary = summarizePoint(m_data->study, m_data->points, m_data->results, m_point,
                               m_frame.panel(StudyPanel::Lines).axis());
    m_model->show(m_summary);
    m_frame.pointTitle->setText(tr("Selected: %1").arg(fromUtf8(m_summary.name)));
    m_frame.pointWhere->setText(fromUtf8(m_summary.where));
    m_frame.mode->setText(modeText(m_data->study));
    m_frame.sentence->setText(m_summary.reason.empty()
                                  ? fromUtf8(m_summary.sentence)
                                  : tr("Not possible: %1.").arg(fromUtf8(m_summary.reason)));
    Q_EMIT pointChanged();
}

QString PointBrowser::describe(std::size_t point) const
{
    return m_data == nullptr || point >= m_data->points.size()
        ? QString()
        : fromUtf8(
            pointText(summarizePoint(m_data->study, m_data->points, m_data->results, point)));
}

RunSaver::MakeScene PointBrowser::figureOf(StudyPanel panel) const
{
    return [data = m_data, chart = m_frame.panel(panel).choice()->chart] {
        return drawChart(data->study, chart, data->points, data->results)
            .map([](const profiler::DrawnChart& drawn) { return drawn.scene; });
    };
}

} // namespace app
