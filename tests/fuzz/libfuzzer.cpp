// libFuzzer over the readers of readers.cpp (CONTRIBUTING.md, "Before you push"):
// BUBBLESCOPE_FUZZ_READER=model.toml libfuzzer [OPTIONS]. Valid files and new finds are in
// BUILD/fuzz/model.toml.corpus.
#include "tests/fuzz/readers.h"
#include "tests/support/paths.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

namespace {

namespace fs = std::filesystem;

void writeFile(const fs::path& file, std::string_view content)
{
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

tests::Reader chosenReader()
{
    fs::create_directories(tests::buildPath("fuzz"));
    const char* name = std::getenv("BUBBLESCOPE_FUZZ_READER");
    std::string known;
    for (tests::Reader& reader : tests::readers()) {
        known += " " + reader.name;
        if (name != nullptr && reader.name == name)
            return std::move(reader);
    }
    fmt::print(stderr, "libfuzzer: set BUBBLESCOPE_FUZZ_READER to one of{}\n", known);
    std::exit(2);
}

const tests::Reader& reader()
{
    static const tests::Reader chosen = chosenReader();
    return chosen;
}

} // namespace

// Writes the valid files and adds their folder to the arguments.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv)
{
    static std::string corpus = tests::buildPath("fuzz/" + reader().name + ".corpus");
    static std::vector<char*> arguments(*argv, *argv + *argc);
    fs::create_directories(corpus);
    for (std::size_t i = 0; i < reader().seeds.size(); ++i)
        writeFile(fmt::format("{}/seed{}", corpus, i), reader().seeds[i]);
    arguments.insert(arguments.begin() + 1, corpus.data());
    *argc = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    *argv = arguments.data();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fs::path file = tests::buildPath("fuzz/libfuzzer-" + reader().name);
    writeFile(file, {reinterpret_cast<const char*>(data), size});
    (void)reader().read(file);
    return 0;
}
