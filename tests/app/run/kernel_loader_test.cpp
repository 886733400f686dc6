#include "app/documents/run_library.h"
#include "app/run/kernel_loader.h"
#include "profiler/store/trace_store.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <QSignalSpy>
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
    KernelLoader loader;
    QSignalSpy loaded(&loader, &KernelLoader::loaded), missing(&loader, &KernelLoader::missing);
    loader.ask(document->run(), *document);
    REQUIRE(waitFor([&] { return loaded.count() == 1; }));
    loader.ask(sharedRun({"1f1b", 2, 2}), *document);
    CHECK(missing.count() == 1);
    loader.ask(document->run(), *document);
    CHECK(waitFor([&] { return loaded.count() == 2; }));
}
