# dunlin_discover_suites(TARGET LABEL label TIMEOUT seconds PROCESSORS n): a test of ctest for each
# suite of a program of GoogleTest, named LABEL/SUITE. A program with sanitizers takes longer to
# start than most of its tests to run, so a start for each test would be most of the time.
#
# The suites are asked of the program when ctest begins, as gtest_discover_tests does with PRE_TEST.
# A suite counts as skipped if all its tests skip themselves: no test passed, and behind those that
# were skipped nothing is listed as failed.
set(dunlin_list_suites ${CMAKE_CURRENT_LIST_DIR}/list_suites.cmake)

function(dunlin_discover_suites target)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT;PROCESSORS" "" ${ARGN})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  file(GENERATE OUTPUT ${file} CONTENT
"set(program [==[$<TARGET_FILE:${target}>]==])
set(label ${ARG_LABEL})
set(properties LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT} PROCESSORS ${ARG_PROCESSORS}
  SKIP_REGULAR_EXPRESSION \"PASSED  . 0 tests.\\n(.  SKIPPED [^\\n]*\\n)+$\")
include([==[${dunlin_list_suites}]==])
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file})
endfunction()
