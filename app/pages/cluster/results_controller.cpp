#include "app/models/numbers.h"
#include "app/models/text.h"
#include "app/pages/cluster/cluster_page.h"
#include "app/widgets/cluster/kit_panel.h"
#include "app/widgets/cluster/results_panel.h"
#include "app/widgets/forms/file_dialog.h"

#include <QAction>
#include <QFileInfo>
#include <QLabel>

// The results of a cluster page: watching, importing and comparing them.
namespace app {

void ClusterPage::askForResults()
{
    connect(openFileDialog(
                {tr("Folder of the results"), {}, "resultsDialog", QFileDialog::Directory}, this),
            &QFileDialog::fileSelected, this,
            [this](const QString& folder) { takeResults({folder}); });
}

void ClusterPage::takeResults(const QStringList& paths)
{
    m_isImported = false;
    if (paths.size() == 1 && QFileInfo(paths.front()).isDir())
        m_watcher.watch(paths.front(), m_outlook ? m_outlook->kit.ranks : 0);
    else if (!paths.isEmpty())
        import(paths);
}

void ClusterPage::resultsChanged()
{
    const ClusterResults& results = m_watcher.results();
    m_results->showResults(results, m_outlook ? m_outlook->kit.ranksPerNode : 1,
                           m_watcher.isWatching());
    m_resultNote->setText(results.folder.isEmpty()
                              ? QString()
                              : tr("%1 of %2 ranks").arg(results.received()).arg(results.ranks));
    if (results.areAllThere() && !m_isImported)
        import(results.complete());
    Q_EMIT statusChanged();
}

void ClusterPage::import(const QStringList& paths)
{
    if (m_importer != nullptr || paths.isEmpty())
        return;
    m_isImported = true;
    m_importer = std::make_unique<TraceImporter>();
    m_results->showProgress(tr("Importing %1").arg(countOf(paths.size(), "file")));
    connect(m_importer.get(), &TraceImporter::progressed, this, [this](const ImportState& state) {
        if (state.allBytes > 0)
            m_results->showProgress(tr("Importing, %1 read")
                                        .arg(percent(static_cast<double>(state.bytes)
                                                         / static_cast<double>(state.allBytes),
                                                     0)));
    });
    const auto end = [this] { m_importer.release()->deleteLater(); };
    connect(m_importer.get(), &TraceImporter::failed, this, [this, end](const QString& reason) {
        end();
        m_results->showFailure(capitalized(reason));
    });
    connect(m_importer.get(), &TraceImporter::finished, this, [this, end](const QString& file) {
        end();
        m_measured = m_library.open(file);
        connect(m_measured.get(), &RunDocument::stateChanged, this, &ClusterPage::showImported);
        showImported();
    });
    m_importer->start(paths);
}

// Compares when all runs are read.
void ClusterPage::showImported()
{
    const auto isRead = [](const std::shared_ptr<RunDocument>& document) {
        return document != nullptr && document->run() != nullptr
            && document->state() == RunDocument::State::Finished;
    };
    const bool hasPrediction = m_outlook && m_outlook->prediction;
    m_compare->setEnabled(isRead(m_measured) && !m_isPredicting
                          && (isRead(m_emulated) || hasPrediction));
    if (!isRead(m_measured))
        return;
    ComparedResults compared;
    if (hasPrediction) {
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
        m_results->showFailure(tr("The traces were imported as %1. Choose the GPU of the cluster, "
                                  "or open this page from an emulated run, to compare them.")
                                   .arg(m_measured->title()));
    else
        m_results->compare(compared);
    Q_EMIT statusChanged();
}

void ClusterPage::useMeasuredLinks()
{
    const profiler::ExpectedComparison* comparison = m_results->comparison();
    ClusterPlan plan = m_kit->plan();
    if (comparison == nullptr || m_outlook == nullptr || !m_outlook->prediction
        || !takeMeasuredLinks(*m_outlook->prediction, comparison->links, plan))
        return m_results->showProgress(
            tr("The links are not known: no message took longer than the assumed latency."));
    m_kit->useLinks(plan);
}

void ClusterPage::compareRuns()
{
    if (!m_outlook || !m_outlook->prediction || !m_predictedFile.isEmpty())
        return requestComparison();
    m_isPredicting = true;
    m_compare->setEnabled(false);
    m_results->showProgress(tr("Writing the prediction"));
    m_background.run(
        [run = m_outlook->prediction->run,
         options = runOptions({m_kit->plan().experiment, {}, {}, {}})] {
            return writeNewRun(*run, options);
        },
        [this](const engine::Result<QString>& file) {
            m_isPredicting = false;
            m_compare->setEnabled(true);
            m_results->showProgress({});
            if (!file)
                return m_results->showFailure(capitalized(fromUtf8(file.error().message)));
            m_predictedFile = *file;
            requestComparison();
        });
}

void ClusterPage::requestComparison()
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
