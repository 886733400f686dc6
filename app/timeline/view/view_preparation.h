#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"

#include <QObject>

#include <vector>

namespace app {

// Prepares runs for painting (RunView). Small runs are ready before ask() returns; others are
// prepared in the thread pool. Delivers only the result of the newest request. Reuses the views of
// the previous result. GUI thread only.
class ViewPreparation : public QObject
{
    Q_OBJECT

public:
    // Runs up to this size are prepared before ask() returns. This takes about 8 ms; ten million
    // spans take 0.8 s.
    static constexpr std::size_t kInstantSpans = 100'000;

    explicit ViewPreparation(QObject* parent = nullptr);

    void ask(std::vector<RunPointer> runs); // no pointer may be null
    bool isBusy() const { return m_preparing.isBusy(); }

Q_SIGNALS:
    void ready(const std::vector<app::RunViewPointer>& views); // in the order of the runs

private:
    using Views = std::vector<RunViewPointer>;
    Views m_last;
    Latest<std::pair<std::vector<RunPointer>, Views>, Views> m_preparing; // runs and views to reuse
};

} // namespace app
