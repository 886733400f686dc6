#include "app/import/import_page.h"

#include "app/import/import_report_view.h"
#include "app/import/rules_pane.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/themed_icon.h"
#include "app/ui/unsaved_dialog.h"
#include "profiler/export/exporters.h"

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kProgressWidth = 460, kProgressSteps = 1000;

QString megabytes(double bytes)
{
    const Scale scale = scaleIn(Unit::MB);
    return scale.finer(bytes < 10 * scale.perUnit() ? 0 : -1).withUnit(bytes);
}

} // namespace

ImportProgressView::ImportProgressView(QWidget* parent)
    : QWidget(parent)
    , m_title(makeLabel(tr("Reading traces"), "heading"))
    , m_file(named(makeLabel({}, "small"), "importFile"))
    , m_numbers(named(makeLabel({}, "small"), "importNumbers"))
    , m_bar(named(new QProgressBar, "importBar", tr("Progress of the import")))
{
    m_file->setTextFormat(Qt::PlainText);
    m_bar->setRange(0, kProgressSteps);
    QPushButton* cancel = makeButton(tr("Cancel"), QStringLiteral("cancelImport"));
    connect(cancel, &QPushButton::clicked, this, &ImportProgressView::cancelRequested);
    auto* box = new QWidget;
    box->setFixedWidth(kProgressWidth);
    spaced(new QVBoxLayout(box), {}, 8,
           {m_title, m_file, m_bar, m_numbers, {cancel, 0, Qt::AlignRight}});
    auto* column = spaced(new QVBoxLayout(this), {}, 0);
    column->addStretch(2);
    column->addWidget(box, 0, Qt::AlignHCenter);
    column->addStretch(3);
    setFocusProxy(cancel);
}

void ImportProgressView::show(const ImportState& state)
{
    const bool isRead = state.file.isEmpty() && state.bytes > 0;
    m_title->setText(isRead ? tr("Building the run") : tr("Reading traces"));
    m_file->setText(QFileInfo(state.file).fileName());
    if (state.allBytes <= 0)
        return;
    m_bar->setValue(static_cast<int>(kProgressSteps * state.bytes / state.allBytes));
    QString text = tr("%1 of %2")
                       .arg(megabytes(static_cast<double>(state.bytes)),
                            megabytes(static_cast<double>(state.allBytes)));
    if (!isRead && state.rate() > 0)
        text = tr("%1, %2/s, %3")
                   .arg(text, megabytes(state.rate()), remainingTime(state.secondsLeft()));
    m_numbers->setText(text);
}

namespace {

// "rank0.json and 3 others"
QString nameOfTraces(const QStringList& traces)
{
    const QString first = QFileInfo(traces.value(0)).fileName();
    return traces.size() < 2
        ? first
        : ImportPage::tr("%1 and %2").arg(first, countOf(traces.size() - 1, "other"));
}

// Where the match is in the run: its op or, if it has none, its time.
engine::Note placeOf(const engine::ImportReport::Match& match)
{
    engine::Note place;
    place.window = {match.window.begin, std::max(match.window.end, match.window.begin + 1)};
    if (match.op && match.iteration) {
        place.op = *match.op;
        place.iteration = *match.iteration;
    }
    return place;
}

} // namespace

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_stack(new QStackedWidget)
    , m_progress(new ImportProgressView)
    , m_failed(named(
          new EmptyState(
              theme,
              {Icon::Error, tr("The traces cannot be imported."), {}, tr("Import other traces…")}),
          "importFailed"))
    , m_runs(new RunsDock(theme, library))
    , m_report(new ImportReportView(theme))
    , m_heading(makeLabel({}, "section"))
    , m_unchanged(makeLabel(tr("the trace files are not modified"), "small"))
    , m_open(makeButton(tr("Open run"), QStringLiteral("openImported"), "primary"))
    , m_saver(new RunSaver(this))
{
    setObjectName(QStringLiteral("importPage"));
    makeActions();
    auto* failed = new QWidget;
    spaced(new QVBoxLayout(failed), {40, 40, 40, 40}, 0, {m_failed});
    for (QWidget* part : {static_cast<QWidget*>(m_progress), failed, makeReportPart(theme)})
        m_stack->addWidget(part);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
    connect(m_runs, &RunsDock::pageRequested, this, &Page::pageRequested);
    connect(m_progress, &ImportProgressView::cancelRequested, this, [this] {
        m_importer.cancel();
        Q_EMIT closeRequested();
    });
    connect(m_failed, &EmptyState::activated, this,
            [this] { Q_EMIT filesRequested(FileKind::Traces); });
    connect(m_open, &QPushButton::clicked, this, [this] {
        Q_EMIT pageRequested({"run", {m_document->file()}});
    });
    connect(m_report, &ImportReportView::openRequested, this,
            [this](const engine::ImportReport::Match& match) {
                Q_EMIT pageRequested(
                    {.kind = "run", .runs = {m_document}, .place = placeOf(match)});
            });
    connect(&m_importer, &TraceImporter::progressed, m_progress, &ImportProgressView::show);
    connect(&m_importer, &TraceImporter::failed, this, &ImportPage::showFailure);
    connect(&m_importer, &TraceImporter::finished, this,
            [this](const QString& file) { setDocument(m_library.open(file)); });
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                       const QString& rules, QWidget* parent)
    : ImportPage(theme, library, parent)
{
    m_name = nameOfTraces(traces);
    m_traces = traces;
    m_rulesText = rules;
    setInitialFocus(m_progress);
    m_importer.start(traces, rules);
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : ImportPage(theme, library, parent)
{
    setDocument(std::move(document));
}

QWidget* ImportPage::makeReportPart(const ThemeController& theme)
{
    constexpr int kRunsWidth = 216;
    m_report->installEventFilter(this);
    m_heading->setTextFormat(Qt::PlainText);
    auto* bar = makeBar(40, 10,
                        {m_heading, new Tag(theme, tr("imported")), m_unchanged, kStretch,
                         makeActionButton(m_editRules), makeActionButton(m_saveReport), m_open});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0, {bar, makeLine(Qt::Horizontal), {m_report, 1}});
    m_columns = makeSplitter(Qt::Horizontal);
    m_columns->addWidget(m_runs);
    m_columns->addWidget(centre);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({kRunsWidth, 1300});
    return m_columns;
}

void ImportPage::makeActions()
{
    m_editRules = makeAction("editRules", tr("Edit rules…"), Qt::Key_R);
    m_editRules->setCheckable(true);
    m_editRules->setToolTip(tr("Tries your own rules on the traces (R)"));
    connect(m_editRules, &QAction::toggled, this, &ImportPage::showRules);
    m_saveReport = makeAction("saveImportReport", tr("Save report…"), QKeySequence::Save, [this] {
        m_saver->saveText({tr("Save report"), m_document->title(), tr("Reports (*.json)")},
                          [run = m_document->run()] { return profiler::importJson(*run); });
    });
    m_saveReport->setToolTip(tr("Writes the report as JSON, as bscope import --json prints it"));
    for (QAction* action : {m_editRules, m_saveReport})
        action->setEnabled(false);
}

// In a small window the rules take the place of the list of runs.
void ImportPage::showRules(bool shown)
{
    constexpr int kPaneWidth = 520, kLeastForRuns = 1280;
    if (shown && m_pane == nullptr) {
        const engine::ImportReport& report = *m_document->run()->info.import;
        const QStringList sources = m_traces.isEmpty() ? existingSources(report) : m_traces;
        const int count
            = m_traces.isEmpty() ? sourceCount(report) : static_cast<int>(m_traces.size());
        m_pane = new RulesPane(m_theme, sources, count);
        if (!m_rulesText.isEmpty())
            m_pane->setRules(m_rulesText);
        m_keptRules = m_pane->rules();
        m_columns->addWidget(m_pane);
        m_columns->setSizes({m_runs->width(), width() - m_runs->width() - kPaneWidth, kPaneWidth});
        connect(m_pane, &RulesPane::closeRequested, m_editRules,
                [this] { m_editRules->setChecked(false); });
        connect(m_pane, &RulesPane::saveRequested, this, &ImportPage::saveRules);
        connect(m_pane, &RulesPane::importRequested, this, [this, sources](const QString& rules) {
            Q_EMIT pageRequested({.kind = "import", .files = sources, .text = rules});
        });
    }
    m_runs->setVisible(!shown || width() >= kLeastForRuns);
    if (m_pane == nullptr)
        return;
    m_pane->setVisible(shown);
    if (shown)
        m_pane->setFocus();
    else
        m_open->setFocus();
}

bool ImportPage::saveRules()
{
    const QString rules = m_pane->rules();
    if (m_saver
            ->saveNow({tr("Save rules"), QStringLiteral("rules"), tr("Rules (*.toml)")},
                      rules.toStdString())
            .isEmpty())
        return false;
    m_keptRules = rules;
    return true;
}

bool ImportPage::queryClose()
{
    if (m_pane == nullptr || m_pane->rules() == m_keptRules)
        return true;
    UnsavedDialog dialog(tr("The set of rules"), 0, this);
    dialog.exec();
    return dialog.choice() == UnsavedDialog::Choice::Save
        ? saveRules()
        : dialog.choice() == UnsavedDialog::Choice::Discard;
}

bool ImportPage::eventFilter(QObject* watched, QEvent* event)
{
    constexpr int kLeastForHint = 700; // pixels
    if (event->type() == QEvent::Resize)
        m_unchanged->setVisible(m_report->width() >= kLeastForHint);
    return Page::eventFilter(watched, event);
}

QList<QAction*> ImportPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::Analyze:
        return {m_editRules};
    case Menu::Export:
        return {m_saveReport};
    default:
        return {};
    }
}

void ImportPage::setDocument(std::shared_ptr<RunDocument> document)
{
    m_document = std::move(document);
    connect(m_document.get(), &RunDocument::stateChanged, this, &ImportPage::showDocument);
    connect(&m_theme, &ThemeController::unitsChanged, this, &ImportPage::showDocument);
    showDocument();
}

void ImportPage::showDocument()
{
    if (m_document->state() == RunDocument::State::Failed) {
        showFailure(m_document->notice().text);
        return;
    }
    const RunPointer run = m_document->run();
    if (!run || !run->info.import || m_document->state() != RunDocument::State::Finished)
        return;
    m_runs->setCurrent(m_document.get());
    m_report->show(run);
    m_heading->setText(title());
    for (QAction* action : {m_editRules, m_saveReport})
        action->setEnabled(true);
    m_stack->setCurrentIndex(2);
    setInitialFocus(m_open);
    if (isVisible())
        m_open->setFocus();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void ImportPage::showFailure(const QString& reason)
{
    m_failed->setTexts(tr("The traces cannot be imported."), reason);
    m_stack->setCurrentIndex(1);
    setInitialFocus(m_failed->button());
    if (isVisible())
        m_failed->button()->setFocus();
    Q_EMIT statusChanged();
}

QString ImportPage::title() const
{
    return tr("Import: %1").arg(m_document ? m_document->title() : m_name);
}

QStringList ImportPage::statusTexts() const
{
    const RunPointer run = m_document ? m_document->run() : nullptr;
    if (!run || !run->info.import)
        return {m_stack->currentIndex() == 1 ? tr("not imported") : tr("importing")};
    const auto ops = static_cast<std::int64_t>(engine::opCount(run->schedule));
    return {tr("<b>Imported</b> %1").arg(countOf(run->schedule.shape.devices, "device")),
            countOf(ops, "op"),
            countOf(static_cast<std::int64_t>(run->info.import->warnings.size()), "warning")};
}

QString ImportPage::statusNote() const
{
    const RunPointer run = m_document ? m_document->run() : nullptr;
    return run && run->info.import ? coverageTitle(*run->info.import) : QString();
}

} // namespace app
