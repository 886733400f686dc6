#include "app/pages/import_page.h"

#include "app/models/import_facts.h"
#include "app/models/numbers.h"
#include "app/pages/dock_links.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/import/import_progress.h"
#include "app/widgets/import/import_report_view.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

// "rank0.json and 3 others"
QString nameOfTraces(const QStringList& traces)
{
    const QString first = QFileInfo(traces.value(0)).fileName();
    return traces.size() < 2
        ? first
        : ImportPage::tr("%1 and %2").arg(first, countOf(traces.size() - 1, "other"));
}

} // namespace

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : Page(parent)
    , m_library(library)
    , m_stack(new QStackedWidget)
    , m_progress(new ImportProgressView)
    , m_failed(named(
          new EmptyState(
              theme,
              {Icon::Error, tr("The traces cannot be imported."), {}, tr("Import other traces…")}),
          "importFailed"))
    , m_runs(new RunsDock(theme, library.runs()))
    , m_report(new ImportReportView(theme))
    , m_heading(makeLabel({}, "section"))
    , m_open(makeButton(tr("Open run"), QStringLiteral("openImported"), "primary"))
{
    setObjectName(QStringLiteral("importPage"));
    auto* failed = new QWidget;
    spaced(new QVBoxLayout(failed), {40, 40, 40, 40}, 0, {m_failed});
    for (QWidget* part : {static_cast<QWidget*>(m_progress), failed, makeReportPart(theme)})
        m_stack->addWidget(part);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
    linkDock(*m_runs, m_library, *this);
    connect(m_progress, &ImportProgressView::cancelRequested, this, [this] {
        m_importer.cancel();
        Q_EMIT closeRequested();
    });
    connect(m_failed, &EmptyState::activated, this, &Page::importDialogRequested);
    connect(m_open, &QPushButton::clicked, this,
            [this] { Q_EMIT openRequested(m_document->file()); });
    connect(&m_importer, &TraceImporter::progressed, m_progress, &ImportProgressView::show);
    connect(&m_importer, &TraceImporter::failed, this, &ImportPage::showFailure);
    connect(&m_importer, &TraceImporter::finished, this,
            [this](const QString& file) { setDocument(m_library.open(file)); });
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                       QWidget* parent)
    : ImportPage(theme, library, parent)
{
    m_name = nameOfTraces(traces);
    setInitialFocus(m_progress);
    m_importer.start(traces);
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : ImportPage(theme, library, parent)
{
    m_isReported = true; // by the page of the run
    setDocument(std::move(document));
}

QWidget* ImportPage::makeReportPart(const ThemeController& theme)
{
    constexpr int kRunsWidth = 216;
    m_heading->setTextFormat(Qt::PlainText);
    auto* bar
        = makeBar(40, 10,
                  {m_heading, new Tag(theme, tr("imported")),
                   makeLabel(tr("nothing is changed in the files"), "small"), kStretch, m_open});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0, {bar, makeLine(Qt::Horizontal), {m_report, 1}});
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(m_runs);
    columns->addWidget(centre);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsWidth, 1300});
    return columns;
}

void ImportPage::setDocument(std::shared_ptr<RunDocument> document)
{
    m_document = std::move(document);
    connect(m_document.get(), &RunDocument::stateChanged, this, &ImportPage::showDocument);
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
    m_report->show(*run);
    m_heading->setText(title());
    m_stack->setCurrentIndex(2);
    setInitialFocus(m_open);
    if (isVisible())
        m_open->setFocus();
    if (!std::exchange(m_isReported, true))
        Q_EMIT runOpened(m_document->file(), run);
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
