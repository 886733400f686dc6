#include "engine/schedule/formats/schedule_file.h"

#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/assemble.h"

#include <fmt/format.h>

#include <cctype>

namespace engine {
namespace {

// Skips lines of blanks and commas: if device 0 is always idle, its line has only these.
std::string_view firstLine(std::string_view text)
{
    Lines lines(text);
    while (const auto line = lines.next())
        if (line->find_first_not_of(" \t,") != std::string_view::npos)
            return *line;
    return {};
}

std::string_view firstWord(std::string_view line)
{
    const std::size_t begin = line.find_first_not_of(" \t,");
    const std::string_view rest = begin == std::string_view::npos ? "" : line.substr(begin);
    return rest.substr(0, rest.find_first_of(" \t,"));
}

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Removes the quotes of cells (RFC 4180). A cell with a comma, a line break or a quote stays as it
// is, because no schedule has one.
std::string withoutQuotes(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    bool begins = true; // whether a cell begins at `at`
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"' && begins) {
            const std::size_t end = text.find_first_of(",\"\r\n", at + 1);
            const std::size_t next = end == std::string_view::npos
                ? end
                : std::min(text.find_first_not_of(" \t", end + 1), text.size());
            if (end != std::string_view::npos && text[end] == '"'
                && (next == text.size() || std::string_view(",\r\n").find(text[next]) < 3)) {
                plain += text.substr(at + 1, end - at - 1);
                at = next - 1;
                begins = false;
                continue;
            }
        }
        plain += c;
        begins = c == ',' || c == '\n' || (begins && (c == ' ' || c == '\t'))
            || text.substr(0, at + 1) == "\xEF\xBB\xBF";
    }
    return plain;
}

} // namespace

Result<ScheduleFormat> scheduleFormat(std::string_view text)
{
    if (text.find('"') != std::string_view::npos)
        if (const std::string plain = withoutQuotes(text); plain.find('"') == std::string::npos)
            return scheduleFormat(plain);
    const std::string_view line = firstLine(text);
    const std::string_view word = firstWord(line);
    if (word.empty())
        return fail(Error::Code::Corrupt,
                    "the file is empty; write a schedule with bscope schedule -o FILE");
    if (text.starts_with("SQLite format 3"))
        return fail(Error::Code::Corrupt,
                    "is a recorded run or another SQLite file, not a schedule; write a schedule "
                    "with bscope schedule -o FILE");
    if (isDigit(word.front()) || word.front() == '(')
        return ScheduleFormat::Torch;
    const bool manyColumns = line.find(',') != std::string_view::npos;
    if (word == "device" || manyColumns)
        return ScheduleFormat::Csv;
    if (std::isalpha(static_cast<unsigned char>(word.front())) != 0 && isDigit(word.back()))
        return ScheduleFormat::Sail;
    return fail(Error::Code::Corrupt,
                "starts with '{}', which is not a schedule format; write a schedule "
                "with bscope schedule -o FILE",
                excerpt(line));
}

std::string_view formatTitle(ScheduleFormat format)
{
    switch (format) {
    case ScheduleFormat::Torch:
        return "PyTorch's schedule CSV";
    case ScheduleFormat::Sail:
        return "sail-sg's schedule text";
    case ScheduleFormat::Csv:
        break;
    }
    return "schedule CSV";
}

Result<Schedule> readScheduleText(std::string_view text, std::string_view scheme)
{
    if (text.find('"') != std::string_view::npos)
        if (const std::string plain = withoutQuotes(text); plain != text)
            return readScheduleText(plain, scheme);
    const auto format = TRY(scheduleFormat(text));
    switch (format) {
    case ScheduleFormat::Torch:
        return readTorch(text, scheme);
    case ScheduleFormat::Sail:
        return readSail(text, scheme);
    case ScheduleFormat::Csv:
        break;
    }
    return readCsv(text, scheme);
}

Result<Schedule> readScheduleFile(const std::string& path)
{
    const auto text = TRY(readFile(path));
    auto schedule = readScheduleText(text);
    if (!schedule)
        return fail(Error::Code::Corrupt, path + ": " + schedule.error().message);
    const auto violations = validate(*schedule);
    if (!violations.empty())
        return fail(Error::Code::Corrupt, "{}: {}{}", path, violations.front().message,
                    violations.size() == 1 ? ""
                                           : fmt::format("; bscope validate {} shows all {}", path,
                                                         violations.size()));
    return schedule;
}

} // namespace engine
