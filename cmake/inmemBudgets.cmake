# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inmem_add_budget_test(NAME <name> COMMAND <command> [<argument>...]
#                       BUDGET <file> [OPTIONS <INMEM_OPTIONS>]
#                       [WORKING_DIRECTORY <folder>] [JUNIT <file>] [SARIF <file>])
#
# Adds a test that runs the command recorded and fails if the command fails, or
# if what it and its children allocated exceeds the budget. A COMMAND that is a
# target of the project means its program. BUDGET is relative to the current
# source folder. OPTIONS are more of INMEM_OPTIONS, such as clock=events.
#
# The target <name>_learn runs the command and writes the budget, if there is
# none yet. Until then the test fails, and says so.
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
  if(NOT DEFINED Test_WORKING_DIRECTORY)
    set(Test_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  list(GET Test_COMMAND 0 Program)
  if(TARGET ${Program})
    list(REMOVE_AT Test_COMMAND 0)
    list(INSERT Test_COMMAND 0 "$<TARGET_FILE:${Program}>")
  endif()
  string(REGEX REPLACE "[^A-Za-z0-9_.+-]" "_" Learn "${Test_NAME}_learn")
  set(Run "${CMAKE_COMMAND}"
    "-DINMEM=${inmem_PROGRAM}" "-DBUDGET=${Budget}" "-DOPTIONS=${Test_OPTIONS}"
    "-DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/inmem-traces/${Test_NAME}"
    "-DSOURCE_ROOT=${PROJECT_SOURCE_DIR}" "-DJUNIT=${Test_JUNIT}" "-DSARIF=${Test_SARIF}"
    "-DBUILD=${CMAKE_BINARY_DIR}" "-DLEARN_TARGET=${Learn}")
  add_test(NAME "${Test_NAME}"
    COMMAND ${Run} -P "${inmem_BUDGET_TEST_SCRIPT}" -- ${Test_COMMAND}
    WORKING_DIRECTORY "${Test_WORKING_DIRECTORY}")
  inmem_instruments(Instruments)
  if(NOT Instruments)
    set_tests_properties("${Test_NAME}" PROPERTIES DISABLED TRUE)
  elseif(NOT TARGET ${Learn})
    add_custom_target(${Learn}
      COMMAND ${Run} -DLEARN=TRUE -P "${inmem_BUDGET_TEST_SCRIPT}" -- ${Test_COMMAND}
      WORKING_DIRECTORY "${Test_WORKING_DIRECTORY}" VERBATIM)
    if(TARGET ${Program})
      add_dependencies(${Learn} ${Program})
    endif()
  endif()
endfunction()
