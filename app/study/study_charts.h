#pragma once

#include "app/figures/scene_view.h"
#include "app/shell/run_saver.h"
#include "app/study/study_session.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"
#include "profiler/study/chart.h"
#include "profiler/study/chart_kit.h"
#include "profiler/study/study.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;

namespace app {

// The options that an axis of a study may set. They come from the field tables of simulations and
// runs.

QString studyOptionLabel(const std::string& key); // "Micro-batches N"
QString studyOptionHelp(const std::string& key);  // "" if there is no such option
// Returns the names that an option accepts: the values of a choice, or the presets of a model or
// hardware. Empty for other options.
QStringList studyOptionNames(const std::string& key);
// The options that the study does not set yet, sorted.
QStringList otherStudyOptions(const profiler::Study& study);

// A problem of a study's definition. `key` is the option that causes it; "" if no option does.
struct StudyProblem
{
    std::string key;
    QString text;
};
// Returns the first problem that can be found without a simulation; nullopt if there is none.
std::optional<StudyProblem> studyProblem(const profiler::Study& study);

// Returns the reason why `bscope run` cannot run the points, such as an option that only `bscope
// simulate` has; "" if it can run them.
QString notRunnable(const profiler::Study& study);

// The study of a new page.
profiler::Study defaultStudy();
QStringList studyPresets();
// Reads a preset or a file.
engine::Result<profiler::Study> openStudy(const QString& nameOrFile);

class ElidedLabel;
class Tag;

// The three charts of a study page.
enum class StudyPanel : std::uint8_t { Map, Lines, Front };
constexpr std::size_t kStudyPanels = 3;

// A chart that a panel can show. It is either defined by the study (isOwn), or shows a metric over
// one axis, with the other axes fixed at the values of the selected point.
struct ChartChoice
{
    QString title;
    profiler::StudyChart chart;
    bool isOwn = false;
};

// Returns the charts that a panel offers: those that the study defines, then one per metric. The
// charts of metrics vary `axis` ("": a suitable axis); the other axes have the values of `point`.
std::vector<ChartChoice> chartChoices(const StudyData& data, StudyPanel panel,
                                      const std::string& axis, std::size_t point);
// Returns the axes over which a panel can draw a metric, the most suitable one first.
std::vector<std::string> chartAxes(const profiler::Study& study, StudyPanel panel);

// Returns the point that a page selects first: the best point under the conditions of the study's
// first chart.
std::size_t firstPoint(const StudyData& data);

// Names the fixed values of a chart: "devices 8, P2P message 0.1"; "" if there are none.
QString whereText(const profiler::StudyChart& chart);
QString modeText(const profiler::Study& study); // "simulated"
// "4 values of devices × 6 of micro-batches × 10 of scheme"
QString gridText(const profiler::Study& study);
double gridSize(const profiler::Study& study); // number of points
// "20 simulations, 0.3 s". `results`: nullptr if there are none. `seconds`: 0 if unknown.
QString summaryText(const profiler::Study& study, const StudyPointer& results, double seconds);

// A chart of a study page, drawn in the background. A bar above it has the choice of chart and
// axis, the fixed values, and an export button. A chart of a metric varies one axis and takes the
// values of the other axes from the selected point, so the three charts of a page show one point.
class ChartPanel : public QWidget
{
    Q_OBJECT

public:
    // `name` is the prefix of object names: "studyMap".
    ChartPanel(const ThemeController& theme, StudyPanel which, const char* name,
               const SceneView::Describe& describe, QWidget* parent = nullptr);

    void show(const StudyPointer& results, std::size_t point); // nullptr: shows nothing
    // Offers charts and axes; keeps the chosen ones if they are offered again.
    void offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes);
    const ChartChoice* choice() const; // nullptr: nothing is offered
    std::string axis() const;          // "": nothing is offered
    RunSaver::MakeScene figure() const;
    SceneView& view() { return *m_view; }

Q_SIGNALS:
    void chartChosen(); // the user chose a chart or an axis
    void exportRequested();

private:
    struct Drawing
    {
        StudyPointer data;
        profiler::StudyChart chart;
        profiler::ChartStyle style;
    };
    using Drawn = engine::Result<profiler::MarkedScene>;
    static Drawn drawn(const Drawing& drawing);
    void showChoice();
    void draw();

    const ThemeController& m_theme;
    StudyPanel m_which;
    StudyPointer m_data;
    std::size_t m_point = 0;
    std::vector<ChartChoice> m_choices;
    std::vector<std::string> m_axes;
    QComboBox *m_chart, *m_axis;
    QLabel* m_over;
    ElidedLabel* m_where;
    Tag* m_mode;
    SceneView* m_view;
    Latest<Drawing, Drawn> m_drawings{
        this, [](const Drawing& drawing, const auto&) { return drawn(drawing); },
        [this](Drawn chart) {
            if (chart)
                m_view->show(std::make_shared<const profiler::MarkedScene>(*std::move(chart)));
        }};
};

} // namespace app
