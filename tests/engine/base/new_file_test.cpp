#include "engine/base/hidden_file.h"
#include "engine/base/new_file.h"
#include "tests/catch.h"
#include "tests/support/temporary_folder.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

using namespace engine;
using namespace tests;
namespace fs = std::filesystem;

namespace {

constexpr auto kRefuse = IfExists::Refuse, kReplace = IfExists::Replace;

void put(const fs::path& file, std::string_view text)
{
    std::ofstream(file) << text;
}

std::string textOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string refusal(const Result<void>& done)
{
    return done ? "" : done.error().message;
}

// Exit status of `work` in a process of its own.
template<class Work>
int statusOf(Work work)
{
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0)
        _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace

TEST_CASE("an existing file is replaced only with force, and keeps its permissions")
{
    const TemporaryFolder folder;
    const fs::path file = folder / "s.csv";
    REQUIRE(saveFile(file, "one", kRefuse));
    fs::permissions(file, fs::perms(0640));
    CHECK(refusal(saveFile(file, "two", kRefuse))
          == file.string() + " exists already: choose another name, or --force to replace it");
    CHECK(textOf(file) == "one");
    REQUIRE(saveFile(file, "two", kReplace));
    CHECK(textOf(file) == "two");
    CHECK(fs::status(file).permissions() == fs::perms(0640));
    CHECK(folder.files() == 1);
}

TEST_CASE("a text whose source fails replaces nothing and leaves nothing")
{
    const TemporaryFolder folder;
    const fs::path file = folder / "trace.json";
    REQUIRE(saveFile(file, "old", kRefuse));
    const TextSource damaged = [](const TextSink& sink) -> Result<void> {
        sink("half");
        return fail(Error::Code::Corrupt, "row 3 is damaged");
    };
    auto target = NewFile::beside(file, kReplace);
    REQUIRE(target);
    CHECK(refusal(saveFile(*std::move(target), damaged)) == "row 3 is damaged");
    CHECK(textOf(file) == "old");
    CHECK(folder.files() == 1);
}

TEST_CASE("a SQLite file and an input of the command are never replaced by a text")
{
    const TemporaryFolder folder;
    const fs::path run = folder / "run.sqlite", input = folder / "in.csv";
    put(run, "SQLite format 3 and so on");
    std::string start = "SQLite format 3";
    put(run, start + '\0' + "pages");
    put(input, "input");
    CHECK(refusal(saveFile(run, "x", kReplace)).find("is a SQLite file") != std::string::npos);
    const fs::path inputs[] = {folder / "." / "in.csv"};
    const auto done = saveFile(input, "x", kReplace, inputs);
    CHECK(refusal(done).find("is an input of this command") != std::string::npos);
    CHECK(done.error().code == Error::Code::InvalidArgument);
    CHECK(textOf(input) == "input");
    CHECK(folder.files() == 2);
}

TEST_CASE("a device, a pipe, a socket and a folder are refused")
{
    const TemporaryFolder folder;
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {AF_UNIX, {}};
    (folder / "socket").string().copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    for (const fs::path& file : {fs::path("/dev/null"), folder / "pipe", folder / "socket"})
        CHECK(refusal(saveFile(file, "x", kReplace)).find("not a file") != std::string::npos);
    CHECK(refusal(saveFile(folder.path(), "x", kReplace)).find("is a folder") != std::string::npos);
    CHECK(fs::is_character_file("/dev/null"));
    close(descriptor);
}

TEST_CASE("a FIFO with the name of a lock file does not block")
{
    const TemporaryFolder folder;
    REQUIRE(mkfifo((folder / ".a.bscope-lock").c_str(), 0600) == 0);
    REQUIRE(mkfifo((folder / ".b.bscope-lock").c_str(), 0600) == 0);
    CHECK(saveFile(folder / "a", "x", kRefuse));
    CHECK(textOf(folder / "a") == "x");
    CHECK(folder.files() == 1);
}

TEST_CASE("a symbolic link is kept, and its target is replaced")
{
    const TemporaryFolder folder;
    put(folder / "real.csv", "old");
    fs::create_symlink(folder / "real.csv", folder / "link.csv");
    REQUIRE(saveFile(folder / "link.csv", "new", kReplace));
    CHECK(fs::is_symlink(folder / "link.csv"));
    CHECK(textOf(folder / "real.csv") == "new");
}

TEST_CASE("on a full disk the old content is kept and the error has the reason")
{
    const TemporaryFolder folder;
    const int status = statusOf([&] {
        if (unshare(CLONE_NEWNS) != 0
            || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
            || mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0)
            return 99;
        const fs::path file = folder / "s.csv";
        if (!saveFile(file, "precious", kRefuse))
            return 1;
        put(folder / "rest", std::string(1 << 20, 'x')); // fills the disk
        for (const std::size_t size : {100U, 5000U, 100'000U}) {
            const auto done = saveFile(file, std::string(size, 'y'), kReplace);
            if (done || done.error().message.find("No space left") == std::string::npos)
                return 2;
            if (textOf(file) != "precious" || folder.files() != 2)
                return 3;
        }
        return 0;
    });
    if (status == 99)
        WARN("SKIPPED: a small disk can only be mounted by root");
    else
        CHECK(status == 0);
}

TEST_CASE("a file that is being written cannot be written by others, even with --force")
{
    const TemporaryFolder folder;
    const fs::path file = folder / "run.sqlite";
    {
        auto first = NewFile::beside(file, kRefuse);
        REQUIRE(first);
        put(first->path(), "first");
        CHECK(refusal(saveFile(file, "second", kReplace)).find("another process is writing it")
              != std::string::npos);
        REQUIRE(first->publish());
        CHECK(refusal(saveFile(file, "third", kReplace)).find("another process is writing it")
              != std::string::npos);
        CHECK(textOf(file) == "first");
        CHECK(isBeingWritten(file));
    }
    CHECK_FALSE(isBeingWritten(file));
    CHECK(folder.files() == 1);
    CHECK(saveFile(file, "fourth", kReplace));
}

TEST_CASE("names are reserved: simultaneous processes get one each")
{
    const TemporaryFolder folder;
    const auto name = [&](int i) { return folder / ("run-" + std::to_string(i)); };
    std::vector<pid_t> children;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            auto file = NewFile::firstFree(name);
            if (file)
                put(file->path(), "x");
            _exit(file && file->publish() ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 1;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    std::set<fs::path> expected, found;
    for (int i = 1; i <= 20; ++i)
        expected.insert(name(i));
    for (const auto& entry : fs::directory_iterator(folder.path()))
        if (!entry.path().filename().string().starts_with('.')) // _exit() leaves lock files
            found.insert(entry.path());
    CHECK(found == expected);
}

TEST_CASE("a reserved name is not chosen again, and can be written meanwhile")
{
    const TemporaryFolder folder;
    const auto name = [&](int i) { return folder / ("run-" + std::to_string(i)); };
    {
        const auto reserved = ReservedName::firstFree(name);
        REQUIRE(reserved);
        CHECK(reserved->path() == name(1));
        CHECK(ReservedName::firstFree(name)->path() == name(2));
        CHECK(NewFile::firstFree(name)->target() == name(2));
        const auto written = NewFile::firstFree(name);
        CHECK(ReservedName::firstFree(name)->path() == name(3));
        CHECK(saveFile(name(1), "by the worker", IfExists::Refuse));
    }
    CHECK(ReservedName::firstFree(name)->path() == name(2));
    CHECK(folder.files() == 1);
    CHECK_FALSE(ReservedName::firstFree([&](int) { return folder / "none" / "run"; }));
}

TEST_CASE("temporary files of a killed process are removed by the next writer in the folder")
{
    const TemporaryFolder folder;
    CHECK(statusOf([&] {
              auto file = NewFile::beside(folder / "big", kRefuse);
              put(file->path(), "half of it");
              put(companion(file->path(), "-journal"), "j");
              return kill(getpid(), SIGKILL);
          })
          == -SIGKILL);
    CHECK(folder.files() == 3);
    REQUIRE(saveFile(folder / "other", "x", kRefuse));
    CHECK(folder.files() == 1);
}

TEST_CASE("unfinished files can be deleted in a signal handler")
{
    const TemporaryFolder folder;
    CHECK(statusOf([&] {
              auto file = NewFile::beside(folder / "big", kRefuse);
              put(file->path(), "half of it");
              signal(SIGTERM, [](int) {
                  removeHiddenFiles();
                  _exit(7);
              });
              raise(SIGTERM);
              return 0;
          })
          == 7);
    CHECK(folder.files() == 0);
}

TEST_CASE("a refused rename loses nothing of the file that it would have replaced")
{
    const TemporaryFolder folder;
    const fs::path file = folder / "run.sqlite";
    auto late = NewFile::beside(file, kRefuse);
    REQUIRE(late);
    put(late->path(), "late");
    put(file, "early"); // by a program without locks
    put(companion(file, "-wal"), "its rows");
    CHECK_FALSE(late->publish());
    CHECK(textOf(file) == "early");
    CHECK(textOf(companion(file, "-wal")) == "its rows");
}

TEST_CASE("messages name the target of a hidden file")
{
    const TemporaryFolder folder;
    const NewFile file = NewFile::beside(folder / "run.sqlite", kRefuse).value();
    CHECK(targetOf(file.path()) == folder / "run.sqlite");
    CHECK(targetOf(folder / ".bscope-part") == folder / ".bscope-part");
    CHECK(targetOf("run.sqlite") == "run.sqlite");
}
