#include "engine/schedule/formats/csv_row.h"

#include "engine/base/id_vector.h"
#include "engine/base/text.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/csv_columns.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

using Fields = EnumArray<CsvColumn, std::string_view, kCsvColumns.size()>;

// Returns at most one field more than there are columns, for the error message.
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
    OpKind kind()
    {
        const auto kind = parseKindShortName(field(CsvColumn::Op));
        if (kind)
            return *kind;
        refuse(CsvColumn::Op, kind.error().message);
        return OpKind::Forward;
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
    row.op.kind = reader.kind();
    row.op.stage = StageId{reader.number(CsvColumn::Stage, kLargestNumber)};
    row.chunk = reader.number(CsvColumn::Chunk, kLargestNumber);
    if (row.op.kind == OpKind::AllReduce || row.op.kind == OpKind::OptimizerStep) {
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

} // namespace

Result<void> checkCsvHeader(std::string_view header)
{
    if (header == kCsvHeader)
        return {};
    const std::vector<std::string_view> columns = split(header);
    for (std::size_t i = 0; i < std::max(columns.size(), kCsvColumns.size()); ++i) {
        if (i >= kCsvColumns.size())
            return corruptCsv(
                fmt::format("line 1: unexpected column '{}' after '{}'; the header must be {}",
                            excerpt(columns[i]), kCsvColumns.back(), kCsvHeader));
        if (i >= columns.size())
            return corruptCsv(fmt::format("line 1: column '{}' is missing; the header must be {}",
                                          kCsvColumns[i], kCsvHeader));
        if (columns[i] != kCsvColumns[i])
            return corruptCsv(
                fmt::format("line 1: column '{}' instead of '{}'; the header must be {}",
                            excerpt(columns[i]), kCsvColumns[i], kCsvHeader));
    }
    return {};
}

Result<CsvRow> parseCsvRow(std::string_view text, int line)
{
    const std::vector<std::string_view> columns = split(text);
    if (columns.size() > kCsvColumns.size())
        return corruptCsv(fmt::format(
            "line {}: unexpected column '{}' after '{}'; a row has {} columns", line,
            excerpt(columns[kCsvColumns.size()]), kCsvColumns.back(), kCsvColumns.size()));
    if (columns.size() < kCsvColumns.size())
        return corruptCsv(fmt::format("line {}: column '{}' is missing; a row has {} columns", line,
                                      kCsvColumns[columns.size()], kCsvColumns.size()));
    Fields fields;
    std::ranges::copy(columns, fields.begin());
    FieldReader reader(fields, line);
    const CsvRow row = readRow(reader, line);
    if (!reader.error().empty())
        return corruptCsv(reader.error());
    return row;
}

} // namespace engine
