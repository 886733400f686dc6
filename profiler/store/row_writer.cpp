#include "profiler/store/row_writer.h"

#include "engine/base/try.h"
#include "profiler/store/info.h"
#include "profiler/store/metrics.h"

#include <algorithm>

namespace profiler {

using engine::invalid;
using engine::Result;

Result<RowWriter> RowWriter::prepare(Database& database, const engine::RunInfo& info,
                                     const engine::Schedule& schedule, std::int64_t process)
{
    auto nvtx = TRY(NvtxWriter::prepare(database, info, schedule.shape, process));
    RowWriter writer(database, schedule, std::move(nvtx), process);
    const auto prepare = [&database]<class Row>(Insert<Row>& insert) -> Result<void> {
        insert = TRY(Insert<Row>::into(database));
        return {};
    };
    Result<void> done;
    std::apply([&](auto&... inserts) { ((done = done ? prepare(inserts) : done), ...); },
               writer.m_inserts);
    TRY(done);
    return writer;
}

RowWriter::RowWriter(Database& database, engine::Schedule schedule, NvtxWriter nvtx,
                     std::int64_t process)
    : m_database(&database)
    , m_schedule(std::move(schedule))
    , m_index(m_schedule)
    , m_nvtx(std::move(nvtx))
    , m_gpu(database, process)
    , m_process(process)
{ }

Result<void> RowWriter::write(const Batch& batch)
{
    Result<void> written;
    m_ranges.clear();
    m_keepsRanges = !batch.gpu.launches.empty() || !batch.gpu.calls.empty();
    // Iterations and tracks come before the spans that refer to them.
    for (const auto& iteration : batch.iterations)
        written = written.and_then([&] { return writeIteration(iteration); });
    for (const auto& track : batch.spans)
        written = written.and_then([&] { return writeTrack(track); });
    for (const auto& event : batch.memory)
        written = written.and_then([&] { return writeMemory(event); });
    for (const auto& measured : batch.measured)
        written = written.and_then([&] { return writeMeasured(measured); });
    return written
        .and_then([&] {
            return writeMetrics(*m_database, [&](auto&& metric) {
                for (const Metric& each : batch.metrics)
                    metric({each.name, each.unit}, each.value);
            });
        })
        .and_then([&] { return writeArenas(*m_database, batch.arenas); })
        .and_then([&] { return moveToLaunches(batch.gpu); })
        .and_then(
            [&] { return m_gpu.write(batch.gpu, [this](const auto& of) { return threadOf(of); }); })
        .and_then([&] { return writeRanges(batch.gpu); });
}

// Moves the NVTX range of each op to the op's launch, if the launch was recorded. Call it after the
// spans of the batch are written.
Result<void> RowWriter::moveToLaunches(const engine::GpuTrace& gpu)
{
    bool ok = true;
    for (const engine::GpuOpLaunch& launch : gpu.launches)
        if (const auto range = m_ranges.find({launch.of.op, launch.of.iteration});
            range != m_ranges.end()) {
            const engine::DeviceId device = m_index.deviceOf(launch.of.op);
            range->second.thread = globalTid(m_process, device);
            ok = ok && m_nvtx.moveRange(range->second.id, device, launch.window);
        }
    return result(ok);
}

std::optional<std::int64_t> RowWriter::threadOf(const engine::OpOfIteration& of) const
{
    if (const auto range = m_ranges.find({of.op, of.iteration}); range != m_ranges.end())
        return range->second.thread;
    return of.op < m_index.count() ? std::optional(globalTid(m_process, m_index.deviceOf(of.op)))
                                   : std::nullopt;
}

Result<void> RowWriter::writeRanges(const engine::GpuTrace& gpu)
{
    bool ok = true;
    for (const engine::GpuRange& range : gpu.ranges)
        ok = ok && m_nvtx.writeRange(*m_database, ++m_lastRow, range, gpu.strings);
    return result(ok);
}

Result<void> RowWriter::writeIteration(const engine::Iteration& iteration)
{
    const std::pair key(iteration.kind, iteration.number);
    const auto found = std::ranges::find(m_iterations, key);
    const std::uint32_t index = found - m_iterations.begin();
    if (found == m_iterations.end())
        m_iterations.push_back(key);
    bool ok = insert(IterationRow{++m_lastRow, index, iteration});
    std::uint32_t microBatch = 0;
    for (const float loss : iteration.microBatchLoss)
        ok = ok && insert(LossRow{++m_lastRow, index, microBatch++, static_cast<double>(loss)});
    return result(ok);
}

Result<void> RowWriter::writeTrack(const Batch::TrackSpans& track)
{
    if (!track.device.isValid() || track.device.value >= m_schedule.shape.devices)
        return invalid("a track belongs to device {}, which the schedule does not have",
                       track.device.value);
    const auto [known, isNew] = m_tracks.try_emplace({track.device, track.kind}, m_lastRow + 1);
    if (isNew && !insert(TrackRow{++m_lastRow, track.device, track.kind}))
        return tl::unexpected(m_database->error());
    for (const engine::Span& span : track.spans)
        TRY(writeSpan(span, track.device, known->second));
    return {};
}

Result<void> RowWriter::writeSpan(const engine::Span& span, engine::DeviceId device,
                                  std::int64_t track)
{
    TRY(checkTarget(span.op, span.iteration));
    const std::int64_t id = ++m_lastRow;
    bool ok = insert(SpanRow{id, track, span});
    // Spans of the Replay get no NVTX range, because they were computed and not executed.
    if (m_iterations[span.iteration].first != engine::Iteration::Kind::Replay)
        ok = ok && m_nvtx.write(id, opAt(m_schedule, m_index, span.op), device, span);
    if (m_keepsRanges)
        m_ranges[{span.op, span.iteration}] = {id, m_nvtx.lastThread()};
    return result(ok);
}

Result<void> RowWriter::writeMemory(const engine::MemoryEvent& event)
{
    const bool hasOp = event.op != engine::MemoryEvent::kNoOp;
    if ((hasOp && event.op >= m_index.count()) || event.device >= m_schedule.shape.devices)
        return invalid(
            "a memory event belongs to op {} on device {}, which the schedule does not have",
            event.op, event.device);
    return result(insert(MemoryRow{++m_lastRow, event, static_cast<std::uint8_t>(event.category)}));
}

Result<void> RowWriter::writeMeasured(const engine::OpTiming& measured)
{
    TRY(checkTarget(measured.op, measured.iteration));
    return result(insert(OpRow{++m_lastRow, measured}));
}

Result<void> RowWriter::checkTarget(std::uint32_t op, std::uint32_t iteration) const
{
    if (op < m_index.count() && iteration < m_iterations.size())
        return {};
    return invalid("a span is of op {} in iteration {}: there are {} ops and {} "
                   "iterations so far",
                   op, iteration, m_index.count(), m_iterations.size());
}

Result<void> RowWriter::result(bool ok) const
{
    if (!ok)
        return tl::unexpected(m_database->error());
    return {};
}

} // namespace profiler
