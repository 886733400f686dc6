#include "app/study/study_page.h"

#include "app/study/chart_panel.h"
#include "app/study/point_browser.h"
#include "app/study/study_form.h"
#include "app/study/study_options.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "profiler/study/edit_study.h"

#include <QAction>
#include <QComboBox>
#include <QProgressBar>
#include <QResizeEvent>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace app {
namespace {

using Mode = profiler::Study::Mode;

constexpr double kMostAtOnce = 10'000; // points; a larger study does not start when it is opened
constexpr int kStartPage = 0, kChartsPage = 1; // pages of StudyFrame::stack

} // namespace

StudyPage::StudyPage(const ThemeController& theme, const QString& nameOrFile, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
{
    setObjectName(QStringLiteral("studyPage"));
    makeActions();
    m_frame = new StudyFrame(theme, m_actions, [this](std::size_t point) {
        return m_browser == nullptr ? QString() : m_browser->describe(point);
    });
    m_browser = new PointBrowser(theme, *m_frame, this);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_frame);
    setInitialFocus(m_frame->presets);
    connectAll();
    connectFile();
    connectSession();
    m_frame->form->setStudy(defaultStudy());
    showEdits();
    if (!nameOrFile.isEmpty())
        open(nameOrFile);
}

void StudyPage::makeActions()
{
    m_actions.run = makeAction(
        "studyRun", tr("Run"), Qt::CTRL | Qt::Key_Return, [this] { run(); },
        tr("compute the points of the grid that are missing"));
    m_actions.cancel = makeAction(
        "studyCancel", tr("Cancel"), Qt::Key_Escape, [this] { m_session.cancel(); },
        tr("stop the study and keep the points that are done"));
    m_actions.otherMode
        = makeAction("studyOtherMode", tr("Emulate the grid"), {}, [this] { runOtherMode(); });
    m_actions.showForm = makeAction("studyShowForm", tr("Definition"), Qt::Key_F9, {},
                                    tr("show the grid at the left"));
    m_actions.showForm->setCheckable(true);
    followTheme(m_actions.run, Icon::Run, m_theme);
    followTheme(m_actions.showForm, Icon::ChevronRight, m_theme);
    m_actions.showForm->setChecked(true);
    makePointActions();
    makeFileActions();
}

void StudyPage::makePointActions()
{
    m_actions.openPoint = makeAction(
        "studyOpenPoint", tr("Open timeline"), Qt::CTRL | Qt::Key_T,
        [this] { simulatePoints({m_browser->point()}); },
        tr("simulate the selected point and open its run"));
    m_actions.emulate
        = makeAction("studyEmulatePoint", tr("Emulate this point"), {}, [this] { emulatePoint(); });
    m_actions.compareBest = makeAction(
        "studyCompareBest", tr("Compare with best"), Qt::CTRL | Qt::Key_B,
        [this] {
            simulatePoints({m_browser->point(), *m_browser->summary().best});
        },
        tr("compare the timeline of the selected point with the best of its set-up"));
    followTheme(m_actions.openPoint, Icon::Chart, m_theme);
    followTheme(m_actions.emulate, Icon::Run, m_theme);
    followTheme(m_actions.compareBest, Icon::Compare, m_theme);
}

void StudyPage::makeFileActions()
{
    m_actions.open = makeAction(
        "studyOpen", tr("Open a study…"), {},
        [this] {
            askForFile(this, tr("Open a study"), tr("Studies (*.toml);;All files (*)"),
                       [this](const QString& file) {
                           if (m_file.mayDiscard())
                               open(file);
                       });
        },
        tr("read a grid from a .toml file"));
    m_actions.save = makeAction(
        "studySave", tr("Save study"), Qt::CTRL | Qt::Key_S, [this] { m_file.save(); },
        tr("save the grid as a .toml file, which bscope study also reads"));
    m_actions.saveAs
        = makeAction("studySaveAs", tr("Save study as…"), {}, [this] { m_file.saveAs(); });
    m_actions.saveReport
        = makeAction("studySaveReport", tr("Save report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S,
                     [this] { m_saver.saveStudyReport(m_browser->data(), m_file.baseName()); });
    m_actions.saveCsv = makeAction("studySaveCsv", tr("Save results as CSV…"), {}, [this] {
        m_saver.saveStudyResults(m_browser->data(), m_file.baseName());
    });
    m_actions.exportMap = makeAction("studyExportMap", tr("Export the map…"), Qt::CTRL | Qt::Key_E,
                                     [this] { exportChart(StudyPanel::Map); });
    followTheme(m_actions.open, Icon::Open, m_theme);
}

void StudyPage::connectAll()
{
    connect(m_frame->form, &StudyForm::edited, this, &StudyPage::showEdits);
    connect(m_frame, &StudyFrame::presetChosen, this, [this](const QString& name) {
        if (m_file.mayDiscard())
            open(name);
        showPreset();
    });
    for (const StudyPanel panel : {StudyPanel::Map, StudyPanel::Lines, StudyPanel::Front})
        connect(&m_frame->panel(panel), &ChartPanel::exportRequested, this,
                [this, panel] { exportChart(panel); });
    connect(m_browser, &PointBrowser::pointChanged, this, &StudyPage::showState);
    connect(m_browser, &PointBrowser::pointOpened, m_actions.openPoint, &QAction::trigger);
    connect(&m_points, &PointRuns::simulated, this, &StudyPage::showSimulated);
    connect(&m_points, &PointRuns::failed, this, [this](const QString& reason) {
        m_frame->notice->show(Band::Kind::Error, tr("Not simulated."), reason);
        showState();
    });
}

void StudyPage::connectFile()
{
    connect(&m_file, &StudyFile::titleChanged, this, &StudyPage::titleChanged);
    connect(&m_file, &StudyFile::titleChanged, this, &StudyPage::showPreset);
    connect(&m_file, &StudyFile::saved, this,
            [this](const QString& file) { Q_EMIT filesSaved({file}); });
    connect(&m_file, &StudyFile::failed, this, [this](const QString& reason) {
        m_frame->notice->show(Band::Kind::Error, tr("Not saved."), reason);
    });
}

void StudyPage::connectSession()
{
    connect(&m_session, &StudySession::dataRead, this, &StudyPage::showData);
    connect(&m_session, &StudySession::progressed, this, &StudyPage::showProgress);
    connect(&m_session, &StudySession::ended, this, &StudyPage::showEnd);
}

void StudyPage::open(const QString& nameOrFile)
{
    if (m_session.isRunning())
        return;
    const auto study = m_file.open(nameOrFile);
    if (!study) {
        m_frame->notice->show(Band::Kind::Error, tr("Not opened."),
                              capitalized(fromUtf8(study.error().message)));
        return;
    }
    setStudy(*study);
    Q_EMIT titleChanged();
}

void StudyPage::setStudy(const profiler::Study& study)
{
    m_frame->notice->hide();
    m_frame->form->setStudy(study);
    showPreset();
    showEdits();
    if (m_isRunnable && !study.isMeasured() && gridSize(study) <= kMostAtOnce)
        run();
    else
        showStart(study);
}

// Opens a study without results. Hides the results of the previous study, which would look like
// results of this one.
void StudyPage::showStart(const profiler::Study& study)
{
    m_browser->clear();
    m_frame->stack->setCurrentIndex(kStartPage);
    m_session.open(study);
    showState();
}

void StudyPage::showEdits()
{
    m_file.edit(m_frame->form->study());
    const auto problem = studyProblem(m_frame->form->study());
    m_isRunnable = !problem;
    const bool isAtField = m_frame->form->showProblem(problem);
    if (problem && !isAtField)
        m_frame->notice->show(Band::Kind::Error, tr("This grid cannot be run."), problem->text);
    else
        m_frame->notice->hide();
    showEditedParts();
    showState();
    Q_EMIT titleChanged();
}

void StudyPage::showPreset()
{
    const bool isFile = !m_file.path().isEmpty(); // which may have the name of a preset
    m_frame->presets->setCurrentIndex(
        isFile ? 0 : std::max(0, m_frame->presets->findText(m_file.name())));
}

void StudyPage::showEditedParts()
{
    const StudyPointer& shown = m_browser->data();
    const profiler::Study& study = m_frame->form->study();
    if (shown == nullptr || m_session.isRunning() || !m_isRunnable || shown->study == study
        || profiler::pointsToml(shown->study) != profiler::pointsToml(study))
        return;
    auto edited = std::make_shared<StudyData>(*shown);
    edited->study = study;
    m_browser->show(edited);
}

void StudyPage::run()
{
    if (!m_isRunnable || m_session.isRunning())
        return;
    m_frame->notice->hide();
    m_frame->progress->setRange(0, 0);
    m_frame->progressText->clear();
    m_session.start(m_frame->form->study());
    showState();
}

void StudyPage::runOtherMode()
{
    profiler::Study study = m_frame->form->study();
    study.mode = study.mode == Mode::Simulate ? Mode::Emulate : Mode::Simulate;
    m_frame->form->setStudy(study);
    showEdits();
    run();
}

void StudyPage::showProgress(qint64 done, qint64 all, double secondsLeft)
{
    m_frame->progress->setRange(0, static_cast<int>(all));
    m_frame->progress->setValue(static_cast<int>(done));
    m_frame->progressText->setText(remainingTime(secondsLeft));
    m_frame->summary->setText(tr("%1 of %2 points").arg(done).arg(all));
}

void StudyPage::showData(const StudyPointer& results)
{
    if (results->done == 0 && !m_session.isRunning())
        return;
    m_frame->stack->setCurrentIndex(kChartsPage);
    setInitialFocus(&m_frame->panel(StudyPanel::Map).view());
    m_browser->show(results);
}

void StudyPage::showEnd(const WorkerEnd& end)
{
    const StudyPointer& results = m_browser->data();
    if (end.how == WorkerEnd::How::Cancelled)
        m_frame->notice->show(Band::Kind::Warning, tr("Cancelled."),
                              tr("%1 of %2 points were kept; press Run to continue. %3")
                                  .arg(results == nullptr ? 0 : results->done)
                                  .arg(results == nullptr ? 0 : results->points.size())
                                  .arg(end.text)
                                  .trimmed());
    else if (end.how != WorkerEnd::How::Finished)
        m_frame->notice->show(Band::Kind::Error, tr("The study ended with an error."),
                              capitalized(end.text));
    showState();
}

void StudyPage::showState()
{
    const bool isRunning = m_session.isRunning();
    const profiler::Study& study = m_frame->form->study();
    const StudyPointer& results = m_browser->data();
    m_frame->showRunning(isRunning);
    const QString summary = summaryText(study, results, m_session.seconds());
    if (!isRunning || results == nullptr)
        m_frame->summary->setText(summary);
    m_frame->showStart(study, summary);
    m_actions.run->setEnabled(m_isRunnable && !isRunning);
    m_actions.cancel->setEnabled(isRunning);
    const QString refused = notRunnable(study);
    m_actions.otherMode->setText(study.mode == Mode::Simulate ? tr("Emulate the grid")
                                                              : tr("Simulate the grid"));
    m_actions.otherMode->setEnabled(m_isRunnable && !isRunning && study.axis("case") == nullptr
                                    && (refused.isEmpty() || study.mode != Mode::Simulate));
    m_actions.otherMode->setToolTip(
        refused.isEmpty() ? tr("Trains every point on this machine, one op at a time") : refused);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_frame->presets), m_frame->stack->widget(kStartPage)})
        widget->setEnabled(!isRunning);
    m_actions.open->setEnabled(!isRunning);

    const bool hasPoint = results != nullptr && m_browser->summary().reason.empty();
    const bool isSimulated = hasPoint && !results->study.isMeasured();
    const bool isBusy = m_points.isRunning();
    m_actions.openPoint->setEnabled(isSimulated && !isBusy);
    m_actions.compareBest->setEnabled(isSimulated && !isBusy && m_browser->summary().best
                                      && *m_browser->summary().best != m_browser->point());
    const QString notRun = results == nullptr ? QString() : notRunnable(results->study);
    m_actions.emulate->setEnabled(hasPoint && notRun.isEmpty());
    m_actions.emulate->setToolTip(notRun.isEmpty() ? tr("Trains the selected point on this machine")
                                                   : notRun);
    for (QAction* action : {m_actions.saveReport, m_actions.saveCsv, m_actions.exportMap})
        action->setEnabled(results != nullptr);
    Q_EMIT statusChanged();
}

void StudyPage::exportChart(StudyPanel panel)
{
    if (m_browser->data() != nullptr)
        m_saver.saveFigure(m_browser->figureOf(panel), m_file.baseName());
}

QStringList StudyPage::argumentsOf(std::size_t point) const
{
    QStringList arguments;
    for (const std::string& argument : m_browser->data()->points[point].arguments)
        arguments.append(fromUtf8(argument));
    return arguments;
}

void StudyPage::simulatePoints(const std::vector<std::size_t>& points)
{
    std::vector<QStringList> all;
    for (const std::size_t point : points)
        all.push_back(argumentsOf(point));
    m_points.simulate(all);
    showState();
}

void StudyPage::showSimulated(const QStringList& files)
{
    showState();
    Q_EMIT pageRequested({files.size() == 1 ? "run" : "compare", files});
}

void StudyPage::emulatePoint()
{
    Q_EMIT startRequested({QStringList{QStringLiteral("--mode"), QStringLiteral("emulate")}
                           + argumentsOf(m_browser->point())});
}

QStringList StudyPage::statusTexts() const
{
    const StudyPointer& results = m_browser->data();
    if (results == nullptr)
        return {tr("<b>Study</b> not computed yet")};
    QStringList texts{tr("<b>Study</b> %1").arg(modeText(results->study)),
                      gridText(results->study).toHtmlEscaped(),
                      countOf(static_cast<qint64>(results->done), "point")};
    if (results->refused > 0)
        texts.append(tr("%1 not possible").arg(results->refused));
    return texts;
}

QString StudyPage::statusNote() const
{
    return m_browser->data() == nullptr
        ? QString()
        : fromUtf8(m_browser->summary().name) + QLatin1String(", ") + m_frame->pointWhere->text();
}

QList<QAction*> StudyPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::File:
        return {m_actions.open, m_actions.save, m_actions.saveAs};
    case Menu::Run:
        return {m_actions.run, m_actions.cancel, m_actions.otherMode, m_actions.emulate};
    case Menu::View:
        return {m_actions.showForm, m_actions.openPoint};
    case Menu::Compare:
        return {m_actions.compareBest};
    case Menu::Export:
        return {m_actions.exportMap, m_actions.saveReport, m_actions.saveCsv};
    case Menu::Analyze:
        break;
    }
    return {};
}

void StudyPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_frame->fold(width());
}

} // namespace app
