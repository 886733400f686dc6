#include "app/cluster/kit_writer.h"

#include "app/ui/text.h"

#include <utility>

namespace app {

KitWriter::KitWriter(QObject* parent)
    : QObject(parent)
{
    constexpr int kReport = 100; // ms
    m_clock.setInterval(kReport);
    connect(&m_clock, &QTimer::timeout, this, [this] { Q_EMIT progressed(m_state->share); });
}

KitWriter::~KitWriter()
{
    cancel();
}

void KitWriter::cancel()
{
    if (m_state != nullptr)
        m_state->isCancelled = true;
}

void KitWriter::write(std::shared_ptr<const engine::TrainingKit> kit, const QString& folder,
                      engine::IfExists ifExists)
{
    if (isWriting())
        return;
    m_state = std::make_shared<State>();
    m_clock.start();
    const auto job = [kit = std::move(kit), folder, ifExists, state = m_state] {
        const auto progress = [&state](std::size_t done, std::size_t all) {
            state->share = static_cast<double>(done) / static_cast<double>(all);
            return !state->isCancelled;
        };
        return engine::writeKit(*kit, folder.toStdString(), ifExists, progress);
    };
    m_background.run(job, [this, folder](const engine::Result<void>& done) {
        m_clock.stop();
        m_state.reset();
        if (done)
            Q_EMIT written(folder);
        else
            Q_EMIT failed(fromUtf8(done.error().message));
    });
}

} // namespace app
