// A command that takes longer than two seconds says on a terminal what it does.
#include "app/cli/commands/long_task.h"
#include "tests/cli/bscope.h"

#include <pty.h>

using namespace cli_test;

namespace {

// A child process whose terminal the test reads.
class OnTerminal
{
public:
    template<class Body>
    explicit OnTerminal(Body body)
    {
        m_id = forkpty(&m_terminal, nullptr, nullptr, nullptr);
        if (m_id == 0) {
            body();
            _exit(0);
        }
    }
    ~OnTerminal()
    {
        kill(m_id, SIGKILL);
        waitpid(m_id, nullptr, 0);
        close(m_terminal);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    // Reads until `expected` has been printed; false if the process ends before.
    bool prints(const std::string& expected)
    {
        char bytes[256];
        while (!contains(m_text, expected)) {
            const ssize_t count = read(m_terminal, bytes, sizeof bytes);
            if (count <= 0)
                return false;
            m_text.append(bytes, static_cast<std::size_t>(count));
        }
        return true;
    }
    void pressReturn() const { CHECK(write(m_terminal, "\n", 1) == 1); }
    const std::string& text() const { return m_text; }

private:
    int m_terminal = -1;
    pid_t m_id = -1;
    std::string m_text;
};

} // namespace

TEST_CASE("a long task shows its step, its time and the time left, and removes the line")
{
    OnTerminal child([] {
        cli::LongTask task("building");
        task.next("simulating", 1000);
        char key = 0;
        (void)!read(STDIN_FILENO, &key, 1);
    });
    CHECK(child.prints("\r\033[Ksimulating: 2 s, about 998 s left"));
    child.pressReturn();
    CHECK_FALSE(child.prints("nothing more"));
    CHECK(child.text().ends_with("\r\033[K"));
}

TEST_CASE("a short task and one without a terminal show nothing")
{
    OnTerminal child([] { const cli::LongTask task("building"); });
    CHECK_FALSE(child.prints("building"));
    const Folder folder;
    CHECK(bscope(folder, "simulate -D 100 -N 1000").err.empty());
}

TEST_CASE("simulate of a large schedule shows its progress")
{
    OnTerminal child([] {
        execl(tests::buildPath("bin/bscope").c_str(), "bscope", "simulate", "-D", "1000", "-N",
              "40000", nullptr);
    });
    INFO(child.text());
    CHECK(child.prints(": 2 s")); // it builds the schedule, or simulates it on a fast machine
}
