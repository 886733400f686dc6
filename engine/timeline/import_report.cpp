#include "engine/timeline/import_report.h"

namespace engine {

double ImportReport::classified() const
{
    std::int64_t matched = 0;
    for (const Rule& rule : rules)
        matched += rule.time;
    return time > 0 ? static_cast<double>(matched) / static_cast<double>(time) : 0;
}

} // namespace engine
