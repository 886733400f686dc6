#pragma once

#include "engine/backend/cuda/kernels/launch.h"

namespace engine::cuda {

// Makes a GPU current for the calling thread during the object's lifetime.
class OnGpu
{
public:
    explicit OnGpu(int gpu)
    {
        check(cudaGetDevice(&m_before), "cudaGetDevice");
        if (m_before != gpu) {
            check(cudaSetDevice(gpu), "cudaSetDevice");
            m_changed = true;
        }
    }
    ~OnGpu()
    {
        if (m_changed)
            cudaSetDevice(m_before);
    }
    OnGpu(const OnGpu&) = delete;
    OnGpu& operator=(const OnGpu&) = delete;

private:
    int m_before = 0;
    bool m_changed = false;
};

} // namespace engine::cuda
