#include "engine/base/try.h"
#include "profiler/import/trace_files.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <cstdlib>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

void runShell(const TemporaryFolder& folder, const std::string& command)
{
    const std::string line = "cd " + folder.path().string() + " && " + command;
    REQUIRE(std::system(line.c_str()) == 0); // NOLINT
}

Result<void> readAll(const std::filesystem::path& file, const OnImportProgress& progress = {})
{
    const auto visit = [](const std::string&, const ByteSource& bytes) -> Result<void> {
        std::string buffer(1 << 20, ' ');
        for (;;) {
            const auto count = TRY(bytes({buffer.data(), buffer.size()}));
            if (count == 0)
                return {};
        }
    };
    return readTraceFile(file, visit, {}, progress);
}

} // namespace

// Only the traces counted, and a compressed trace had a limit of its own.
TEST_CASE("all bytes to which an archive expands count in its limit")
{
    const TemporaryFolder folder;
    runShell(folder,
             "head -c 200000000 /dev/zero | gzip -1 > a.json.gz && truncate -s 100M x.bin "
             "&& tar czf one.tar.gz a.json.gz && tar czf both.tar.gz a.json.gz x.bin");
    CHECK(readAll(folder / "one.tar.gz"));
    const auto both = readAll(folder / "both.tar.gz");
    REQUIRE_FALSE(both);
    CHECK(both.error().code == Error::Code::Corrupt);
    CHECK(both.error().message.find("both.tar.gz expands to more than 200 times its size")
          != std::string::npos);
}

TEST_CASE("the import of an archive without a trace can be cancelled")
{
    const TemporaryFolder folder;
    runShell(folder, "truncate -s 10M x.bin && tar czf a.tar.gz x.bin");
    CHECK(readAll(folder / "a.tar.gz").error().code == Error::Code::NotFound);
    int calls = 0;
    const auto cancelled = readAll(folder / "a.tar.gz", [&](const ImportProgress&) {
        return ++calls < 10; // while x.bin is skipped
    });
    CHECK(cancelled.error().code == Error::Code::Cancelled);
}

// libarchive does not compare the check sum of gzip.
TEST_CASE("a gzip file with a wrong check sum or length is damaged")
{
    const TemporaryFolder folder;
    runShell(folder,
             "echo '[]' | gzip > a.json.gz && size=$(stat -c %s a.json.gz) && "
             "for end in 8 4; do head -c $((size - end)) a.json.gz > $end.json.gz && "
             "printf abcd >> $end.json.gz; done && tail -c 4 a.json.gz >> 8.json.gz && "
             "head -c $((size - 8)) a.json.gz > magic.json.gz && "
             "printf '\\037\\213\\010\\377abcd' >> magic.json.gz && " // not a second header
             "cat a.json.gz a.json.gz > two.json.gz");
    CHECK(readAll(folder / "a.json.gz"));
    CHECK(readAll(folder / "two.json.gz"));
    for (const char* name : {"8.json.gz", "4.json.gz", "magic.json.gz"}) {
        const auto damaged = readAll(folder / name);
        REQUIRE_FALSE(damaged);
        CHECK(damaged.error().message.find("its check sum or its length differs")
              != std::string::npos);
    }
}
