#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/formats/assemble.h"
#include "engine/schedule/formats/lines.h"
#include "engine/schedule/formats/torch_csv.h"
#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {
namespace {

constexpr std::string_view kOverlap = "OVERLAP_F_B";

auto badAction(int line, std::string_view cell, std::string_view why)
{
    return fail(Error::Code::Corrupt, fmt::format("line {}: '{}' {}", line, excerpt(cell), why));
}

// Whether the cell is an FSDP action. FSDP actions are skipped, because they do not affect the
// order of ops.
bool isSharding(std::string_view cell)
{
    const std::size_t digits = cell.find_first_not_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos)
        return false;
    const std::string_view kind = cell.substr(digits);
    return kind == "UNSHARD" || kind == "RESHARD";
}

Result<Op> torchOp(std::string_view cell, int line)
{
    constexpr std::string_view kReduce = "REDUCE_GRAD";
    const bool reduces = cell.ends_with(kReduce);
    const auto op
        = parseOp(reduces ? fmt::format("{}ALLREDUCE", cell.substr(0, cell.size() - kReduce.size()))
                          : std::string(cell.substr(0, 64)));
    const bool known = op && op->replica == 0 && op->slice == Op::kWhole
        && (reduces || (op->kind <= OpKind::RecvGradient)) && op->stage.value <= kLargestNumber
        && op->microBatch.value <= kLargestNumber;
    if (known)
        return *op;
    return badAction(line, cell,
                     "is not a PyTorch action; write stage, kind and micro-batch, as in 2F0, 1B3, "
                     "0I1, 0W1, 1RECV_F0 or (0F4;1B2)OVERLAP_F_B");
}

Result<void> appendOverlap(std::string_view cell, int line, std::vector<Op>& ops)
{
    const std::size_t close = cell.find(')');
    if (close == std::string_view::npos || cell.substr(close + 1) != kOverlap)
        return badAction(line, cell, "must be actions in parentheses followed by OVERLAP_F_B");
    std::string_view inner = cell.substr(1, close - 1);
    std::vector<Op> group;
    while (!inner.empty()) {
        const auto op = TRY(torchOp(trimmed(Lines::take(inner, ';')), line));
        group.push_back(op);
    }
    if (group.size() != 2 || group[0].kind != OpKind::Forward || !isBackward(group[1].kind))
        return badAction(line, cell, "must overlap one forward and one backward");
    group[0].flags = OpFlag::JointWithNext;
    ops.insert(ops.end(), group.begin(), group.end());
    return {};
}

Result<std::vector<Op>> torchOps(std::string_view text, int line)
{
    std::vector<Op> ops;
    while (!text.empty()) {
        const std::string_view cell = trimmed(Lines::take(text, ','));
        if (cell.empty() || isSharding(cell)) // an empty cell is an idle step
            continue;
        if (cell.starts_with('(')) {
            TRY(appendOverlap(cell, line, ops));
            continue;
        }
        const auto op = TRY(torchOp(cell, line));
        ops.push_back(op);
    }
    return ops;
}

} // namespace

Result<Schedule> readTorch(std::string_view text, std::string_view scheme)
{
    Programs programs;
    std::size_t used = 0; // trailing empty lines are not devices
    Lines lines(text);
    while (const auto line = lines.next()) {
        if (programs.size() > kLargestDevice)
            return fail(Error::Code::Corrupt,
                        fmt::format("more than {} lines: each line is a device, and a schedule "
                                    "cannot have more devices",
                                    kLargestDevice + 1));
        auto ops = TRY(torchOps(*line, lines.number()));
        programs.push_back(std::move(ops));
        used = programs.back().empty() ? used : programs.size();
    }
    programs.resize(used);
    if (programs.empty())
        return fail(Error::Code::Corrupt, "the file has no actions");
    const auto shape = TRY(shapeOf(programs));
    return assemble(shape, std::move(programs), scheme);
}

} // namespace engine
