#pragma once

#include "engine/backend/device.h"
#include "engine/model/model_spec.h"
#include "engine/model/pipeline_model.h"

#include <memory>

namespace engine {

// Makes a transformer (transformer.h) in the precision of its spec, which must pass
// checkPrecision(). The device must outlive the model.
std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices = 1);
// Fails with Error::Code::Unsupported if the device does not support the precision; the message
// names an alternative.
Result<void> checkPrecision(Precision precision, const Device& device);

} // namespace engine
