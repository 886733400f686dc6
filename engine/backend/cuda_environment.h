#pragma once

namespace engine {

// Sets environment variables of the CUDA driver and NCCL unless the user has set them:
// CUDA_DEVICE_MAX_CONNECTIONS=32 (otherwise streams of different devices share a hardware queue and
// wait for each other), CUDA_MODULE_LOADING=EAGER (no kernel is loaded while an op is timed) and
// NCCL_RUNTIME_CONNECT=0 (ranks connect when they join, not at their first all-reduce). Call it in
// the worker, not in the window, and before any thread or CUDA call.
void setCudaEnvironment();

} // namespace engine
