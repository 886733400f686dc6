#pragma once

#include "app/jobs/background.h"
#include "engine/timeline/run.h"

#include <QCoreApplication>

#include <functional>
#include <memory>
#include <vector>

class QWidget;

namespace app {

// Asks for a file and writes a report, rules or a part of a run to it in the background. A failure
// is shown in a message.
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

    // Saves the report of an imported run as JSON.
    void saveImportReport(const std::shared_ptr<const engine::Run>& run, const QString& name);
    void saveRules(const QString& toml);

Q_SIGNALS:
    void reportSaved(const QString& file);
    void rulesSaved(const QString& file);
    void partSaved(const QString& file);

private:
    struct Request
    {
        QString title, name, filter, suffix;
    };
    // Returns the message of a failure; "" on success.
    using Job = std::function<QString(const QString& file)>;
    void ask(const Request& request, const Job& job, void (RunSaver::*done)(const QString&));

    QWidget& m_page;
    Background m_writing{this};
};

} // namespace app
