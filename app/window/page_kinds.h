#pragma once

#include "app/shell/page.h"

#include <span>

namespace app {

std::span<const PageKind> pageKinds();
const PageKind* findPageKind(QStringView name); // nullptr: there is none

// BitPipe's published set-up on 32 A800 (arXiv 2410.19367), for pages about nodes that --page opens
// without a run.
RunPlan planOnNodes();

} // namespace app
