# Messages are declared once, in .capnp. capnp and tools/capnpc_plain make C++ of them.
find_package(CapnProto REQUIRED)
dunlin_archive(CapnProto::capnp capnp)
dunlin_archive(CapnProto::kj kj)

add_library(dunlin_capnp INTERFACE)
target_link_libraries(dunlin_capnp INTERFACE CapnProto::capnp)
target_include_directories(dunlin_capnp SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/generated_wire)
# Cap'n Proto 0.9 is older than C++20; clang minds, g++ does not.
target_compile_options(dunlin_capnp INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/capnp_for_clang.h>)

# All that is generated: for tools that read sources without building them.
add_custom_target(generated)

# dunlin_schema(target name [TERMS base] [IMPORTS file...]): from <folder>/<name>.capnp of the
# calling folder (the name may begin with a subfolder), which imports those files of the repository,
# make
#   "<folder>/<name>.h"        plain structs, for everybody
#   "<folder>/<name>_fwd.h"    their names, for headers that need no more
#   "<folder>/<name>.plain.h"  their codec, for one codec.cc
#   "<folder>/<name>.terms.cc" with TERMS: what users know of its fields, a part of that target
#   "<folder>/<name>.capnp.h"  capnp's own, for that codec: seen by those who link dunlin_capnp
function(dunlin_schema target name)
  cmake_parse_arguments(ARG "" "TERMS" "IMPORTS" ${ARGN})
  list(TRANSFORM ARG_IMPORTS PREPEND ${PROJECT_SOURCE_DIR}/)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(schema ${CMAKE_CURRENT_SOURCE_DIR}/${name}.capnp)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  set(wire ${PROJECT_BINARY_DIR}/generated_wire)
  cmake_path(GET schema PARENT_PATH place)
  file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${place})
  file(MAKE_DIRECTORY ${generated}/${place} ${wire}/${place})
  set(plain_headers ${generated}/${folder}/${name}.h ${generated}/${folder}/${name}_fwd.h
    ${generated}/${folder}/${name}.plain.h)
  set(terms)
  if(ARG_TERMS)
    set(terms ${generated}/${folder}/${name}.terms.cc)
    target_sources(${ARG_TERMS} PRIVATE ${terms})
  endif()
  set(wire_files ${wire}/${folder}/${name}.capnp.h ${wire}/${folder}/${name}.capnp.c++)

  add_custom_command(OUTPUT ${plain_headers} ${terms} ${wire_files}
    COMMAND ${CAPNP_EXECUTABLE} compile --src-prefix=${PROJECT_SOURCE_DIR}
      -I ${PROJECT_SOURCE_DIR} -I ${CAPNP_INCLUDE_DIRECTORY}
      -o$<TARGET_FILE:capnpc-plain>:${generated} -o${CAPNPC_CXX_EXECUTABLE}:${wire} ${schema}
    DEPENDS ${schema} ${ARG_IMPORTS} ${PROJECT_SOURCE_DIR}/overlay/plain.capnp capnpc-plain
    COMMENT "Messages of ${folder}/${name}.capnp"
    VERBATIM)

  # With a target of their own, they need not wait for the libraries below ${target}.
  string(REPLACE "/" "_" label ${name})
  add_custom_target(${target}_${label} DEPENDS ${plain_headers} ${terms} ${wire_files})
  add_dependencies(${target} ${target}_${label})
  add_dependencies(generated ${target}_${label})
  target_sources(${target} PRIVATE ${plain_headers} ${wire_files})
  # What capnp generates does not bow to our warnings.
  set_source_files_properties(${wire}/${folder}/${name}.capnp.c++ PROPERTIES COMPILE_OPTIONS -w)
  target_link_libraries(${target} PRIVATE dunlin_capnp)
endfunction()
