// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* launch.c - runs a program and writes what it took, as one line of JSON.
 *
 *   launch RESULT CPU PROGRAM [ARGUMENT]...     CPU: -1 for any
 *
 * Small and static on purpose: a child's peak memory counts from before its
 * exec, so the launcher's own must be less than that of any program measured.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval T) {
  return (double)T.tv_sec + (double)T.tv_usec * 1e-6;
}

int main(int Argc, char **Argv) {
  if (Argc < 4) {
    fprintf(stderr, "usage: launch RESULT CPU PROGRAM [ARGUMENT]...\n");
    return 2;
  }
  int Cpu = atoi(Argv[2]);
  if (Cpu >= 0) {
    cpu_set_t Set;
    CPU_ZERO(&Set);
    CPU_SET(Cpu, &Set);
    sched_setaffinity(0, sizeof Set, &Set);
  }
  struct timespec Start, End;
  clock_gettime(CLOCK_MONOTONIC, &Start);
  pid_t Child = fork();
  if (Child == 0) {
    execvp(Argv[3], Argv + 3);
    perror(Argv[3]);
    _exit(127);
  }
  int Status;
  struct rusage Usage;
  if (Child < 0 || wait4(Child, &Status, 0, &Usage) < 0) {
    perror("launch");
    return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &End);
  FILE *Out = fopen(Argv[1], "w");
  if (!Out)
    return 1;
  fprintf(Out,
          "{\"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"peak_kib\": "
          "%ld, \"exit\": %d}\n",
          (double)(End.tv_sec - Start.tv_sec) +
              (double)(End.tv_nsec - Start.tv_nsec) * 1e-9,
          seconds(Usage.ru_utime), seconds(Usage.ru_stime), Usage.ru_maxrss,
          WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status));
  return fclose(Out) != 0;
}
