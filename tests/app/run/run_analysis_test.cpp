#include "app/documents/run_library.h"
#include "app/run/run_analysis.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QTemporaryDir>

using namespace app;

// The second request was ignored, so the kernels of the run were never shown again.
TEST_CASE("the kernels of a run are read again after another run had none")
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("run.sqlite"));
    REQUIRE(profiler::writeRun(file.toStdString(), simulatedRun({"1f1b", 2, 2, 1, true})));
    RunLibrary library;
    const auto document = library.open(file);
    REQUIRE(waitFor([&] { return document->state() == RunDocument::State::Finished; }));
    RunAnalysis analysis;
    int read = 0, unknown = 0;
    QObject::connect(&analysis, &RunAnalysis::kernelsRead,
                     [&](const KernelViewPointer& kernels) { ++(kernels ? read : unknown); });
    analysis.askKernels(document->run(), *document);
    REQUIRE(waitFor([&] { return read == 1; }));
    analysis.askKernels(sharedRun({"1f1b", 2, 2}), *document);
    CHECK(unknown == 1);
    analysis.askKernels(document->run(), *document);
    CHECK(waitFor([&] { return read == 2; }));
}
