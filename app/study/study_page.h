#pragma once

#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/study/study_charts.h"
#include "app/study/study_options.h"
#include "app/study/study_session.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/study/point_summary.h"
#include "profiler/study/study_answer.h"

#include <QWidget>

#include <array>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;
class QComboBox;
class QProgressBar;
class QStackedWidget;

namespace app {

class Band;
class ChartPanel;
class Tag;

// The values of an option of a study as one line: "4, 8", or "0 to 0.5, 11 steps".
class ValuesLine : public QWidget
{
    Q_OBJECT

public:
    explicit ValuesLine(std::string key, QWidget* parent = nullptr);

    const std::string& key() const { return m_key; }
    void show(const std::vector<std::string>& values);
    void setProblem(const QString& text); // "": none
    void edit();                          // focuses the line

Q_SIGNALS:
    void edited(const std::vector<std::string>& values);

private:
    void read();

    std::string m_key;
    QString m_shown; // the text of the values
    QLineEdit* m_line;
    QLabel* m_problem;
};

// The grid of a study, with a line for the values of every option and check boxes for the schemes.
// Its ratios and charts, and options of a single scheme, are edited in its file; the form keeps
// them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    explicit StudyForm(QWidget* parent = nullptr);

    void setStudy(const profiler::Study& study); // emits no signal
    const profiler::Study& study() const { return m_study; }
    // Shows the problem beside the option that it concerns; returns whether the form has this
    // option.
    bool showProblem(const std::optional<StudyProblem>& problem);

Q_SIGNALS:
    void edited();

private:
    void showStudy();
    void addRow(const std::string& key);
    void setValues(const std::string& key, const std::vector<std::string>& values);
    void addOption();
    void makeSchemes(QVBoxLayout& column);
    void showSchemes();
    void tickScheme(const std::string& scheme, bool isTicked);
    QString keptText() const;

    profiler::Study m_study;
    std::vector<ValuesLine*> m_rows;
    std::vector<QCheckBox*> m_schemes;
    QVBoxLayout *m_options, *m_schemeRows;
    QLineEdit* m_title;
    QCheckBox* m_onlyFitting;
    QPushButton* m_addOption;
    QLabel *m_schemeCount, *m_schemeProblem, *m_kept;
};

// A grid of simulations or runs: its form at the left, three charts, and the selected point. We
// keep the results beside the edited grid, because an edit must not empty the charts: they show the
// last results until the next run.
class StudyPage : public Page
{
    Q_OBJECT

public:
    // Opens a preset or a file; "": a new study.
    explicit StudyPage(const ThemeController& theme, const QString& nameOrFile = {},
                       QWidget* parent = nullptr);

    // Reads a preset or a file. Simulates its grid at once unless that may take long.
    void open(const QString& nameOrFile);
    QString title() const override;
    QString file() const override { return m_path; }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    bool queryClose() override { return mayDiscard(); }
    StudySession& session() { return m_session; }

protected:
private:
    void makeActions();
    QWidget* makeDefinition();
    QWidget* makeCharts();
    QWidget* makePoint();
    QWidget* makeStart();
    void connectAll();
    void connectPanel(StudyPanel which);

    ChartPanel& panel(StudyPanel which) { return *m_panels[static_cast<std::size_t>(which)]; }
    bool isModified() const;
    QString baseName() const; // suggested name of saved files
    void askForStudy();
    bool save();       // asks for a file; false: cancelled, or not written
    bool mayDiscard(); // asks to save or drop edits; false: cancelled, or not saved
    void showStart(const profiler::Study& study); // a study that has no results yet
    void showEdits();                             // checks the grid
    void showPreset();                            // selects the current preset in the list
    void showEditedParts(); // applies edits that change no result to the shown results
    void run();
    void runOtherMode();
    void showProgress(qint64 done, qint64 all, double secondsLeft);
    void showData(const StudyPointer& results);
    void showEnd(const WorkerEnd& end);
    void showResults(const StudyPointer& results);
    void showAnswers(const std::vector<profiler::AnsweredQuestion>& answers);
    void clearCharts();
    void choose(std::size_t point);
    void showPoint();
    QString describe(std::size_t point) const; // name, set-up and numbers
    void showState();                          // updates summary, actions and status
    void showPointActions();
    QStringList argumentsOf(std::size_t point) const;
    void simulatePoints(const std::vector<std::size_t>& points);
    void openPoint() { simulatePoints({m_point}); }
    void compareBest() { simulatePoints({m_point, *m_summary.best}); }
    void showSimulated(const QStringList& files);
    void emulatePoint();
    void exportChart(StudyPanel which);

    const ThemeController& m_theme;
    StudySession m_session{this};
    PointRuns m_points{this};
    using Answers = std::vector<profiler::AnsweredQuestion>;
    Latest<StudyPointer, Answers> m_answers{
        this, [](const StudyPointer& of, const auto&) { return studyAnswers(*of); },
        [this](const Answers& answers) { showAnswers(answers); }};
    QString m_sentences; // the answers, one a line
    RunSaver m_saver{this};

    profiler::Study m_saved; // the study as last opened or saved
    QString m_name, m_path;  // name of the preset or file; "": a new study. Path: "": no file
    bool m_isRunnable = true;

    StudyPointer m_data;     // nullptr: nothing to show
    std::size_t m_point = 0; // the selected point, which all charts mark
    bool m_isChosen = false; // whether the user chose the point
    profiler::PointSummary m_summary;

    QAction *m_run, *m_cancel, *m_otherMode; // otherMode: emulate a simulated grid, or vice versa
    QAction *m_openPoint, *m_emulate, *m_compareBest;
    QAction *m_open, *m_save, *m_saveReport, *m_saveCsv, *m_exportMap, *m_showForm;

    StudyForm* m_form;
    std::array<ChartPanel*, kStudyPanels> m_panels;
    Band* m_answer; // what the study found, before its charts
    Band* m_notice; // problems of the grid and of the worker
    QComboBox* m_presets;
    QLabel *m_count, *m_progressText, *m_pointTitle, *m_pointWhere, *m_sentence;
    QLabel *m_startTitle, *m_startQuestion, *m_startCount;
    QProgressBar* m_progress;
    QPushButton *m_runButton, *m_cancelButton;
    Tag* m_mode;
    TableModel<profiler::PointSummary::Row> m_pointTable;
    QStackedWidget* m_stack;
    QWidget* m_definition;
};

} // namespace app
