# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# stepcast_find_gpu_library(package target header names wheel-folder): an imported target for a library that
# lies in a Python environment's wheel (STEPCAST_GPU_LIBRARIES), beside the toolkit, or in the system.
macro(stepcast_find_gpu_library package target header names wheel)
  set(_wheel_hint "")
  set(_system TRUE)
  if(STEPCAST_GPU_LIBRARIES)
    set(_wheel_hint ${STEPCAST_GPU_LIBRARIES}/${wheel})
    if(EXISTS ${_wheel_hint}/include)
      set(_system FALSE)
    endif()
  endif()
  if(_system)
    find_path(${package}_INCLUDE_DIR ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_ROOT}/include)
    find_library(${package}_LIBRARY NAMES ${names} NAMES_PER_DIR HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_ROOT}/lib64)
  else()
    find_path(${package}_INCLUDE_DIR ${header} PATHS ${_wheel_hint}/include NO_DEFAULT_PATH)
    find_library(${package}_LIBRARY NAMES ${names} NAMES_PER_DIR PATHS ${_wheel_hint}/lib NO_DEFAULT_PATH)
  endif()
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(
    ${package} REQUIRED_VARS ${package}_LIBRARY ${package}_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "Install it with the CUDA toolkit, or point STEPCAST_GPU_LIBRARIES at a site-packages folder that holds ${wheel}.")
  if(${package}_FOUND AND NOT TARGET ${target})
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${package}_LIBRARY})
    target_include_directories(${target} SYSTEM INTERFACE ${${package}_INCLUDE_DIR})
  endif()
endmacro()
