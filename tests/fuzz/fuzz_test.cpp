// Every reader of files reads mutated files: it returns a value that can be used, or an error of
// one line. BUBBLESCOPE_FUZZ_ROUNDS, _SEED and _READER set the number of files per reader, the
// random numbers and the only reader; the file that crashed a reader is BUILD/fuzz/NAME.
#include "tests/catch.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/readers.h"
#include "tests/support/paths.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

using namespace tests;
namespace fs = std::filesystem;

namespace {

std::uint64_t setting(const char* name, std::uint64_t usual)
{
    const char* text = std::getenv(name);
    return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

void write(const fs::path& file, const std::string& content)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

void writeMutated(const Reader& reader, const fs::path& file, Random& random)
{
    const std::string& seed = reader.seeds[random() % reader.seeds.size()];
    const bool isDatabase = file.extension() == ".sqlite";
    if (random() % 4 == 0) {
        write(file, mutateBytes(seed, random));
    } else if (isDatabase) {
        write(file, seed);
        mutateValues(file, random);
    } else {
        write(file, mutateLines(seed, random));
    }
}

void limitMemory()
{
#ifndef __SANITIZE_ADDRESS__ // it reserves terabytes
    constexpr rlim_t kMost = rlim_t{6} << 30;
    const rlimit limit{kMost, kMost};
    setrlimit(RLIMIT_AS, &limit);
#endif
}

} // namespace

TEST_CASE("readers of mutated files return a value or an error of one line")
{
    constexpr unsigned kMostSeconds = 60; // for one file
    limitMemory();
    fs::create_directories(buildPath("fuzz"));
    const std::uint64_t seed = setting("BUBBLESCOPE_FUZZ_SEED", 20261122);
    const char* only = std::getenv("BUBBLESCOPE_FUZZ_READER");
    for (const Reader& reader : readers()) {
        if (only != nullptr && reader.name != only)
            continue;
        const std::uint64_t rounds
            = setting("BUBBLESCOPE_FUZZ_ROUNDS", static_cast<std::uint64_t>(reader.rounds));
        int read = 0, refused = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const fs::path file = buildPath("fuzz/") + reader.name;
            for (const char* suffix : {"-wal", "-shm", "-journal"})
                fs::remove(file.string() + suffix);
            Random random(seed + round);
            writeMutated(reader, file, random);
            CAPTURE(reader.name, seed, round);
            alarm(kMostSeconds); // ends the process: the file is kept
            const std::string error = reader.read(file);
            alarm(0);
            ++(error.empty() ? read : refused);
            CHECK(error.find('\n') == std::string::npos);
            CHECK(error.size() < 2000);
        }
        INFO(reader.name << ": " << read << " read, " << refused << " refused");
        CHECK(read > 0);
        CHECK(refused > 0);
    }
}
