#include "engine/base/available_memory.h"
#include "tests/support/temporary_folder.h"

#include <fstream>
#include <map>

using namespace engine;
namespace fs = std::filesystem;

namespace {

// Bytes available on a machine with these files: "proc/meminfo" and others.
Bytes available(const std::map<std::string, std::string>& files)
{
    const tests::TemporaryFolder folder;
    for (const auto& [name, text] : files) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
    }
    return availableMemory(folder / "proc", folder / "cgroup");
}

const std::pair<const std::string, std::string> kFree{"proc/meminfo",
                                                      "MemTotal: 9 kB\nMemAvailable:   8 kB\n"};

} // namespace

// The memory check ignored the limit of a container or batch job.
TEST_CASE("the available memory is what the machine and all control groups leave")
{
    CHECK(available({}) == 0);
    CHECK(available({kFree}) == 8192);

    const std::pair<const std::string, std::string> job{"proc/self/cgroup", "0::/slurm/job\n"};
    CHECK(available({kFree, job}) == 8192);
    CHECK(available({kFree,
                     job,
                     {"cgroup/slurm/job/memory.max", "max\n"},
                     {"cgroup/slurm/job/memory.current", "5000\n"}})
          == 8192);
    CHECK(available({kFree,
                     job,
                     {"cgroup/slurm/job/memory.max", "7000\n"},
                     {"cgroup/slurm/job/memory.current", "5000\n"},
                     {"cgroup/slurm/job/memory.stat", "anon 4000\ninactive_file 1000\n"}})
          == 3000);
    CHECK(available({kFree,
                     job,
                     {"cgroup/slurm/job/memory.max", "7000\n"},
                     {"cgroup/slurm/memory.max", "6000\n"},
                     {"cgroup/slurm/memory.current", "5900\n"}})
          == 100);
    CHECK(available({job, {"cgroup/memory.max", "6000\n"}}) == 6000); // the root of a container
    CHECK(available({job, {"cgroup/memory.max", "6000\n"}, {"cgroup/memory.current", "7000\n"}})
          == 1);

    const std::string one = "cgroup/memory/job/memory.";
    CHECK(available({kFree,
                     {"proc/self/cgroup", "4:memory:/job\n3:cpu:/job\n0::/\n"},
                     {one + "limit_in_bytes", "7000\n"},
                     {one + "usage_in_bytes", "5000\n"},
                     {one + "stat", "inactive_file 1\ntotal_inactive_file 10\n"}})
          == 2010);
    CHECK(availableMemory() > 0);
}
