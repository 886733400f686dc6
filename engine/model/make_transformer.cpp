#include "engine/model/make_transformer.h"

#include "engine/base/check.h"
#include "engine/model/transformer.h"

#include <fmt/format.h>

namespace engine {

std::unique_ptr<PipelineModel<float>> makeTransformer(const ModelSpec& spec, int stages,
                                                      const Device& device, int slices)
{
    CHECK(checkPrecision(spec.precision, device));
    switch (spec.precision) {
    case Precision::Bf16:
        return std::make_unique<Transformer<bfloat16>>(spec, stages, *device.bfloat16Kernels(),
                                                       slices);
    case Precision::Tf32:
        return std::make_unique<Transformer<float>>(spec, stages, *device.tf32Kernels(), slices);
    case Precision::Fp32:
        break;
    }
    return std::make_unique<Transformer<float>>(spec, stages, device.kernels(), slices);
}

Result<void> checkPrecision(Precision precision, const Device& device)
{
    if (precision == Precision::Fp32
        || (precision == Precision::Bf16 && device.bfloat16Kernels() != nullptr)
        || (precision == Precision::Tf32 && device.tf32Kernels() != nullptr))
        return {};
    return fail(Error::Code::Unsupported,
                fmt::format("{} does not support {} training: use --precision fp32{}",
                            device.info().name, nameIn(kPrecisionNames, precision),
                            precision == Precision::Tf32 ? ", or --backend cuda" : ""));
}

} // namespace engine
