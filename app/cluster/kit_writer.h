#pragma once

#include "app/ui/background.h"
#include "engine/kit/training_kit.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <atomic>
#include <memory>

namespace app {

// Writes a kit in the thread pool, one at a time. GUI thread only; the destructor cancels without
// waiting.
class KitWriter : public QObject
{
    Q_OBJECT

public:
    explicit KitWriter(QObject* parent = nullptr);
    ~KitWriter() override;

    // Does nothing while a kit is being written.
    void write(std::shared_ptr<const engine::TrainingKit> kit, const QString& folder,
               engine::IfExists ifExists);
    void cancel();
    bool isWriting() const { return m_state != nullptr; }

Q_SIGNALS:
    void progressed(double share); // share of the bytes that were written
    void written(const QString& folder);
    void failed(const QString& reason); // also emitted after cancel()

private:
    struct State // shared with the job
    {
        std::atomic<bool> isCancelled = false;
        std::atomic<double> share = 0;
    };

    Background m_background{this};
    std::shared_ptr<State> m_state; // nullptr if no job runs
    QTimer m_clock;                 // times the progress reports
};

} // namespace app
