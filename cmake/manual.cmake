# dunlin_install_manual(program): what `program` tells of its own command line, made by itself when
# it is linked, and installed with it: manual pages, and completion for three shells. Costs a tenth
# of a second. Of the build that ships alone: a program with sanitizers is none to install.
function(dunlin_install_manual program)
  if(DUNLIN_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/share/${program})
  add_custom_command(OUTPUT ${folder}/made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${program} man --all ${folder}/man
    COMMAND ${program} completion bash > ${folder}/${program}
    COMMAND ${program} completion zsh > ${folder}/_${program}
    COMMAND ${program} completion fish > ${folder}/${program}.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/made
    DEPENDS ${program}
    COMMENT "Manual pages and completion of ${program}"
    VERBATIM)
  add_custom_target(${program}_pages ALL DEPENDS ${folder}/made)
  # Who builds some programs alone may install these.
  install(DIRECTORY ${folder}/man DESTINATION share OPTIONAL)
  install(FILES ${folder}/${program} DESTINATION share/bash-completion/completions OPTIONAL)
  install(FILES ${folder}/_${program} DESTINATION share/zsh/site-functions OPTIONAL)
  install(FILES ${folder}/${program}.fish DESTINATION share/fish/vendor_completions.d OPTIONAL)
endfunction()
