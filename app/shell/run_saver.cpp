#include "app/shell/run_saver.h"

#include "app/figures/write_figure.h"
#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/ui/text.h"
#include "profiler/export/exporters.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/copy_run.h"
#include "profiler/store/trace_store.h"
#include "profiler/why/why_text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace app {
namespace {

// Returns the first extension of a filter: "json" for "Chrome traces (*.json);;Tables (*.csv)".
QString endingOf(const QString& filter)
{
    return filter.section(QStringLiteral("*."), 1, 1).section(QLatin1Char(')'), 0, 0);
}

// Creates the file `to`. Fails if `to` is `from`, the file of the run itself.
engine::Result<engine::NewFile> newFile(const QString& to, const std::string& from)
{
    const std::filesystem::path inputs[] = {from};
    return engine::NewFile::beside(to.toStdString(), engine::IfExists::Replace, inputs);
}

engine::Result<void> writeText(const QString& file, const std::string& text)
{
    return engine::saveFile(file.toStdString(), text, engine::IfExists::Replace);
}

} // namespace

RunSaver::RunSaver(QWidget* page)
    : QObject(page)
    , m_page(*page)
{ }

void RunSaver::saveReport(const Runs& runs, const QString& name)
{
    saveText({tr("Export report"), name, tr("Reports (*.html)")}, [runs] {
        std::vector<const engine::Run*> pointers;
        for (const auto& run : runs)
            pointers.push_back(run.get());
        if (runs.size() > 1)
            return profiler::htmlReport(pointers);
        const engine::Run& run = *runs.front();
        return profiler::htmlReport(
            pointers,
            runFindings(run, profiler::whyReport(run, -1, profiler::WhySchemes::LeaveOut)));
    });
}

void RunSaver::savePart(const std::shared_ptr<const engine::Run>& run, const QString& file,
                        engine::Window window)
{
    ask(
        {tr("Save the selection as a new run"),
         QFileInfo(file).completeBaseName() + QStringLiteral("-part"), tr("Runs (*.sqlite)")},
        [run, from = file.toStdString(), window](const QString& to) {
            return newFile(to, from).and_then([&](engine::NewFile target) {
                return profiler::writePart(std::move(target), *run, window, from);
            });
        },
        &RunSaver::partSaved);
}

void RunSaver::saveTrace(const std::shared_ptr<const engine::Run>& run, const QString& file)
{
    const auto write = [run, from = file.toStdString()](const QString& to) {
        const auto gpu = [&](const std::function<void(const engine::GpuTrace&)>& use) {
            return profiler::readGpuPieces(from, use);
        };
        const bool isTable = to.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
        const profiler::Exporter* exporter = profiler::findExporter(isTable ? "csv" : "chrome");
        return newFile(to, from).and_then([&](engine::NewFile target) {
            return engine::saveFile(std::move(target), [&](const engine::TextSink& sink) {
                return exporter->write(*run, gpu, sink);
            });
        });
    };
    ask({tr("Export trace"), QFileInfo(file).completeBaseName(),
         tr("Chrome traces, for Perfetto (*.json);;Tables of spans (*.csv)")},
        write);
}

void RunSaver::saveFigure(const MakeScene& make, const QString& name)
{
    constexpr int kDpi = 300;
    const auto write = [make](const QString& file) -> engine::Result<void> {
        const auto format = figureFormat(file);
        if (!format)
            return engine::invalid(
                tr("%1 has an unknown format; use the extension .pdf, .svg, .png "
                   "or .tex")
                    .arg(file)
                    .toStdString());
        return make()
            .and_then(
                [&](const profiler::Scene& scene) { return renderFigure(scene, *format, kDpi); })
            .and_then(
                [&](const QByteArray& bytes) { return writeText(file, bytes.toStdString()); });
    };
    ask({tr("Export chart"), name, tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;TikZ (*.tex)")},
        write);
}

void RunSaver::saveText(const Request& request, const MakeText& make)
{
    ask(request, [make](const QString& file) {
        return make().and_then([&](const std::string& text) { return writeText(file, text); });
    });
}

QFileDialog* RunSaver::makeDialog(const Request& request)
{
    const QString ending = endingOf(request.filter),
                  name = request.name + QLatin1Char('.') + ending;
    auto* dialog
        = named(new QFileDialog(&m_page, request.title, name, request.filter), "saveDialog");
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(ending);
    if (const QString folder = chosenFolder(key::kExports); !folder.isEmpty()) {
        dialog->setDirectory(folder);
        dialog->selectFile(name);
    }
    connect(dialog, &QFileDialog::filterSelected, dialog,
            [dialog](const QString& filter) { dialog->setDefaultSuffix(endingOf(filter)); });
    return dialog;
}

void RunSaver::ask(const Request& request, const Write& write, Done done)
{
    QFileDialog* dialog = makeDialog(request);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, write, done](const QString& file) {
        m_writing.run([write, file] { return write(file); },
                      [this, file, done](const engine::Result<void>& written) {
                          finish(file, written, done);
                      });
    });
    dialog->open();
}

QString RunSaver::saveNow(const Request& request, const std::string& text)
{
    const std::unique_ptr<QFileDialog> dialog(makeDialog(request));
    QString file;
    connect(dialog.get(), &QFileDialog::fileSelected, this,
            [&file](const QString& chosen) { file = chosen; });
    dialog->exec();
    if (file.isEmpty())
        return {};
    const auto written = writeText(file, text);
    finish(file, written);
    return written ? file : QString();
}

void RunSaver::finish(const QString& file, const engine::Result<void>& written, Done done)
{
    if (written) {
        if (done != nullptr)
            Q_EMIT(this->*done)(file);
        if (auto* page = qobject_cast<Page*>(&m_page))
            Q_EMIT page->filesSaved({file});
        return;
    }
    auto* box = named(new QMessageBox(QMessageBox::Warning, tr("Not saved"),
                                      fromUtf8(written.error().message), QMessageBox::Ok, &m_page),
                      "notSaved");
    box->setTextFormat(Qt::PlainText);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace app
