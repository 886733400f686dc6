#pragma once

#include "app/jobs/background.h"
#include "app/models/study/study_data.h"
#include "engine/timeline/run.h"
#include "profiler/figure/scene.h"

#include <QCoreApplication>

#include <functional>
#include <memory>
#include <vector>

class QWidget;

namespace app {

// Asks for a file and writes a report, a figure, rules or a part of a run to it in the background.
// A failure is shown in a message.
class RunSaver : public QObject
{
    Q_OBJECT

public:
    using Runs = std::vector<std::shared_ptr<const engine::Run>>;

    explicit RunSaver(QWidget* page); // `page` owns the object

    void saveReport(const Runs& runs, const QString& name); // the first run is the baseline
    // `file` is the file of the run.
    void savePart(const std::shared_ptr<const engine::Run>& run, const QString& file,
                  engine::Window window);

    // Exports a run as a Chrome trace, with the GPU records of its `file`, or as CSV, by the name
    // of the new file.
    void saveTrace(const std::shared_ptr<const engine::Run>& run, const QString& file);
    // Saves the report of an imported run as JSON.
    void saveImportReport(const std::shared_ptr<const engine::Run>& run, const QString& name);
    void saveRules(const QString& toml);

    using MakeScene = std::function<engine::Result<profiler::Scene>()>;
    // Draws a figure and saves it as PDF, SVG, PNG or TikZ, by the name of the file.
    void saveFigure(const MakeScene& make, const QString& name);
    // Saves the report of a study (HTML), its results (CSV) or its definition (TOML).
    void saveStudyReport(const StudyPointer& data, const QString& name);
    void saveStudyResults(const StudyPointer& data, const QString& name);
    void saveStudy(const profiler::Study& study, const QString& name);

Q_SIGNALS:
    void figureSaved(const QString& file);
    void studySaved(const QString& file);
    void reportSaved(const QString& file);
    void rulesSaved(const QString& file);
    void partSaved(const QString& file);
    void traceSaved(const QString& file);

private:
    struct Request
    {
        QString title, name, filter, suffix;
    };
    // Returns the message of a failure; "" on success.
    using Job = std::function<QString(const QString& file)>;
    void ask(const Request& request, const Job& job, void (RunSaver::*done)(const QString&));

    QWidget& m_page;
    void saveText(const Request& request, const std::function<engine::Result<std::string>()>& make,
                  void (RunSaver::*done)(const QString&));

    Background m_writing{this};
};

} // namespace app
