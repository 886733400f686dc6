#pragma once

#include "app/mapping/model_facts.h"
#include "app/ui/table_model.h"

namespace app {

// The messages, copies and all-reduces on a selected link.
class LinkFlowModel : public TableModel<profiler::LinkFlow>
{
    Q_OBJECT

public:
    explicit LinkFlowModel(QObject* parent = nullptr);
    void show(std::vector<profiler::LinkFlow> flows, int replicas);
};

// The all-reduces of a schedule. All-reduces between the same nodes share a row.
class AllReduceModel : public TableModel<profiler::AllReduceLoad>
{
    Q_OBJECT

public:
    explicit AllReduceModel(QObject* parent = nullptr);
    void show(const std::vector<profiler::AllReduceLoad>& loads);
};

// The sizes of the stages of a model.
class StageSizesModel : public TableModel<StageSizes>
{
    Q_OBJECT

public:
    explicit StageSizesModel(QObject* parent = nullptr);
    void show(const std::vector<StageSizes>& sizes, int stages);
};

} // namespace app
