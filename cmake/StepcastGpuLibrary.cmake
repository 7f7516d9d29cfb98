# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# cuDNN, cuBLAS and NCCL of the system or, where STEPCAST_GPU_LIBRARIES names its site-packages folder, of a Python
# environment: so that stepcast times the very libraries that a framework there loads.

# Answers of an earlier configure are dropped when the folder changes.
if(NOT "${STEPCAST_GPU_LIBRARIES}" STREQUAL "${STEPCAST_GPU_LIBRARIES_USED}")
  foreach(package CUDNN NCCL CUBLASLT_WHEEL)
    unset(${package}_INCLUDE_DIR CACHE)
    unset(${package}_LIBRARY CACHE)
  endforeach()
  set(STEPCAST_GPU_LIBRARIES_USED "${STEPCAST_GPU_LIBRARIES}" CACHE INTERNAL "")
endif()

# stepcast_find_gpu_library(package target header names wheel-folders): an imported target for a library in the first
# of these folders of STEPCAST_GPU_LIBRARIES that holds it or, where that is empty, beside the toolkit or in the system.
macro(stepcast_find_gpu_library package target header names wheels)
  if(STEPCAST_GPU_LIBRARIES)
    set(_stepcast_folders ${wheels})
    list(TRANSFORM _stepcast_folders PREPEND "${STEPCAST_GPU_LIBRARIES}/")
    find_path(${package}_INCLUDE_DIR ${header} PATHS ${_stepcast_folders} PATH_SUFFIXES include NO_DEFAULT_PATH)
    find_library(${package}_LIBRARY NAMES ${names} NAMES_PER_DIR PATHS ${_stepcast_folders} PATH_SUFFIXES lib
                 NO_DEFAULT_PATH)
    string(REPLACE ";" " nor " _stepcast_reason "${_stepcast_folders}")
    set(_stepcast_reason "STEPCAST_GPU_LIBRARIES is set, but it is neither in ${_stepcast_reason}.")
  else()
    find_path(${package}_INCLUDE_DIR ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_ROOT}/include)
    find_library(${package}_LIBRARY NAMES ${names} NAMES_PER_DIR
                 HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_ROOT}/lib64)
    set(_stepcast_reason "Install it beside the CUDA toolkit, or point STEPCAST_GPU_LIBRARIES at a site-packages folder.")
  endif()
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(${package} REQUIRED_VARS ${package}_LIBRARY ${package}_INCLUDE_DIR
                                    REASON_FAILURE_MESSAGE "${_stepcast_reason}")
  if(${package}_FOUND AND NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${package}_LIBRARY})
    target_include_directories(${target} SYSTEM INTERFACE ${${package}_INCLUDE_DIR})
  endif()
endmacro()

# CUDA::cublasLt is FindCUDAToolkit's; where a Python environment is asked for, it is pointed at the cuBLAS there. Of
# that wheel's folder only cuBLAS's own headers are taken: in CUDA 13 it holds the whole runtime's, which must stay nvcc's.
function(stepcast_use_wheel_cublaslt)
  stepcast_find_gpu_library(CUBLASLT_WHEEL stepcast_wheel_cublaslt cublasLt.h "libcublasLt.so.13;libcublasLt.so.12"
                            "nvidia/cu13;nvidia/cublas")
  if(NOT CUBLASLT_WHEEL_FOUND)
    message(FATAL_ERROR "cuBLAS was not found. ${_stepcast_reason}")
  endif()
  set(headers ${PROJECT_BINARY_DIR}/cublas-headers)
  file(REMOVE_RECURSE ${headers})
  file(MAKE_DIRECTORY ${headers})
  file(GLOB files ${CUBLASLT_WHEEL_INCLUDE_DIR}/cublas*.h)
  foreach(file ${files})
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${headers}/${name} SYMBOLIC)
  endforeach()
  if(NOT TARGET CUDA::cublasLt)
    add_library(CUDA::cublasLt UNKNOWN IMPORTED)
  endif()
  set_target_properties(CUDA::cublasLt PROPERTIES
                        IMPORTED_LOCATION ${CUBLASLT_WHEEL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES "${headers};${CUDAToolkit_INCLUDE_DIRS}"
                        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${headers};${CUDAToolkit_INCLUDE_DIRS}")
endfunction()
