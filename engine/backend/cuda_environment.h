#pragma once

namespace engine {

// Sets what the CUDA driver and NCCL read from the environment when they are loaded, where nothing
// is set: as many hardware queues as there are (CUDA_DEVICE_MAX_CONNECTIONS=32, else streams of
// different devices share one and wait for each other), no kernel that is loaded while an op is
// timed (CUDA_MODULE_LOADING=EAGER), and ranks that are connected when they join instead of at
// their first sum (NCCL_RUNTIME_CONNECT=0). Before the first thread and before anything of CUDA; in
// a process that computes, not in the window.
void setCudaEnvironment();

} // namespace engine
