// Where libraries of the CUDA toolkit are found.
#include "engine/base/toolkit_library.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace engine;
namespace fs = std::filesystem;

namespace {

// For the time of a test.
class Path
{
public:
    explicit Path(const std::string& value)
        : m_before(std::getenv("PATH"))
    {
        setenv("PATH", value.c_str(), 1);
    }
    ~Path() { setenv("PATH", m_before.c_str(), 1); }
    Path(const Path&) = delete;
    Path& operator=(const Path&) = delete;

private:
    std::string m_before;
};

// A folder of its own with a virtual environment, and a wheel in it that has a library.
class Environment
{
public:
    Environment()
    {
        fs::create_directories(root / "venv/bin");
        fs::create_directories(root / "bin");
        const fs::path wheel = root / "venv/lib/python3.12/site-packages/nvidia/cu13/lib";
        fs::create_directories(wheel);
        Dl_info mathematics{};
        REQUIRE(dladdr(reinterpret_cast<const void*>(static_cast<double (*)(double)>(std::cos)),
                       &mathematics)
                != 0);
        fs::copy_file(mathematics.dli_fname, wheel / "libbs_of_a_wheel.so.1");
        std::ofstream(root / "python3.12").put('\n');
        fs::create_symlink("../../python3.12", root / "venv/bin/python3");
        fs::create_symlink(root / "venv/bin/python3", root / "bin/python3");
    }
    const tests::TemporaryFolder folder;
    const fs::path& root = folder.path();
};

} // namespace

TEST_CASE("libraries of wheels are found by the python3 of a virtual environment on the PATH")
{
    const Environment environment;
    const auto found = [](const std::string& path) {
        const Path set(path);
        return static_cast<bool>(ToolkitLibrary("a wheel's", {"libbs_of_a_wheel.so.1"}));
    };
    CHECK_FALSE(found("/usr/bin:/nonexistent"));
    CHECK(found("/nonexistent:" + (environment.root / "venv/bin").string()));
}

TEST_CASE("relative folders of the PATH are not searched, because they could be anyone's")
{
    const Environment environment;
    const fs::path before = fs::current_path();
    for (const auto& [folder, path] :
         {std::pair("", "venv/bin:./bin"), {"venv", "bin:../bin"}, {"venv/bin", ":.:"}}) {
        CAPTURE(folder, path);
        fs::current_path(environment.root / folder);
        const Path set(path);
        CHECK_FALSE(ToolkitLibrary("a wheel's", {"libbs_of_a_wheel.so.1"}));
    }
    fs::current_path(before);
}

TEST_CASE("libraries of wheels are found by a python3 that links into a virtual environment")
{
    const Environment environment;
    const Path path((environment.root / "bin").string() + ":/usr/bin");
    const ToolkitLibrary library("a wheel's", {"libbs_none.so", "libbs_of_a_wheel.so.1"});
    REQUIRE(library);
    CHECK(library.file().ends_with("nvidia/cu13/lib/libbs_of_a_wheel.so.1"));
    CHECK(library.symbol<double (*)(double)>("cos")(0.0) == 1.0);
    CHECK(library.symbol<void*>("cudaLaunchKernel") == nullptr);
}

TEST_CASE("a missing library gives an error")
{
    const ToolkitLibrary library("none", {"libbs_none.so.1"});
    CHECK_FALSE(library);
    CHECK(library.file().empty());
    int (*function)() = nullptr;
    ToolkitFunctions functions(library);
    functions.take(function, "f");
    CHECK(functions.missing() == std::string("f"));
}
