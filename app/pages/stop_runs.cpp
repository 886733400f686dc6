#include "app/pages/stop_runs.h"

#include "app/jobs/run_library.h"
#include "app/widgets/run/stop_run_dialog.h"

namespace app {

bool mayStop(RunLibrary& library, const RunDocument& document, QWidget* parent)
{
    if (!document.isRunning())
        return true;
    StopRunDialog dialog(
        document, [&] { library.stop(document); }, parent);
    return dialog.exec() == QDialog::Accepted;
}

bool mayStopAll(RunLibrary& library, QWidget* parent)
{
    for (int row = 0; row < library.runs().rowCount(); ++row)
        if (!mayStop(library, *library.runs().at(row), parent))
            return false;
    return true;
}

} // namespace app
