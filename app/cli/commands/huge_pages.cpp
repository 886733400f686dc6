#include "app/cli/commands/huge_pages.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace cli {

void restartWithHugePages()
{
    constexpr const char* kTunables = "GLIBC_TUNABLES";
    if (std::getenv(kTunables) != nullptr)
        return;
    std::vector<std::string> words;
    std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(arguments, word, '\0');)
        words.push_back(word);
    if (words.empty())
        return;
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    setenv(kTunables, "glibc.malloc.hugetlb=1", 1);
    execv("/proc/self/exe", pointers.data());
    unsetenv(kTunables); // exec failed, so the program continues without huge pages
}

} // namespace cli
