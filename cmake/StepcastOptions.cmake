# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Options of the project, the language CUDA that one of them adds, and the flags of all targets.

set(STEPCAST_CUDA AUTO CACHE STRING "Build the GPU half: AUTO (if a toolkit is found), ON, OFF")
set(STEPCAST_MPI AUTO CACHE STRING "Build stepcast-comm with MPI: AUTO (if found), ON, OFF")
foreach(option STEPCAST_CUDA STEPCAST_MPI)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${option} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${option} is '${${option}}'; it takes AUTO, ON or OFF.")
  endif()
endforeach()
set(STEPCAST_CUDA_ARCHITECTURES "80;90" CACHE STRING "GPU architectures to build for")
set(STEPCAST_GPU_LIBRARIES "" CACHE PATH
    "site-packages folder of a Python environment whose cuDNN, cuBLAS and NCCL wheels are used; empty: the system's")
option(STEPCAST_WERROR "Warnings are errors" OFF)
option(STEPCAST_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(STEPCAST_BUNDLE_LIBRARIES "Put cuDNN, cuBLAS and NCCL into the package" OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Side by side, as they are installed: `stepcast measure` starts its siblings.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)

set(STEPCAST_HAS_CUDA OFF)
if(NOT STEPCAST_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES ${STEPCAST_CUDA_ARCHITECTURES})
    set(CMAKE_CUDA_STANDARD 20)
    enable_language(CUDA)
    # CMake 3.25.1 (Debian 12) does not know that nvcc takes C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(STEPCAST_HAS_CUDA ON)
  elseif(STEPCAST_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STEPCAST_CUDA=ON, but no nvcc was found. Install the CUDA toolkit, put nvcc on "
                        "PATH or set CUDACXX, or run scripts/quickstart.sh --cuda.")
  endif()
endif()
message(STATUS "stepcast: GPU half ${STEPCAST_HAS_CUDA}")

add_library(stepcast_options INTERFACE)
add_library(stepcast::options ALIAS stepcast_options)
target_include_directories(stepcast_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(
  stepcast_options
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${STEPCAST_WERROR}>>:-Werror>)
# GCC 12 warns of an overlap in "text" + std::string that is not there (its bug 105651); later ones do not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(stepcast_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(STEPCAST_SANITIZE)
  target_compile_options(stepcast_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(stepcast_options INTERFACE -fsanitize=address,undefined)
endif()
