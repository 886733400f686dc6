#include "engine/backend/cuda/nccl.h"

#ifndef BS_WITH_NCCL
namespace engine::cuda {

const NcclFunctions* ncclFunctions(std::string* reason)
{
    if (reason != nullptr)
        *reason = "this plug-in was built without nccl.h: install NCCL's headers and build again";
    return nullptr;
}

} // namespace engine::cuda
#endif
