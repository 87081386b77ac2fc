# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime must not import anything that allocates, throws or takes the
# lock of a function-local static (docs/design/run-time.md, Rules).
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

# Nor a cancellation point: a cancelled thread would end inside the runtime, with
# its mutex. The names are those of pthreads(7) that an allocator could want;
# platform/Files.h has raw system calls in their place.
foreach(Point accept clock_nanosleep close connect creat fcntl fcntl64 fallocate
        fdatasync fsync getrandom lockf msync nanosleep open open64 openat openat64
        pause poll posix_fallocate ppoll pread pread64 preadv pselect pwrite pwrite64
        pwritev read readv recv recvmsg select sem_timedwait sem_wait send sendmsg
        sigsuspend sigtimedwait sigwait sleep syncfs system tcdrain usleep wait wait4
        waitid waitpid write writev pthread_cond_timedwait pthread_cond_wait
        pthread_join pthread_testcancel)
  if(Imports MATCHES " U (__|__libc_)?${Point}(@|\n)")
    message(FATAL_ERROR "the runtime imports ${Point}, a cancellation point:\n${Imports}")
  endif()
endforeach()

# Nor what sanitizers intercept and Memory.cpp and Text.cpp have: our read of a
# library's name would be reported as a race with the dlclose that waits for it.
# The others that TSan intercepts (clock_gettime, dl_iterate_phdr, fork, readlink,
# pthread_sigmask, sigfillset) get memory of our own; only libbacktrace calls fstat,
# for files that it has opened.
foreach(Intercepted bcmp mem[a-z]* str[a-z]* stat)
  if(Imports MATCHES " U ${Intercepted}(@|\n)")
    message(FATAL_ERROR "the runtime imports${CMAKE_MATCH_0}:\n${Imports}")
  endif()
endforeach()
