#include "app/compare/compare_page.h"
#include "tests/app/simulated_run.h"

using namespace app;

namespace {

std::shared_ptr<RunDocument> finished(const char* scheme, int number)
{
    auto document
        = std::make_shared<RunDocument>(QStringLiteral("/tmp/%1.sqlite").arg(number), number);
    document->setRun(std::make_shared<const engine::Run>(simulatedRun({scheme, 4, 4, 1, true})));
    document->setState(RunDocument::State::Finished);
    return document;
}

} // namespace

TEST_CASE("growing, queued and unreadable runs are not compared but reported")
{
    const auto complete = finished("gpipe", 1), growing = finished("1f1b", 2);
    growing->setState(RunDocument::State::Running);
    const auto queued = std::make_shared<RunDocument>(QStringLiteral("/tmp/q.sqlite"), 3);
    queued->setState(RunDocument::State::Queued);
    const auto broken = std::make_shared<RunDocument>(QStringLiteral("/tmp/b.sqlite"), 4);
    Notice notice;
    notice.text = QStringLiteral("b.sqlite is damaged");
    broken->setNotice(notice);
    broken->setState(RunDocument::State::Failed);
    const TickedRuns ticked({growing, complete, queued, broken});
    CHECK(ticked.complete == std::vector{complete});
    CHECK(ticked.unfinished == 2);
    CHECK(ticked.refused == QStringList(QStringLiteral("b.sqlite is damaged")));
}

TEST_CASE("1F1B is the baseline until the user chooses another run, which stays it")
{
    const auto gpipe = finished("gpipe", 1), plain = finished("1f1b", 2),
               chimera = finished("chimera", 3);
    ComparedRuns compared;
    CHECK(compared.take({}));
    CHECK(compared.take({gpipe, plain}));
    CHECK_FALSE(compared.take({gpipe, plain}));
    CHECK(compared.baseline() == 1);
    CHECK(compared.baselineFirst() == std::vector{plain->run(), gpipe->run()});
    compared.chooseBaseline(0);
    compared.choose(1);
    CHECK(compared.take({chimera, plain, gpipe}));
    CHECK(compared.baseline() == 2);
    CHECK(compared.current() == 1);
    CHECK(compared.take({chimera}));
    CHECK(compared.baseline() == 0);
    CHECK(compared.current() == -1);
    CHECK(compared.names().titles == QStringList(chimera->title()));
}
