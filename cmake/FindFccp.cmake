# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# Fast C++ CSV Parser, header only: Fccp::fccp.
find_path(FCCP_INCLUDE_DIR libfccp/csv.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Fccp REQUIRED_VARS FCCP_INCLUDE_DIR)
if(Fccp_FOUND AND NOT TARGET Fccp::fccp)
  add_library(Fccp::fccp INTERFACE IMPORTED)
  target_include_directories(Fccp::fccp SYSTEM INTERFACE ${FCCP_INCLUDE_DIR})
  # Its background reading thread is not needed for files of this size.
  target_compile_definitions(Fccp::fccp INTERFACE CSV_IO_NO_THREAD)
endif()
