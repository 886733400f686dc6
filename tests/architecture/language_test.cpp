#include "tests/support/source_tree.h"

#include <cctype>

using namespace tests;

// CONTRIBUTING.md, "Comments": words that earlier versions used in a private sense do not come
// back.
namespace {

using Complaints = std::vector<std::string>;

// Each with the word to use instead. In lower case; identifiers are split into their words.
struct Banned
{
    std::string words;
    std::string instead;
};

const std::vector<Banned>& banned()
{
    static const std::vector<Banned> kAll{
        {"seat", "executor device"},
        {"seats", "executor devices"},
        {"told", "reported"},
        {"tells", "reports"},
        {"played", "emulated"},
        {"plays", "emulates"},
        {"whoever", "the caller"},
        {"somebody", "the user"},
        {"nobody", "no one, or the passive"},
        {"wish", "request"},
        {"wishes", "requests"},
        {"is wanted", "is requested"},
        {"what carries", "transport"},
        {"who has", "by owner"},
        {"hinder", "interfere"},
        {"hinders", "interferes"},
        {"headline", "the time of the run"},
        {"tied ends", "tied embeddings"},
        {"in turn", "alternating, sequentially"},
        {"for ever", "forever"},
        {"closed form says", "matches the closed form"},
        {"carrier", "transport"},
        {"memory room", "memory space"},
        {"stash room", "stash capacity"},
        {"side lane", "side thread"},
        {"gpu holder", "GPU memory owner"},
    };
    return kAll;
}

// Text in lower case with single blanks between words, and the line of every character. Case
// changes within identifiers end a word; signs and line ends do, too.
struct Words
{
    std::string text{" "};
    std::vector<int> lines{1};

    explicit Words(const std::string& source)
    {
        int line = 1;
        char before = ' ';
        for (const char c : source) {
            const auto code = static_cast<unsigned char>(c);
            if (std::isupper(code) != 0 && std::islower(static_cast<unsigned char>(before)) != 0)
                add(' ', line);
            add(std::isalpha(code) != 0 ? static_cast<char>(std::tolower(code)) : ' ', line);
            before = c;
            line += c == '\n' ? 1 : 0;
        }
        add(' ', line);
    }

private:
    void add(char c, int line)
    {
        if (c == ' ' && text.back() == ' ')
            return;
        text += c;
        lines.push_back(line);
    }
};

Complaints wordComplaints(const SourceFile& file)
{
    Complaints all;
    const Words words(file.text);
    for (const Banned& each : banned()) {
        const std::string wanted = ' ' + each.words + ' ';
        for (auto at = words.text.find(wanted); at != std::string::npos;
             at = words.text.find(wanted, at + 1))
            all.push_back(file.path + ':' + std::to_string(words.lines[at + 1]) + ": " + each.words
                          + "; write: " + each.instead);
    }
    return all;
}

Complaints wordComplaints(const std::string& text)
{
    return wordComplaints(SourceFile{"x.cpp", text});
}

} // namespace

TEST_CASE("sources and documents use the words of the glossary")
{
    std::vector<SourceFile> files = sourcesBelow({"app", "engine", "profiler", "resources"});
    for (const SourceFile& file : filesBelow({"packaging"}, {".sh", ".cmake", ".1", ".xml"}))
        files.push_back(file);
    for (const SourceFile& file : documents())
        files.push_back(file);
    Complaints complaints;
    for (const SourceFile& file : files)
        for (const std::string& complaint : wordComplaints(file))
            complaints.push_back(complaint);
    CHECK(complaints == Complaints{});
}

TEST_CASE("banned words are found in comments, strings and identifiers")
{
    CHECK(wordComplaints("// Told on the launching thread.").size() == 1);
    CHECK(wordComplaints("Device& seatOf(int d);").size() == 1);
    CHECK(wordComplaints("int played_gpus;").size() == 1);
    CHECK(wordComplaints("// memory, by who\n// has it")
          == Complaints{"x.cpp:1: who has; write: by owner"});
    CHECK(wordComplaints("int kSeatsPerRow; reseat(); toldish();").size() == 1);
    CHECK(wordComplaints("// A lane of the timeline, and a word of 64 bits.").empty());
}
