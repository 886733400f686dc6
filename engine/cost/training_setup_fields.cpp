#include "engine/cost/training_setup_fields.h"

namespace engine {

Fields<TrainingSetup> trainingSetupFields()
{
    using S = TrainingSetup;
    constexpr std::string_view kGroup = "Model on hardware";
    constexpr double kMostBatch = 1 << 20, kMostDevices = 4096;
    static const std::vector<Field<S>> kFields{
        field<S>({.flag = "--micro-batch-size",
                  .group = kGroup,
                  .label = "Micro-batch size",
                  .help = "Sequences in a micro-batch of the model",
                  .value = "b",
                  .least = 1,
                  .most = kMostBatch},
                 &S::microBatchSize),
        field<S>({.flag = "--tensor-parallel",
                  .group = kGroup,
                  .label = "Tensor-parallel",
                  .help = "Devices that share each stage",
                  .value = "t",
                  .least = 1,
                  .most = kMostDevices},
                 &S::tensorParallel),
        field<S>({.flag = "--attention",
                  .group = kGroup,
                  .label = "Attention",
                  .help = "standard stores the attention scores, recompute computes them again in "
                          "the backward, flash never stores them",
                  .names = {"standard", "recompute", "flash"}},
                 &S::attention),
        {{.flag = "--no-sequence-parallel",
          .group = kGroup,
          .label = "No sequence parallelism",
          .help = "Do not split norms and dropout over the devices of a stage",
          .kind = FieldKind::Flag},
         [](const S& setup) { return setup.sequenceParallel ? "false" : "true"; },
         [](S& setup, std::string_view text) -> Result<void> {
             setup.sequenceParallel = text == "false";
             return {};
         }},
        field<S>({.flag = "--recompute-all",
                  .group = kGroup,
                  .label = "Recompute all",
                  .help = "Keep only the input of a layer"},
                 &S::recomputesAll),
    };
    return kFields;
}

} // namespace engine
