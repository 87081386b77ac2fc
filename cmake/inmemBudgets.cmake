# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inmem_add_budget_test(NAME <name> COMMAND <command> [<argument>...]
#                       BUDGET <file> [OPTIONS <INMEM_OPTIONS>]
#                       [WORKING_DIRECTORY <folder>] [JUNIT <file>] [SARIF <file>])
#
# Adds a test that runs the command recorded and fails if the command fails, or
# if what it and its children allocated exceeds the budget. A COMMAND that is a
# target of the project means its program. BUDGET is relative to the current
# source folder. OPTIONS are more of INMEM_OPTIONS, such as clock=events.
set(inmem_BUDGET_TEST_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/inmemBudgetTest.cmake")

function(inmem_add_budget_test)
  cmake_parse_arguments(PARSE_ARGV 0 Test "" "NAME;BUDGET;OPTIONS;WORKING_DIRECTORY;JUNIT;SARIF" "COMMAND")
  foreach(Argument NAME BUDGET COMMAND)
    if(NOT DEFINED Test_${Argument})
      message(FATAL_ERROR "inmem_add_budget_test: expected ${Argument}")
    endif()
  endforeach()
  if(Test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "inmem_add_budget_test: unknown argument ${Test_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(Budget "${Test_BUDGET}" ABSOLUTE)
  # One with a whole path may be made by the build.
  if(NOT IS_ABSOLUTE "${Test_BUDGET}" AND NOT EXISTS "${Budget}")
    message(FATAL_ERROR "inmem_add_budget_test: there is no ${Test_BUDGET}")
  endif()
  if(NOT DEFINED Test_WORKING_DIRECTORY)
    set(Test_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  list(GET Test_COMMAND 0 Program)
  if(TARGET ${Program})
    list(REMOVE_AT Test_COMMAND 0)
    list(INSERT Test_COMMAND 0 "$<TARGET_FILE:${Program}>")
  endif()
  add_test(NAME "${Test_NAME}"
    COMMAND "${CMAKE_COMMAND}"
      "-DINMEM=${inmem_PROGRAM}" "-DBUDGET=${Budget}" "-DOPTIONS=${Test_OPTIONS}"
      "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/inmem-traces/${Test_NAME}"
      "-DSOURCE_ROOT=${PROJECT_SOURCE_DIR}" "-DJUNIT=${Test_JUNIT}" "-DSARIF=${Test_SARIF}"
      -P "${inmem_BUDGET_TEST_SCRIPT}" -- ${Test_COMMAND}
    WORKING_DIRECTORY "${Test_WORKING_DIRECTORY}")
endfunction()
