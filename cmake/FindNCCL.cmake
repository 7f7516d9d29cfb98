# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# NCCL: NCCL::nccl. Looked for as cuDNN is.
include(${CMAKE_CURRENT_LIST_DIR}/StepcastGpuLibrary.cmake)
stepcast_find_gpu_library(NCCL NCCL::nccl nccl.h "nccl;libnccl.so.2" "nvidia/nccl;nvidia/cu13")
