# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Every library that the project uses, each with the package to install where it is missing.

function(stepcast_require package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. Install it: apt-get install ${debian}")
  endif()
endfunction()

stepcast_require(fmt libfmt-dev)
stepcast_require(nlohmann_json nlohmann-json3-dev)
stepcast_require(CLI11 libcli11-dev)
stepcast_require(Fccp libfccp-dev)
if(NOT DEFINED BUILD_TESTING OR BUILD_TESTING)
  stepcast_require(GTest libgtest-dev)
endif()

if(STEPCAST_HAS_CUDA)
  stepcast_require(benchmark libbenchmark-dev)
  find_package(CUDAToolkit REQUIRED)
  find_package(CUDNN REQUIRED)
  find_package(NCCL REQUIRED)
  find_package(CudnnFrontend REQUIRED)
  if(NOT STEPCAST_MPI STREQUAL "OFF")
    find_package(MPI COMPONENTS CXX)
    if(STEPCAST_MPI STREQUAL "ON" AND NOT MPI_CXX_FOUND)
      message(FATAL_ERROR "STEPCAST_MPI=ON, but MPI was not found. Install it: apt-get install libopenmpi-dev")
    endif()
  endif()
endif()
