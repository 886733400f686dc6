#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/ui/background.h"
#include "app/ui/theme.h"
#include "profiler/study/chart.h"
#include "profiler/study/chart_kit.h"
#include "profiler/study/study.h"
#include "profiler/study/study_answer.h"

#include <QElapsedTimer>
#include <QMetaType>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <map>
#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;

namespace app {

class ElidedLabel;
class Tag;

using profiler::StudyData;
using StudyPointer = std::shared_ptr<const StudyData>;

// Computes the points of a study in a worker (`bscope study`). The worker stores simulated points
// in the cache, and points of training runs in the user's data. Starting the same study again
// continues it. GUI thread only; never blocks. The destructor kills the worker; stored points are
// kept.
class StudySession : public QObject
{
    Q_OBJECT

public:
    explicit StudySession(QObject* parent = nullptr);

    // Reads the stored results of a study and emits dataRead().
    void open(const profiler::Study& study);
    // Starts the worker. `study` must be one that readStudy() accepts.
    void start(const profiler::Study& study);
    void cancel(); // stops the worker; points that are done are kept
    bool isRunning() const { return m_isRunning; }
    // Duration of the computation in seconds; 0 if the study was only opened.
    double seconds() const { return m_seconds; }
    // For tests; see RunLibrary.
    void setWorkerProgram(const QString& program) { m_program = program; }

Q_SIGNALS:
    void dataRead(const app::StudyPointer& data);
    void progressed(qint64 done, qint64 all, double secondsLeft);
    void ended(const app::WorkerEnd& end); // emitted after the last dataRead()

private:
    struct Source
    {
        QString folder; // of the results
        profiler::Study study;
    };
    static StudyPointer read(const Source& source);
    void prepare(const profiler::Study& study);
    void launch(const QString& problem);
    void take(const StudyPointer& data);
    void workerEnded(const WorkerEnd& end);

    RunProcess m_process;
    Background m_preparing{this};
    Source m_source;
    QString m_program;
    QElapsedTimer m_clock;
    double m_seconds = 0;
    bool m_isRunning = false, m_isCancelled = false;
    std::optional<WorkerEnd> m_end; // set from the end of the worker to the end of the last read
    using Reads = Latest<Source, StudyPointer>;
    Reads m_reads{this, [](const Source& source) { return read(source); },
                  [this](const StudyPointer& data) { take(data); }, Reads::Older::Delivered};
};

// Simulates points of a study and keeps their timelines (`bscope simulate ... -o RUN`). Runs
// sequentially and writes new files in the folder of runs. GUI thread only; never blocks.
class PointRuns : public QObject
{
    Q_OBJECT

public:
    explicit PointRuns(QObject* parent = nullptr);

    // `points` has the options of `bscope simulate` for each point. Does nothing while other points
    // are being simulated.
    void simulate(const std::vector<QStringList>& points);
    bool isRunning() const { return !m_points.empty(); }

Q_SIGNALS:
    void simulated(const QStringList& files);
    void failed(const QString& reason);

private:
    void next();
    void ended(const WorkerEnd& end);

    RunProcess m_process;
    std::vector<QStringList> m_points;
    QStringList m_files;
};

// The folder for the results of a study. Studies with the same points share it; their charts,
// ratios and texts may differ.
QString studyFolder(const profiler::Study& study);
// Removes folders in `root`, least recently changed first, until those that remain have at most
// `most` bytes in total. Never removes `kept`. For background threads.
void cleanStudyCache(const QString& root, qint64 most, const QString& kept);

// The options that an axis of a study may set. They come from the field tables of simulations and
// runs.

QString studyOptionLabel(const std::string& key); // "Micro-batches N"
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

profiler::Study defaultStudy();
QStringList studyPresets();
// Reads a preset or a file.
engine::Result<profiler::Study> openStudy(const QString& nameOrFile);

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
        this, [](const Drawing& drawing) { return drawn(drawing); },
        [this](Drawn chart) {
            if (chart)
                m_view->show(std::make_shared<const profiler::MarkedScene>(*std::move(chart)));
        }};
};

// The grid of a study, with chips for the values of every option and check boxes for the schemes.
// Its ratios and charts, and options of a single scheme, are edited in its file; the form keeps
// them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    static StudyForm* make(const ThemeController& theme);

    virtual void setStudy(const profiler::Study& study) = 0; // emits no signal
    const profiler::Study& study() const { return m_study; }
    // Frames the values of the selected point: an option and its value.
    virtual void mark(const std::map<std::string, std::string>& values) = 0;
    // Shows the problem beside the option that it concerns; returns whether the form has this
    // option.
    virtual void showWins(const profiler::StudyWins& wins) = 0; // beside the schemes
    virtual bool showProblem(const std::optional<StudyProblem>& problem) = 0;

Q_SIGNALS:
    void edited();

protected:
    profiler::Study m_study;
};

// A grid of simulations or runs: its form at the left, three charts, and the selected point. We
// keep the results beside the edited grid, because an edit must not empty the charts: they show the
// last results until the next run.
class StudyPage : public Page
{
public:
    static StudyPage* make(const ThemeController& theme); // of a new study

    // Reads a preset or a file. Simulates its grid at once unless that may take long.
    virtual void open(const QString& nameOrFile) = 0;
    virtual StudySession& session() = 0;
};

} // namespace app
