#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/kernel_view.h"
#include "app/ui/latest.h"

#include <QObject>

namespace app {

// Reads the kernels of a run in the thread pool and prepares them for painting. Delivers only the
// result of the newest request. GUI thread only.
class KernelLoader : public QObject
{
    Q_OBJECT

public:
    explicit KernelLoader(QObject* parent = nullptr);

    // Reads the kernels of a run. Emits missing() instead if the file of the run is not complete or
    // the times of the run are abstract.
    void ask(const RunPointer& run, const RunDocument& document);

Q_SIGNALS:
    // `kernels` is empty if nothing was recorded, and null if the kernels cannot be read; `reason`
    // says why.
    void loaded(const app::KernelViewPointer& kernels, const QString& reason);
    void missing(const QString& reason); // the run is not complete or has no kernels

private:
    struct Answer
    {
        KernelViewPointer kernels;
        QString reason;
    };
    struct Request
    {
        RunPointer run;
        std::string file;
    };
    static Answer read(const Request& request);

    RunPointer m_run; // the run of the last request; null after missing()
    Latest<Request, Answer> m_reading{
        this, [](const Request& request, const auto&) { return read(request); },
        [this](const Answer& answer) { Q_EMIT loaded(answer.kernels, answer.reason); }};
};

} // namespace app
