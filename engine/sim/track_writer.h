#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <array>
#include <span>
#include <vector>

namespace engine::sim {

// Appends the spans of one iteration to the tracks of a timeline, creating missing tracks. The
// destructor removes the appended spans, but not the tracks, unless commit() was called.
class TrackWriter
{
public:
    TrackWriter(const Schedule& lowered, std::uint32_t iteration, Timeline& timeline);
    ~TrackWriter();
    TrackWriter(const TrackWriter&) = delete;
    TrackWriter& operator=(const TrackWriter&) = delete;

    void add(DeviceId device, Track::Kind kind, std::uint32_t op, Window window)
    {
        m_timeline.tracks[m_tracks[device][kind]].spans.push_back(
            {window.begin, window.end, op, m_iteration});
    }
    // Called by the placer. The ops of a group have consecutive numbers, beginning with `first`.
    void computed(DeviceId device, std::uint32_t first, std::span<const Op> group, Window window)
    {
        for (std::uint32_t i = 0; i < group.size(); ++i)
            add(device, Track::Kind::Compute, first + i, window);
    }
    void sent(DeviceId device, std::uint32_t op, Window window)
    {
        add(device, Track::Kind::Send, op, window);
    }
    void received(DeviceId device, std::uint32_t op, Window window)
    {
        add(device, Track::Kind::Receive, op, window);
    }
    void copiedLocally(DeviceId) { }
    void reduced(DeviceId device, std::uint32_t op, Window window)
    {
        add(device, Track::Kind::AllReduce, op, window);
    }
    void copied(DeviceId device, std::uint32_t op, const Op&, Window window)
    {
        add(device, Track::Kind::Copy, op, window);
    }
    void commit();
    // [device] The union of the windows of the device's all-reduces in this iteration.
    IdVector<DeviceId, std::vector<Window>> allReduceWindows(std::size_t devices) const;

private:
    using OfTracks = EnumArray<Track::Kind, std::size_t, kLaneKinds>;
    void findTracks(const Schedule& lowered);
    void ensureTrack(DeviceId device, Track::Kind kind);

    Timeline& m_timeline;
    std::uint32_t m_iteration = 0;
    IdVector<DeviceId, OfTracks> m_tracks; // indices into timeline.tracks
    std::vector<std::size_t> m_before;     // [track] number of spans before this iteration
    bool m_committed = false;
};

} // namespace engine::sim
