# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Headers of the cuDNN frontend (PyPI wheel nvidia-cudnn-frontend, 1.18.0): CudnnFrontend::headers.
# scripts/setup.sh puts them where STEPCAST_CUDNN_FRONTEND points.
set(STEPCAST_CUDNN_FRONTEND "${PROJECT_SOURCE_DIR}/build/deps/cudnn-frontend" CACHE PATH
    "Folder whose include/ holds cudnn_frontend.h")
find_path(CUDNN_FRONTEND_INCLUDE_DIR cudnn_frontend.h
          HINTS ${STEPCAST_CUDNN_FRONTEND}/include ${STEPCAST_CUDNN_FRONTEND})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  CudnnFrontend REQUIRED_VARS CUDNN_FRONTEND_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "scripts/setup.sh fetches it, or set STEPCAST_CUDNN_FRONTEND to the unpacked wheel.")
if(CudnnFrontend_FOUND AND NOT TARGET CudnnFrontend::headers)
  add_library(CudnnFrontend::headers INTERFACE IMPORTED)
  target_include_directories(CudnnFrontend::headers SYSTEM INTERFACE ${CUDNN_FRONTEND_INCLUDE_DIR})
endif()
