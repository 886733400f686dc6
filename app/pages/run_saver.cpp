#include "app/pages/run_saver.h"

#include "app/figures/write_figure.h"
#include "app/models/setting_table.h"
#include "app/models/text.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/page.h"
#include "profiler/export/exporters.h"
#include "profiler/export/import_json.h"
#include "profiler/report/html_report.h"
#include "profiler/store/part_of_run.h"
#include "profiler/store/trace_store.h"
#include "profiler/study/edit_study.h"
#include "profiler/study/results_file.h"
#include "profiler/study/study_report.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace app {
namespace {

QString failureOf(const engine::Result<void>& done)
{
    return done ? QString() : fromUtf8(done.error().message);
}

} // namespace

RunSaver::RunSaver(QWidget* page)
    : QObject(page)
    , m_page(*page)
{ }

void RunSaver::saveReport(const Runs& runs, const QString& name)
{
    const auto job = [runs](const QString& file) {
        std::vector<const engine::Run*> pointers;
        for (const auto& run : runs)
            pointers.push_back(run.get());
        return failureOf(profiler::htmlReport(pointers).and_then([&](const std::string& page) {
            return engine::saveFile(file.toStdString(), page, engine::IfExists::Replace);
        }));
    };
    ask({tr("Export report"), name + QStringLiteral(".html"), tr("Reports (*.html)"),
         QStringLiteral("html")},
        job, &RunSaver::reportSaved);
}

void RunSaver::savePart(const std::shared_ptr<const engine::Run>& run, const QString& file,
                        engine::Window window)
{
    const auto job = [run, from = file.toStdString(), window](const QString& to) {
        const std::filesystem::path inputs[] = {from};
        return failureOf(
            engine::NewFile::beside(to.toStdString(), engine::IfExists::Replace, inputs)
                .and_then([&](engine::NewFile target) {
                    return profiler::writePart(std::move(target), *run, window, from);
                }));
    };
    ask({tr("Save the selection as a new run"),
         QFileInfo(file).completeBaseName() + QStringLiteral("-part.sqlite"), tr("Runs (*.sqlite)"),
         QStringLiteral("sqlite")},
        job, &RunSaver::partSaved);
}

void RunSaver::saveTrace(const std::shared_ptr<const engine::Run>& run, const QString& file)
{
    const auto job = [run, from = file.toStdString()](const QString& to) {
        const auto gpu = [&](const std::function<void(const engine::GpuTrace&)>& use) {
            return profiler::readGpuPieces(from, use);
        };
        const bool isTable = to.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive);
        const profiler::Exporter* exporter = profiler::findExporter(isTable ? "csv" : "chrome");
        const std::filesystem::path inputs[] = {from};
        return failureOf(
            engine::NewFile::beside(to.toStdString(), engine::IfExists::Replace, inputs)
                .and_then([&](engine::NewFile target) {
                    return engine::saveFile(std::move(target), [&](const engine::TextSink& sink) {
                        return exporter->write(*run, gpu, sink);
                    });
                }));
    };
    ask({tr("Export trace"), QFileInfo(file).completeBaseName() + QStringLiteral(".json"),
         tr("Chrome traces, for Perfetto (*.json);;Tables of spans (*.csv)"),
         QStringLiteral("json")},
        job, &RunSaver::traceSaved);
}

void RunSaver::saveImportReport(const std::shared_ptr<const engine::Run>& run, const QString& name)
{
    const auto job = [run](const QString& file) {
        return failureOf(engine::saveFile(file.toStdString(), profiler::importJson(*run),
                                          engine::IfExists::Replace));
    };
    ask({tr("Save report"), name + QStringLiteral(".json"), tr("Reports (*.json)"),
         QStringLiteral("json")},
        job, &RunSaver::reportSaved);
}

void RunSaver::saveRules(const QString& toml)
{
    const auto job = [text = toml.toStdString()](const QString& file) {
        return failureOf(engine::saveFile(file.toStdString(), text, engine::IfExists::Replace));
    };
    ask({tr("Save rules"), QStringLiteral("rules.toml"), tr("Rules (*.toml)"),
         QStringLiteral("toml")},
        job, &RunSaver::rulesSaved);
}

void RunSaver::saveFigure(const MakeScene& make, const QString& name)
{
    constexpr int kDpi = 300;
    const auto job = [make](const QString& file) {
        const auto format = figureFormat(file);
        if (!format)
            return tr("%1 has no known format; end it in .pdf, .svg, .png or .tex").arg(file);
        return failureOf(make()
                             .and_then([&](const profiler::Scene& scene) {
                                 return renderFigure(scene, *format, kDpi);
                             })
                             .and_then([&](const QByteArray& bytes) {
                                 return engine::saveFile(file.toStdString(), bytes.toStdString(),
                                                         engine::IfExists::Replace);
                             }));
    };
    ask({tr("Export chart"), name + QStringLiteral(".pdf"),
         tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;TikZ (*.tex)"), QStringLiteral("pdf")},
        job, &RunSaver::figureSaved);
}

void RunSaver::saveText(const Request& request,
                        const std::function<engine::Result<std::string>()>& make,
                        void (RunSaver::*done)(const QString&))
{
    const auto job = [make](const QString& file) {
        return failureOf(make().and_then([&](const std::string& text) {
            return engine::saveFile(file.toStdString(), text, engine::IfExists::Replace);
        }));
    };
    ask(request, job, done);
}

void RunSaver::saveStudyReport(const StudyPointer& data, const QString& name)
{
    saveText(
        {tr("Save report"), name + QStringLiteral(".html"), tr("Reports (*.html)"),
         QStringLiteral("html")},
        [data] { return profiler::studyReport(data->study, data->points, data->results); },
        &RunSaver::reportSaved);
}

void RunSaver::saveStudyResults(const StudyPointer& data, const QString& name)
{
    saveText(
        {tr("Save results"), name + QStringLiteral(".csv"), tr("Tables (*.csv)"),
         QStringLiteral("csv")},
        [data] {
            return engine::Result<std::string>(
                profiler::studyCsv(data->study, data->points, data->results));
        },
        &RunSaver::reportSaved);
}

void RunSaver::saveStudy(const profiler::Study& study, const QString& name)
{
    saveText(
        {tr("Save study"), name + QStringLiteral(".toml"), tr("Studies (*.toml)"),
         QStringLiteral("toml")},
        [study] { return engine::Result<std::string>(profiler::studyToml(study)); },
        &RunSaver::studySaved);
}

void RunSaver::ask(const Request& request, const Job& job, void (RunSaver::*done)(const QString&))
{
    auto* dialog = named(new QFileDialog(&m_page, request.title, request.name, request.filter),
                         "saveDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(request.suffix);
    if (const QString folder = chosenFolder(key::kExports); !folder.isEmpty()) {
        dialog->setDirectory(folder);
        dialog->selectFile(request.name);
    }
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QStringLiteral("*."), 1).chopped(1));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this, job, done](const QString& file) {
        m_writing.run([job, file] { return job(file); },
                      [this, file, done](const QString& failure) {
                          if (failure.isEmpty()) {
                              Q_EMIT(this->*done)(file);
                              if (auto* page = qobject_cast<Page*>(&m_page))
                                  Q_EMIT page->filesSaved({file});
                              return;
                          }
                          auto* box = named(new QMessageBox(QMessageBox::Warning, tr("Not saved"),
                                                            failure, QMessageBox::Ok, &m_page),
                                            "notSaved");
                          box->setTextFormat(Qt::PlainText);
                          box->setAttribute(Qt::WA_DeleteOnClose);
                          box->open();
                      });
    });
    dialog->open();
}

} // namespace app
