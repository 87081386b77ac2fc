# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime must not import anything that allocates, throws or takes the
# lock of a function-local static (docs/how-inmem-works.md, Rules).
execute_process(COMMAND ${NM} -D --undefined-only ${LIBRARY}
  OUTPUT_VARIABLE Imports RESULT_VARIABLE Failed)
if(Failed OR NOT Imports MATCHES "dl_iterate_phdr")
  message(FATAL_ERROR "cannot list the imports of ${LIBRARY}")
endif()
foreach(Forbidden malloc calloc realloc free _Zn[aw] _Zd[al] __cxa_throw
        __cxa_guard __cxa_allocate [a-z_]*printf fopen fwrite _ZSt _ZNSt)
  if(Imports MATCHES " U ${Forbidden}")
    message(FATAL_ERROR "the runtime imports ${Forbidden}:\n${Imports}")
  endif()
endforeach()
