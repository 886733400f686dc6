#include "engine/base/id_vector.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace engine {
namespace {

// The columns of a schedule file (schedule-files.md).
enum class CsvColumn {
    Device,
    Index,
    Op,
    Stage,
    Chunk,
    MicroBatch,
    Replica,
    Slice,
    Joint,
    Version
};

constexpr std::array<std::string_view, 10> kCsvColumns{"device", "index",      "op",      "stage",
                                                       "chunk",  "microbatch", "replica", "slice",
                                                       "joint",  "version"};
constexpr std::string_view kCsvHeader
    = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version";

// One row of a schedule file.
struct CsvRow
{
    int line = 0; // counted from 1, which is the header
    DeviceId device;
    int index = 0, chunk = 0;
    bool hasVersion = false;
    Op op;
};

using Fields = EnumArray<CsvColumn, std::string_view, kCsvColumns.size()>;

// At most one field more than there are columns, for the error message.
std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> fields;
    while (true) {
        if (fields.size() > kCsvColumns.size())
            return fields;
        const std::size_t comma = text.find(',');
        fields.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos)
            return fields;
        text.remove_prefix(comma + 1);
    }
}

// Reads the fields of one row; keeps the first error.
class FieldReader
{
public:
    FieldReader(const Fields& fields, int line)
        : m_fields(fields)
        , m_line(line)
    { }

    int number(CsvColumn column, int largest)
    {
        const std::string_view text = field(column);
        const auto value = parseInteger<int>(text);
        if (!value || text.front() == '-' || (text.size() > 1 && text.front() == '0'))
            refuse(column, "must be a whole number, at least 0");
        else if (*value > largest)
            refuse(column, fmt::format("must be at most {}", largest));
        else
            return *value;
        return 0;
    }
    int numberOr(int missing, CsvColumn column, int largest)
    {
        return field(column).empty() ? missing : number(column, largest);
    }
    void mustBeEmpty(CsvColumn column, OpKind kind)
    {
        if (!field(column).empty())
            refuse(column, fmt::format("must be empty for {}", kindShortName(kind)));
    }
    // assemble() sets the peers of other ops than EVH and LDH.
    void readKind(Op& op)
    {
        std::string_view text = field(CsvColumn::Op);
        const bool isOfHost = text == "EVH" || text == "LDH";
        if (isOfHost)
            text.remove_suffix(1);
        if (const auto kind = parseKindShortName(text))
            op.kind = *kind;
        else
            refuse(CsvColumn::Op, kind.error().message);
        if (isCopy(op.kind) && !isOfHost)
            op.peer = 0;
    }
    void refuse(CsvColumn column, std::string_view why)
    {
        if (m_error.empty())
            m_error = fmt::format("line {}, column {}: '{}': {}", m_line,
                                  kCsvColumns[static_cast<std::size_t>(column)],
                                  excerpt(field(column)), why);
    }
    bool isEmpty(CsvColumn column) const { return field(column).empty(); }
    const std::string& error() const { return m_error; }

private:
    std::string_view field(CsvColumn column) const { return m_fields[column]; }

    const Fields& m_fields;
    int m_line = 0;
    std::string m_error;
};

CsvRow readRow(FieldReader& reader, int line)
{
    CsvRow row;
    row.line = line;
    row.device = DeviceId{reader.number(CsvColumn::Device, kLargestDevice)};
    row.index = reader.number(CsvColumn::Index, kLargestNumber);
    reader.readKind(row.op);
    row.op.stage = StageId{reader.number(CsvColumn::Stage, kLargestNumber)};
    row.chunk = reader.number(CsvColumn::Chunk, kLargestNumber);
    if (!hasMicroBatch(row.op.kind)) {
        reader.mustBeEmpty(CsvColumn::MicroBatch, row.op.kind);
        reader.mustBeEmpty(CsvColumn::Slice, row.op.kind);
    } else {
        row.op.microBatch = MicroBatchId{reader.number(CsvColumn::MicroBatch, kLargestNumber)};
        row.op.slice = reader.numberOr(Op::kWhole, CsvColumn::Slice, Op::kWhole - 1);
    }
    row.op.replica = reader.number(CsvColumn::Replica, 1);
    if (reader.numberOr(0, CsvColumn::Joint, 1) == 1)
        row.op.flags = OpFlag::JointWithNext;
    row.hasVersion = !reader.isEmpty(CsvColumn::Version);
    row.op.version = reader.numberOr(0, CsvColumn::Version, 255);
    return row;
}

// Error messages name the line and the column.
Result<void> checkCsvHeader(std::string_view header)
{
    if (header == kCsvHeader)
        return {};
    const std::vector<std::string_view> columns = split(header);
    for (std::size_t i = 0; i < std::max(columns.size(), kCsvColumns.size()); ++i) {
        if (i >= kCsvColumns.size())
            return fail(Error::Code::Corrupt,
                        "line 1: unexpected column '{}' after '{}'; the header must be {}",
                        excerpt(columns[i]), kCsvColumns.back(), kCsvHeader);
        if (i >= columns.size())
            return fail(Error::Code::Corrupt,
                        "line 1: column '{}' is missing; the header must be {}", kCsvColumns[i],
                        kCsvHeader);
        if (columns[i] != kCsvColumns[i])
            return fail(Error::Code::Corrupt,
                        "line 1: column '{}' instead of '{}'; the header must be {}",
                        excerpt(columns[i]), kCsvColumns[i], kCsvHeader);
    }
    return {};
}

Result<CsvRow> parseCsvRow(std::string_view text, int line)
{
    const std::vector<std::string_view> columns = split(text);
    if (columns.size() > kCsvColumns.size())
        return fail(Error::Code::Corrupt,
                    "line {}: unexpected column '{}' after '{}'; a row has {} columns", line,
                    excerpt(columns[kCsvColumns.size()]), kCsvColumns.back(), kCsvColumns.size());
    if (columns.size() < kCsvColumns.size())
        return fail(Error::Code::Corrupt, "line {}: column '{}' is missing; a row has {} columns",
                    line, kCsvColumns[columns.size()], kCsvColumns.size());
    Fields fields;
    std::ranges::copy(columns, fields.begin());
    FieldReader reader(fields, line);
    const CsvRow row = readRow(reader, line);
    if (!reader.error().empty())
        return fail(Error::Code::Corrupt, reader.error());
    return row;
}

auto corruptAt(const CsvRow& row, std::string_view column, std::string_view why)
{
    return fail(Error::Code::Corrupt, "line {}, column {}: {}", row.line, column, why);
}

Result<std::vector<CsvRow>> parseRows(std::string_view text)
{
    Lines lines(text);
    TRY(checkCsvHeader(lines.next().value_or("")));
    std::vector<CsvRow> rows;
    while (const auto line = lines.next()) {
        auto row = TRY(parseCsvRow(*line, lines.number()));
        rows.push_back(row);
    }
    if (rows.empty())
        return fail(Error::Code::Corrupt, "the file has no ops, only a header");
    return rows;
}

Result<void> checkRowOrder(const std::vector<CsvRow>& rows)
{
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].device < rows[i - 1].device)
            return corruptAt(rows[i], "device", "rows must be sorted by device, then index");
        if (rows[i].device == rows[i - 1].device && rows[i].index <= rows[i - 1].index)
            return corruptAt(rows[i], "index",
                             fmt::format("{} follows {}; rows must be sorted by device, then index",
                                         rows[i].index, rows[i - 1].index));
    }
    return {};
}

Result<void> checkChunks(const Shape& shape, const std::vector<CsvRow>& rows)
{
    for (const CsvRow& row : rows)
        if (row.chunk != row.op.stage.value / shape.devices)
            return corruptAt(row, "chunk",
                             fmt::format("{} is wrong for stage {} on {} devices; it must be {}",
                                         row.chunk, row.op.stage.value, shape.devices,
                                         row.op.stage.value / shape.devices));
    return {};
}

// If forwards are whole but backwards are not, the slices are halves, which are independent.
// Otherwise they are sequence slices.
Result<void> markHalves(std::vector<CsvRow>& rows)
{
    const bool sequence = std::ranges::any_of(rows, [](const CsvRow& row) {
        return row.op.kind == OpKind::Forward && row.op.slice != Op::kWhole;
    });
    if (sequence)
        return {};
    for (CsvRow& row : rows) {
        const bool ofBackward = isBackward(row.op.kind) || row.op.kind == OpKind::Recompute;
        if (row.op.slice == Op::kWhole || !ofBackward)
            continue;
        if (row.op.flags == OpFlag::JointWithNext)
            return corruptAt(row, "joint", "a half of a micro-batch cannot be joint");
        row.op.flags = OpFlag::Half;
    }
    return {};
}

Programs programsOf(const std::vector<CsvRow>& rows)
{
    Programs programs(rows.back().device.value + 1);
    for (const CsvRow& row : rows)
        programs[row.device].push_back(row.op);
    return programs;
}

} // namespace

Result<Schedule> readCsv(std::string_view text, std::string_view scheme)
{
    auto rows = TRY(parseRows(text));
    TRY(checkRowOrder(rows));
    TRY(markHalves(rows));
    Programs programs = programsOf(rows);
    const auto shape = TRY(shapeOf(programs));
    TRY(checkChunks(shape, rows));
    Schedule schedule = assemble(shape, std::move(programs), scheme);
    if (std::ranges::any_of(rows, &CsvRow::hasVersion))
        schedule.shape.updateEvery = guessUpdateEvery(schedule);
    return schedule;
}

std::string writeCsv(const Schedule& schedule)
{
    std::string text(kCsvHeader);
    text += '\n';
    const bool versions = isAsynchronous(schedule);
    const auto out = std::back_inserter(text);
    for (const DeviceId d : schedule.program.ids())
        for (std::size_t i = 0; i < schedule.program[d].size(); ++i) {
            const Op& op = schedule.program[d][i];
            fmt::format_to(out, "{},{},{}{},{},{},", d.value, i, kindShortName(op.kind),
                           usesHost(op) ? "H" : "", op.stage.value,
                           op.stage.value / schedule.shape.devices);
            if (op.microBatch.isValid())
                fmt::format_to(out, "{}", op.microBatch.value);
            fmt::format_to(out, ",{},", op.replica);
            if (op.slice != Op::kWhole)
                fmt::format_to(out, "{}", op.slice);
            fmt::format_to(out, ",{},", op.flags == OpFlag::JointWithNext ? 1 : 0);
            if (versions && isCompute(op.kind)) // an OPT creates a version, other ops use one
                fmt::format_to(out, "{}", op.version);
            text += '\n';
        }
    return text;
}

} // namespace engine
