#pragma once

#include "app/jobs/background.h"
#include "app/models/run_document.h"
#include "app/timeline/view/kernel_view.h"

#include <QObject>

namespace app {

// Reads in the thread pool what GPUs ran in a run, and prepares it for painting. Of several
// requests only the newest is answered. The GUI thread only.
class KernelLoader : public QObject
{
    Q_OBJECT

public:
    explicit KernelLoader(QObject* parent = nullptr);

    void load(const RunPointer& run, const QString& file); // a run that is not written any more

Q_SIGNALS:
    // Empty where nothing was recorded; null, with the reason, where it cannot be read.
    void loaded(const app::KernelViewPointer& kernels, const QString& failure);

private:
    Background m_background;
    int m_asked = 0;
};

} // namespace app
