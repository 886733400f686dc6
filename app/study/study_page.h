#pragma once

#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/study/point_runs.h"
#include "app/study/study_file.h"
#include "app/study/study_frame.h"
#include "app/study/study_options.h"
#include "app/study/study_session.h"
#include "app/ui/theme.h"

namespace app {

class PointBrowser;

// Shows a grid of simulations or runs: its definition at the left, its charts, and the selected
// point.
class StudyPage : public Page
{
    Q_OBJECT

public:
    // Opens a preset or a file; "": a new study.
    explicit StudyPage(const ThemeController& theme, const QString& nameOrFile = {},
                       QWidget* parent = nullptr);

    // Reads a preset or a file. Simulates its grid at once unless that may take long.
    void open(const QString& nameOrFile);
    QString title() const override { return m_file.title(); }
    QString file() const override { return m_file.path(); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    bool queryClose() override { return m_file.mayDiscard(); }
    StudySession& session() { return m_session; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions();
    void makePointActions();
    void makeFileActions();
    void connectAll();
    void connectFile();
    void connectSession();
    void setStudy(const profiler::Study& study);
    void showStart(const profiler::Study& study); // a study that has no results yet
    void showEdits();                             // checks the definition
    void showPreset();                            // selects the current preset in the list
    // Applies edits of ratios and charts to the results that are shown.
    void showEditedParts();
    void run();
    void runOtherMode();
    void showProgress(qint64 done, qint64 all, double secondsLeft);
    void showData(const StudyPointer& data);
    void showEnd(const WorkerEnd& end);
    void showState(); // updates summary, actions and status
    void simulatePoints(const std::vector<std::size_t>& points);
    void showSimulated(const QStringList& files);
    void emulatePoint();
    void exportChart(StudyPanel panel);
    QStringList argumentsOf(std::size_t point) const;

    const ThemeController& m_theme;
    StudySession m_session{this};
    PointRuns m_points{this};
    RunSaver m_saver{this};
    StudyFile m_file{defaultStudy(), m_saver, this};
    bool m_isRunnable = true; // whether the definition has no problem
    StudyActions m_actions{};
    StudyFrame* m_frame = nullptr;
    PointBrowser* m_browser = nullptr;
};

} // namespace app
