#include "app/timeline/details/details_parts.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <map>
#include <set>

namespace app {
namespace {

struct HitDurations
{
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0; // in ticks

    void add(std::int64_t ticks)
    {
        shortest = count == 0 ? ticks : std::min(shortest, ticks);
        longest = std::max(longest, ticks);
        total += ticks;
        ++count;
    }
};
using HitGroups = std::vector<std::pair<QString, HitDurations>>;

// Sums up the hits by group. `group` returns the number of a hit's group; `name` returns the name
// of the group with a number.
template<class Group, class Name>
HitGroups groupHits(std::span<const Selection> hits, Group group, Name name)
{
    std::map<int, HitDurations> groups;
    for (const Selection& hit : hits)
        groups[static_cast<int>(group(hit))].add(hit.window.duration());
    HitGroups named;
    for (const auto& [key, durations] : groups)
        named.emplace_back(name(key), durations);
    return named;
}

HitGroups hitsByKind(std::span<const Selection> hits, const RunView& view,
                     const KernelView* kernels)
{
    using profiler::KernelKind;
    if (hits.front().kind == Selection::Kind::Op)
        return groupHits(
            hits, [&](const Selection& hit) { return view.op(hit.op).kind; },
            [](int kind) {
                return fromUtf8(engine::kindShortName(static_cast<engine::OpKind>(kind)));
            });
    return groupHits(
        hits,
        [&](const Selection& hit) {
            return kernels ? kernels->kindOf(hit.work) : KernelKind::Other;
        },
        [](int kind) { return fromUtf8(kernelKindName(static_cast<KernelKind>(kind))); });
}

DetailsSection hitsSection(const QString& title, const HitGroups& groups, const Scale& time)
{
    DetailsSection section(title, time.unit());
    section.table.columns = {tr("hits"), tr("total"), tr("mean"), tr("min"), tr("max")};
    const auto text = [&time](std::int64_t ticks, std::int64_t of = 1) {
        return DetailsTable::Cell{time.text(static_cast<double>(ticks) / static_cast<double>(of))};
    };
    for (const auto& [name, durations] : groups)
        section.table.rows.push_back({name,
                                      {{number(durations.count)},
                                       text(durations.total),
                                       text(durations.total, durations.count),
                                       text(durations.shortest),
                                       text(durations.longest)}});
    return section;
}

} // namespace

Details hitsDetails(const RunView& view, const DetailsContext& context)
{
    constexpr std::size_t kMostDevices = 16;
    const std::vector<Selection>& hits = context.hits->hits();
    if (hits.empty() || view.isEmpty())
        return {};
    // The hits may be older than the kernels.
    const bool areKnown = context.kernels != nullptr
        && std::ranges::all_of(hits,
                               [all = context.kernels->activity().work().size()](
                                   const Selection& hit) { return hit.work < all; });
    const KernelView* kernels = areKnown ? context.kernels : nullptr;
    const auto [shortest, longest] = std::ranges::minmax_element(
        hits, {}, [](const Selection& hit) { return hit.window.duration(); });
    const DetailsClock clock = detailsClock(view, engine::reportedIteration(view.timeline()),
                                            shortest->window.duration());
    const HitGroups all = groupHits(
        hits, [](const Selection&) { return 0; }, [](int) { return tr("all"); });
    const HitGroups devices = groupHits(
        hits, [](const Selection& hit) { return hit.device.value; },
        [](int device) { return tr("device %1").arg(device); });
    std::set<int> iterations;
    for (const Selection& hit : hits)
        iterations.insert(hit.iteration);

    Details details;
    details.title = countOf(std::ssize(hits), "hit");
    sayLength(details, view, clock, all.front().second.total);
    details.left = tr("%1, %2").arg(countOf(std::ssize(iterations), "iteration"),
                                    countOf(std::ssize(devices), "device"));
    details.right = tr("total duration");
    if (context.hits->isCut())
        details.sentence = tr("There are more hits. These sums are of the first ones only.");
    HitGroups kinds = hitsByKind(hits, view, kernels);
    if (kinds.size() > 1)
        kinds.insert(kinds.begin(), all.front());
    details.add(hitsSection(tr("Durations by kind"), kinds, clock.scale));
    if (devices.size() > 1 && devices.size() <= kMostDevices)
        details.add(hitsSection(tr("Durations by device"), devices, clock.scale));
    DetailsSection ends(tr("Shortest and longest"), clock.scale.unit());
    for (const Selection& hit : {*shortest, *longest})
        ends.links.push_back(linkTo(view, kernels, hit, clock.scale));
    details.add(std::move(ends));
    return details;
}

} // namespace app
