# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# cuDNN: CUDNN::cudnn. Looked for in STEPCAST_GPU_LIBRARIES (wheels), then beside the toolkit, then in the system.
include(${CMAKE_CURRENT_LIST_DIR}/StepcastGpuLibrary.cmake)
stepcast_find_gpu_library(CUDNN CUDNN::cudnn cudnn.h "cudnn;libcudnn.so.9" "nvidia/cudnn;nvidia/cu13")
