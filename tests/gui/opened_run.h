#pragma once

#include "app/documents/run_library.h"
#include "app/run/run_page.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/data_table.h"
#include "profiler/store/trace_store.h"
#include "tests/app/fake_worker.h"
#include "tests/app/simulated_run.h"
#include "tests/app/wait_for.h"

#include <memory>

namespace app {

// A page on a run that was written to a real file, or that a fake worker goes on with.
struct OpenedRun
{
    explicit OpenedRun(const engine::Run& run, const QByteArray& worker = {},
                       const engine::GpuTrace& gpu = {})
        : folder(worker)
    {
        write(folder.file("run.sqlite").toStdString(), run, gpu);
        library.setWorkerProgram(folder.path());
        library.setPatience(std::chrono::minutes(10)); // nobody is killed for being slow
        document = worker.isEmpty() ? library.open(folder.file("run.sqlite")) : library.start({});
        page.reset(makeRunPage(theme, library, document));
        page->resize(1600, 910);
        page->show();
    }
    ~OpenedRun()
    {
        page.reset();
        QFile::remove(document->file());
    }
    static void write(const std::string& file, const engine::Run& run, const engine::GpuTrace& gpu)
    {
        if (gpu.isEmpty()) {
            REQUIRE(profiler::writeRun(file, run).has_value());
            return;
        }
        auto writer = profiler::TraceWriter::create(file, run.info, run.schedule);
        REQUIRE(writer);
        profiler::Batch batch = profiler::batchOf(run.timeline, 0, 0);
        batch.gpu = gpu;
        writer->append(std::move(batch));
        REQUIRE(writer->finish(run.info.outcome));
    }
    bool isRead() const { return document->state() == RunDocument::State::Finished; }
    template<class Widget>
    Widget* find(const char* name) const
    {
        auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    void click(const char* button) const
    {
        QTest::mouseClick(find<QWidget>(button), Qt::LeftButton);
    }
    int summaryRows() const { return find<DataTable>("summaryTable")->model()->rowCount(); }

    FakeWorker folder;
    ThemeController theme;
    RunLibrary library;
    std::shared_ptr<RunDocument> document;
    std::unique_ptr<Page> page;
};

} // namespace app
