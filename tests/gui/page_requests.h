#pragma once

#include "app/shell/page.h"

// The pages that a page asks the window for.
struct PageRequests : std::vector<app::PageRequest>
{
    explicit PageRequests(const app::Page& page)
    {
        QObject::connect(&page, &app::Page::pageRequested, &page,
                         [this](const app::PageRequest& request) { push_back(request); });
    }
    // The files of all requests of this kind.
    QStringList files(const char* kind) const
    {
        QStringList all;
        for (const app::PageRequest& request : *this)
            if (QLatin1String(request.kind) == QLatin1String(kind))
                all += request.files;
        return all;
    }
};
