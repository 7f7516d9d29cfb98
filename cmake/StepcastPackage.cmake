# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and CPack deliver: programs that find their libraries and data wherever the archive is unpacked.
include(GNUInstallDirs)

# bin/ looks in lib/ beside it first, then in the folders of the libraries that it was built with.
set(stepcast_rpath "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(STEPCAST_HAS_CUDA)
  get_target_property(stepcast_cublaslt CUDA::cublasLt IMPORTED_LOCATION)
  foreach(library ${CUDNN_LIBRARY} ${stepcast_cublaslt} ${NCCL_LIBRARY})
    get_filename_component(folder ${library} DIRECTORY)
    list(APPEND stepcast_rpath ${folder})
  endforeach()
  list(REMOVE_DUPLICATES stepcast_rpath)
endif()

foreach(program stepcast stepcast-bench stepcast-comm stepcast-replay)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "${stepcast_rpath}")
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/stepcast/data OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# stepcast_bundle(folder patterns...): puts these shared libraries of a folder into lib/, with the links that lead to them.
function(stepcast_bundle folder)
  foreach(pattern ${ARGN})
    file(GLOB files ${folder}/${pattern})
    if(NOT files)
      message(FATAL_ERROR "No ${pattern} in ${folder} to put into the package.")
    endif()
    install(CODE "file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\" TYPE SHARED_LIBRARY
                       FOLLOW_SYMLINK_CHAIN FILES ${files})")
  endforeach()
endfunction()

if(STEPCAST_HAS_CUDA)
  # A GPU node seldom has Google Benchmark, and it is small, so it always travels.
  get_target_property(stepcast_benchmark_type benchmark::benchmark TYPE)
  if(NOT stepcast_benchmark_type STREQUAL "STATIC_LIBRARY")
    install(CODE "file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\" TYPE SHARED_LIBRARY
                       FOLLOW_SYMLINK_CHAIN FILES \"$<TARGET_SONAME_FILE:benchmark::benchmark>\")")
  endif()
endif()
if(STEPCAST_HAS_CUDA AND STEPCAST_BUNDLE_LIBRARIES)
  get_filename_component(stepcast_cudnn_folder ${CUDNN_LIBRARY} DIRECTORY)
  get_filename_component(stepcast_cublas_folder ${stepcast_cublaslt} DIRECTORY)
  get_filename_component(stepcast_nccl_folder ${NCCL_LIBRARY} DIRECTORY)
  stepcast_bundle(${stepcast_cudnn_folder} "libcudnn*.so.[0-9]")
  stepcast_bundle(${stepcast_nccl_folder} "libnccl.so.[0-9]")
  # cuDNN compiles some of its engines at run time, with the NVRTC that lies beside cuBLAS.
  stepcast_bundle(${stepcast_cublas_folder} "libcublasLt.so.[0-9][0-9]" "libnvrtc*.so.[0-9][0-9]*")
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME stepcast)
set(CPACK_PACKAGE_VENDOR "The stepcast authors")
set(CPACK_PACKAGE_FILE_NAME stepcast-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/dist)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
include(CPack)
