#include "app/window/stop_runs.h"

#include "app/documents/run_library.h"
#include "app/run/stop_run_dialog.h"

namespace app {

bool mayStopAll(RunLibrary& library, QWidget* parent)
{
    for (int row = 0; row < library.runs().rowCount(); ++row) {
        const RunDocument& document = *library.runs().at(row);
        if (!mayStop(
                document, [&] { library.stop(document); }, parent))
            return false;
    }
    return true;
}

} // namespace app
