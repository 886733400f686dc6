#include "app/cluster/cluster_page.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QFile>
#include <QTemporaryDir>

using namespace app;

namespace {

void append(const QTemporaryDir& folder, const char* name, const QByteArray& bytes)
{
    QFile out(folder.filePath(QString::fromLatin1(name)));
    REQUIRE(out.open(QIODevice::Append));
    out.write(bytes);
}

} // namespace

TEST_CASE("a trace is received when it does not grow any more, and all ranks are awaited")
{
    QTemporaryDir folder;
    ResultWatcher watcher;
    watcher.setInterval(20);
    watcher.watch(folder.path(), 2);
    CHECK(watcher.isWatching());
    append(folder, "rank0.json", "{");
    // It grows at every look that finds it complete or not, so it is never complete meanwhile.
    for (int i = 0; i < 3; ++i) {
        const qint64 bytes = i + 1;
        REQUIRE(waitFor([&] {
            return watcher.results().files.size() == 1
                && watcher.results().files.front().bytes == bytes;
        }));
        append(folder, "rank0.json", " ");
    }
    REQUIRE(waitFor([&] { return watcher.results().received() == 1; }));
    CHECK(watcher.results().files.front().bytes == 4);
    CHECK_FALSE(watcher.results().areAllThere());
    append(folder, "rank1.json", "{}");
    REQUIRE(waitFor([&] { return watcher.results().areAllThere(); }));
    append(folder, "rank1.json", "{}"); // a second run of the job
    REQUIRE(waitFor([&] { return !watcher.results().areAllThere(); }));
    REQUIRE(waitFor([&] { return watcher.results().areAllThere(); }));
    watcher.stop();
    CHECK_FALSE(watcher.isWatching());
    CHECK(watcher.results().received() == 2);
}

TEST_CASE("another folder replaces what the watcher found in the first one")
{
    QTemporaryDir first, second;
    append(first, "rank0.json", "{}");
    ResultWatcher watcher;
    watcher.setInterval(20);
    watcher.watch(first.path(), 1);
    REQUIRE(waitFor([&] { return watcher.results().areAllThere(); }));
    watcher.watch(second.path(), 1);
    CHECK(watcher.results().files.empty());
    append(second, "rank0.json", "{} ");
    REQUIRE(waitFor([&] { return watcher.results().areAllThere(); }));
    CHECK(watcher.results().files.front().bytes == 3);
}
