#include "engine/timeline/import_report.h"

#include <algorithm>

namespace engine {

const ImportReport::Rank* ImportReport::rankOf(int device) const
{
    const auto found = std::ranges::find(ranks, std::optional(device), &Rank::device);
    return found == ranks.end() ? nullptr : &*found;
}

double ImportReport::classified() const
{
    std::int64_t matched = 0;
    for (const Rule& rule : rules)
        matched += rule.time;
    return time > 0 ? static_cast<double>(matched) / static_cast<double>(time) : 0;
}

} // namespace engine
