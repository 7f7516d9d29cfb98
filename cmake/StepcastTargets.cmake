# SPDX-FileCopyrightText: 2026 The stepcast authors
# SPDX-License-Identifier: Apache-2.0
# stepcast_library(name HEADERS ... SOURCES ... LINK ...): a static library stepcast_<name> with the alias
# stepcast::<name>, its headers as a FILE_SET (so that each is compiled alone), warnings linked privately.
function(stepcast_library name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;LINK" ${ARGN})
  add_library(stepcast_${name} STATIC ${ARG_SOURCES})
  add_library(stepcast::${name} ALIAS stepcast_${name})
  target_sources(stepcast_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_include_directories(stepcast_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(stepcast_${name} PUBLIC ${ARG_LINK} PRIVATE $<BUILD_INTERFACE:stepcast::options>)
endfunction()

# stepcast_test(name SOURCES ... LINK ... [LABELS gpu|multigpu] [SERIAL]): a GoogleTest program; without LABELS its tests are
# `cpu`. SERIAL: its tests take times, and run alone.
function(stepcast_test name)
  cmake_parse_arguments(ARG "SERIAL" "" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS cpu)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main stepcast::options)
  # Listing at test time, not at build time: a build machine need not load the GPU libraries.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${ARG_LABELS}" RUN_SERIAL ${ARG_SERIAL})
endfunction()
