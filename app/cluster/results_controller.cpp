#include "app/cluster/results_controller.h"

#include "app/cluster/results_panel.h"
#include "app/ui/file_dialog.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>

#include <utility>

namespace app {

ResultsController::ResultsController(RunLibrary& library, const View& view, QObject* parent)
    : QObject(parent)
    , m_library(library)
    , m_view(view)
{
    connect(&view.panel, &ResultsPanel::chooseRequested, this, &ResultsController::askForFolder);
    connect(&view.panel, &ResultsPanel::stopRequested, this, [this] {
        m_watcher.stop();
        showResults();
    });
    connect(&view.panel, &ResultsPanel::importRequested, this,
            [this] { import(results().complete()); });
    connect(&view.panel, &ResultsPanel::linksRequested, this, &ResultsController::useMeasuredLinks);
    connect(&view.panel, &ResultsPanel::dropped, this, &ResultsController::take);
    connect(&m_watcher, &ResultWatcher::changed, this, &ResultsController::showResults);
}

void ResultsController::setOutlook(std::shared_ptr<const ClusterOutlook> outlook,
                                   const ClusterPlan& plan)
{
    m_outlook = std::move(outlook);
    m_plan = plan;
    m_predictedFile.clear();
    m_watcher.setRanks(m_outlook ? m_outlook->kit.ranks : 0);
    showResults();
    showImported();
}

void ResultsController::setEmulated(std::shared_ptr<RunDocument> run)
{
    m_emulated = std::move(run);
}

void ResultsController::askForFolder()
{
    connect(
        openFileDialog({tr("Folder of the results"), {}, "resultsDialog", QFileDialog::Directory},
                       &m_view.panel),
        &QFileDialog::fileSelected, this, [this](const QString& folder) { take({folder}); });
}

void ResultsController::take(const QStringList& paths)
{
    m_areAllImported = false;
    if (paths.size() == 1 && QFileInfo(paths.front()).isDir())
        m_watcher.watch(paths.front(), m_outlook ? m_outlook->kit.ranks : 0);
    else if (!paths.isEmpty()) {
        m_areAllImported = true; // the chosen files are not replaced by those of the folder
        import(paths);
    }
}

void ResultsController::showResults()
{
    const ClusterResults& results = m_watcher.results();
    m_view.panel.showResults(results, m_outlook ? m_outlook->kit.ranksPerNode : 1,
                             m_watcher.isWatching());
    m_view.note.setText(results.folder.isEmpty()
                            ? QString()
                            : tr("%1 of %2 ranks").arg(results.received()).arg(results.ranks));
    if (results.areAllThere() && !std::exchange(m_areAllImported, true))
        import(results.complete());
    Q_EMIT changed();
}

// Replaces an import that is running: the user chose other traces, or the missing ones have
// arrived.
void ResultsController::import(const QStringList& paths)
{
    if (paths.isEmpty())
        return;
    m_importer = std::make_unique<TraceImporter>();
    m_view.panel.showProgress(tr("Importing %1").arg(countOf(paths.size(), "file")));
    connect(m_importer.get(), &TraceImporter::progressed, this, [this](const ImportState& state) {
        if (state.allBytes > 0)
            m_view.panel.showProgress(tr("Importing, %1 read")
                                          .arg(percent(static_cast<double>(state.bytes)
                                                           / static_cast<double>(state.allBytes),
                                                       0)));
    });
    const auto end = [this] { m_importer.release()->deleteLater(); };
    connect(m_importer.get(), &TraceImporter::failed, this, [this, end](const QString& reason) {
        end();
        m_view.panel.showFailure(capitalized(reason));
    });
    connect(m_importer.get(), &TraceImporter::finished, this, [this, end](const QString& file) {
        end();
        m_measured = m_library.open(file);
        connect(m_measured.get(), &RunDocument::stateChanged, this,
                &ResultsController::showImported);
        showImported();
    });
    m_importer->start(paths);
}

// As soon as the measured run is read, compares it with the prediction and with the emulated run,
// if these are known.
void ResultsController::showImported()
{
    const auto isRead = [](const std::shared_ptr<RunDocument>& document) {
        return document != nullptr && document->run() != nullptr
            && document->state() == RunDocument::State::Finished;
    };
    m_view.compare.setEnabled(isRead(m_measured) && !m_isPredicting
                              && (isRead(m_emulated) || hasPrediction()));
    if (!isRead(m_measured))
        return;
    ComparedResults compared;
    if (hasPrediction()) {
        compared.names.append(tr("Predicted"));
        compared.runs.push_back(m_outlook->prediction->run);
    }
    if (isRead(m_emulated) && !m_emulated->run()->info.inUnits()) {
        compared.names.append(m_emulated->run()->info.mode == engine::Mode::Live ? tr("Live")
                                                                                 : tr("Emulated"));
        compared.runs.push_back(m_emulated->run());
    }
    compared.names.append(tr("Measured"));
    compared.runs.push_back(m_measured->run());
    if (compared.runs.size() < 2)
        m_view.panel.showFailure(
            tr("The traces were imported as %1. Choose the GPU of the cluster, "
               "or open this page from an emulated run, to compare them.")
                .arg(m_measured->title()));
    else
        m_view.panel.compare(compared);
    Q_EMIT changed();
}

void ResultsController::useMeasuredLinks()
{
    const profiler::ExpectedComparison* comparison = m_view.panel.comparison();
    ClusterPlan plan = m_plan;
    if (comparison == nullptr || !hasPrediction()
        || !takeMeasuredLinks(*m_outlook->prediction, comparison->links, plan))
        return m_view.panel.showNote(tr("The link bandwidths cannot be measured: no message took "
                                        "longer than the assumed latency."));
    Q_EMIT linksMeasured(plan);
}

void ResultsController::compare()
{
    if (!hasPrediction() || !m_predictedFile.isEmpty())
        return requestComparison();
    m_isPredicting = true;
    m_view.compare.setEnabled(false);
    m_view.panel.showProgress(tr("Writing the prediction"));
    const auto run = m_outlook->prediction->run;
    m_background.run([run] { return writeNewRun(*run); },
                     [this, run](const engine::Result<QString>& file) {
                         m_isPredicting = false;
                         m_view.compare.setEnabled(true);
                         m_view.panel.showProgress({});
                         if (!file)
                             return m_view.panel.showFailure(
                                 capitalized(fromUtf8(file.error().message)));
                         if (!hasPrediction() || m_outlook->prediction->run != run)
                             return compare(); // the plan has changed
                         m_predictedFile = *file;
                         requestComparison();
                     });
}

void ResultsController::requestComparison()
{
    QStringList files;
    if (!m_predictedFile.isEmpty())
        files.append(m_predictedFile);
    if (m_emulated != nullptr)
        files.append(m_emulated->file());
    if (m_measured != nullptr)
        files.append(m_measured->file());
    Q_EMIT compareRequested(files);
}

} // namespace app
