#pragma once

namespace engine {

// Sets what the CUDA driver reads from the environment when it is loaded, where nothing is set:
// as many hardware queues as there are (CUDA_DEVICE_MAX_CONNECTIONS=32, else streams of different
// devices share one and wait for each other), and no kernel that is loaded while an op is timed
// (CUDA_MODULE_LOADING=EAGER). Before the first thread and before anything of CUDA; in a process
// that computes, not in the window.
void setCudaEnvironment();

} // namespace engine
