#pragma once

#include "app/ui/background.h"
#include "engine/timeline/run.h"
#include "profiler/figure/scene.h"

#include <QCoreApplication>

#include <functional>
#include <memory>
#include <vector>

class QFileDialog;
class QWidget;

namespace app {

// Asks for a file and writes a report, a figure, a text or a part of a run to it in the background.
// A failure is shown in a message.
class RunSaver : public QObject
{
    Q_OBJECT

public:
    using Runs = std::vector<std::shared_ptr<const engine::Run>>;

    explicit RunSaver(QWidget* page); // `page` owns the object

    void saveReport(const Runs& runs, const QString& name); // the first run is the baseline
    void savePart(const std::shared_ptr<const engine::Run>& run, const QString& file,
                  engine::Window window);

    // Exports a run as a Chrome trace or as CSV, depending on the extension of the new file. A
    // Chrome trace includes the GPU records in `file`, the file of the run.
    void saveTrace(const std::shared_ptr<const engine::Run>& run, const QString& file);
    using MakeScene = std::function<engine::Result<profiler::Scene>()>;
    // Draws a figure and saves it. The extension of the file selects PDF, SVG, PNG or TikZ.
    void saveFigure(const MakeScene& make, const QString& name);
    struct Request
    {
        QString title, name, filter; // `name` gets the first extension in `filter`
    };
    using MakeText = std::function<engine::Result<std::string>()>; // called on another thread
    void saveText(const Request& request, const MakeText& make);
    // Asks for a file and writes it before it returns, so that a closing page can wait for it.
    // Returns the file; "" if the user cancelled or the file cannot be written.
    QString saveNow(const Request& request, const std::string& text);

Q_SIGNALS:
    void partSaved(const QString& file);

private:
    using Done = void (RunSaver::*)(const QString& file); // a signal

    using Write = std::function<engine::Result<void>(const QString& file)>;
    QFileDialog* makeDialog(const Request& request);
    void ask(const Request& request, const Write& write, Done done = nullptr);
    void finish(const QString& file, const engine::Result<void>& written, Done done = nullptr);

    QWidget& m_page;
    Background m_writing{this};
};

} // namespace app
