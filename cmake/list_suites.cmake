# Run by ctest, once a program: see suites.cmake, which sets `program`, `label` and `properties`.
# A program that is not built is a test that fails, as a test that was not discovered must.
if(NOT EXISTS ${program})
  get_filename_component(name ${program} NAME)
  add_test(${label}/${name}_NOT_BUILT ${program})
  return()
endif()

execute_process(COMMAND ${program} --gtest_list_tests
  OUTPUT_VARIABLE listed RESULT_VARIABLE status ERROR_VARIABLE said)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests ended with ${status}:\n${said}")
endif()
# A suite begins at the first column, and may have a remark: "CodecTest/0.  # TypeParam = ...".
string(REGEX MATCHALL "(^|\n)[^ \n]+\\. *(#[^\n]*)?(\n  )" suites "${listed}")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n?([^ \n]+)\\..*$" "\\1" suite "${suite}")
  add_test(${label}/${suite} ${program} "--gtest_filter=${suite}.*")
  set_tests_properties(${label}/${suite} PROPERTIES ${properties})
endforeach()
