#pragma once

// The part of CUDA's driver interface that engine/backend/cuda uses, on the CPU: green contexts
// (partitions.cpp), with the prototypes and numbers of the real header.

enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_NOT_SUPPORTED = 801 };
enum CUdevResourceType { CU_DEV_RESOURCE_TYPE_INVALID = 0, CU_DEV_RESOURCE_TYPE_SM = 1 };
using CUdevice = int;
using CUstream = struct CUstream_st*;
using CUgreenCtx = struct CUgreenCtx_st*;
using CUcontext = struct CUctx_st*;
using CUdevResourceDesc = struct CUdevResourceDesc_st*;
constexpr unsigned CU_GREEN_CTX_DEFAULT_STREAM = 1, CU_STREAM_NON_BLOCKING = 1;

struct CUdevSmResource
{
    unsigned smCount;
};
struct CUdevResource
{
    CUdevResourceType type;
    CUdevSmResource sm;
};
