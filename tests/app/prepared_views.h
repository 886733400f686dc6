#pragma once

#include "app/timeline/view/run_view.h"

namespace sample {

inline std::vector<app::RunViewPointer>
views(const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    std::vector<app::RunViewPointer> all;
    for (const auto& run : runs)
        all.push_back(std::make_shared<const app::RunView>(run));
    return all;
}

} // namespace sample
