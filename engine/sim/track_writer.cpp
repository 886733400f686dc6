#include "engine/sim/track_writer.h"

#include <algorithm>
#include <tuple>

namespace engine::sim {
namespace {

auto rowOf(const Track& track)
{
    return std::pair(track.device, track.kind);
}

bool isBefore(const Span& a, const Span& b)
{
    return std::tie(a.begin, a.end, a.op) < std::tie(b.begin, b.end, b.op);
}

} // namespace

TrackWriter::TrackWriter(const Schedule& lowered, std::uint32_t iteration, Timeline& timeline)
    : m_timeline(timeline)
    , m_iteration(iteration)
{
    findTracks(lowered);
    for (const Track& track : m_timeline.tracks)
        m_before.push_back(track.spans.size());
}

TrackWriter::~TrackWriter()
{
    if (m_committed)
        return;
    for (std::size_t i = 0; i < m_before.size(); ++i)
        m_timeline.tracks[i].spans.resize(m_before[i]);
}

void TrackWriter::commit()
{
    for (std::size_t i = 0; i < m_before.size(); ++i) {
        std::vector<Span>& spans = m_timeline.tracks[i].spans;
        const auto first = std::next(spans.begin(), m_before[i]);
        if (m_timeline.tracks[i].kind != Track::Kind::Compute
            && !std::is_sorted(first, spans.end(), isBefore))
            std::sort(first, spans.end(), isBefore);
    }
    m_committed = true;
}

IdVector<DeviceId, std::vector<Window>> TrackWriter::allReduceWindows(std::size_t devices) const
{
    IdVector<DeviceId, std::vector<Window>> windows(devices);
    for (std::size_t i = 0; i < m_before.size(); ++i) {
        const Track& track = m_timeline.tracks[i];
        if (track.kind != Track::Kind::AllReduce)
            continue;
        auto& ofDevice = windows[track.device];
        for (std::size_t s = m_before[i]; s < track.spans.size(); ++s) {
            const Window window = track.spans[s].window(); // sorted by begin
            if (!ofDevice.empty() && window.begin <= ofDevice.back().end)
                ofDevice.back().end = std::max(ofDevice.back().end, window.end);
            else if (window.duration() > 0)
                ofDevice.push_back(window);
        }
    }
    return windows;
}

// A device has a compute track, and a track for every other kind of op in its program.
void TrackWriter::findTracks(const Schedule& lowered)
{
    const std::size_t devices = lowered.program.size();
    IdVector<DeviceId, OfTracks> counts(devices);
    m_timeline.tracks.reserve(devices * (kLaneKinds - 1)); // few schedules have copy tracks
    for (const DeviceId d : counts.ids()) {
        for (const Op& op : lowered.program[d])
            ++counts[d][laneOf(op.kind)];
        for (const Track::Kind kind : OfTracks::enumerators())
            if (counts[d][kind] > 0 || kind == Track::Kind::Compute)
                ensureTrack(d, kind);
    }
    m_tracks.resize(devices);
    for (std::size_t i = 0; i < m_timeline.tracks.size(); ++i) {
        Track& track = m_timeline.tracks[i];
        if (!m_tracks.has(track.device))
            continue;
        m_tracks[track.device][track.kind] = i;
        if (track.spans.empty())
            track.spans.reserve(counts[track.device][track.kind]);
    }
}

void TrackWriter::ensureTrack(DeviceId device, Track::Kind kind)
{
    auto& tracks = m_timeline.tracks;
    const auto place = std::ranges::lower_bound(tracks, std::pair(device, kind), {}, rowOf);
    if (place == tracks.end() || rowOf(*place) != std::pair(device, kind))
        tracks.insert(place, Track{device, kind, {}});
}

} // namespace engine::sim
