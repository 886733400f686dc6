#pragma once

#include "tests/catch.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// The real program, run as a person would: its exit status and what it printed where.
namespace cli_test {

namespace fs = std::filesystem;

inline std::string readText(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void writeText(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

using Folder = tests::TemporaryFolder; // programs are run in it

// The environment of the programs started while it lives.
class Environment
{
public:
    explicit Environment(std::vector<std::pair<const char*, std::string>> values)
        : m_values(std::move(values))
    {
        for (const auto& [name, value] : m_values)
            setenv(name, value.c_str(), 1);
    }
    ~Environment()
    {
        for (const auto& [name, value] : m_values)
            unsetenv(name);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    std::vector<std::pair<const char*, std::string>> m_values;
};

struct Printed
{
    int status = 0; // of exit; -signal when one ended it
    std::string out, err;
    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// Starts `bscope ARGUMENTS` in `folder`; its output goes to the files out and err there.
class Process
{
public:
    Process(const Folder& folder, const std::vector<std::string>& arguments)
        : m_folder(folder)
    {
        m_id = fork();
        if (m_id == 0)
            become(folder, arguments);
    }
    ~Process()
    {
        if (m_id > 0 && !m_waited) {
            kill(m_id, SIGKILL);
            waitpid(m_id, nullptr, 0);
        }
    }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const { return m_id; }
    bool isRunning() const
    {
        siginfo_t ended{};
        waitid(P_PID, static_cast<id_t>(m_id), &ended, WEXITED | WNOHANG | WNOWAIT);
        return ended.si_pid == 0;
    }
    std::string errorSoFar() const { return readText(m_folder / "err"); }

    Printed wait()
    {
        int status = 0;
        waitpid(m_id, &status, 0);
        m_waited = true;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return {code, readText(m_folder / "out"), readText(m_folder / "err")};
    }

private:
    [[noreturn]] static void become(const Folder& folder, const std::vector<std::string>& arguments)
    {
        const auto redirect = [&](const char* name, int to) {
            const int file
                = open((folder / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
            dup2(file, to);
        };
        redirect("out", STDOUT_FILENO);
        redirect("err", STDERR_FILENO);
        setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
        std::vector<char*> words{const_cast<char*>("bscope")};
        for (const std::string& argument : arguments)
            words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
        if (chdir(folder.path().c_str()) == 0)
            execv(tests::buildPath("bin/bscope").c_str(), words.data());
        _exit(127);
    }

    const Folder& m_folder;
    pid_t m_id = -1;
    bool m_waited = false;
};

inline Printed bscope(const Folder& folder, const std::vector<std::string>& arguments)
{
    return Process(folder, arguments).wait();
}

inline std::vector<std::string> words(const std::string& line)
{
    std::istringstream stream(line);
    return {std::istream_iterator<std::string>(stream), {}};
}

// `bscope("simulate -N 4")`, for what needs no quotes.
inline Printed bscope(const Folder& folder, const std::string& line)
{
    return bscope(folder, words(line));
}

inline std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        all.push_back(line);
    return all;
}

inline bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

template<class Fact>
bool becomesTrue(const Fact& fact)
{
    for (int i = 0; i < 3000; ++i) {
        if (fact())
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

} // namespace cli_test
