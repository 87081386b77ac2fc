// Runs a program, listens to the static probes otel_memory:alloc and :free in a file that it maps, or in itself, and
// prints what they said. The file's ELF notes say where they are; each is a nop, which becomes a breakpoint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   probes FILE PROGRAM ARGUMENTS...
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct Probe {
  uint64_t At;
  char IsFree;
};
static struct Probe Probes[16];
static int Count;
static uint64_t FirstAddress; ///< of the file, as linked: not 0 in a static program

static void fail(const char *Why) {
  fprintf(stderr, "probes: %s\n", Why);
  exit(1);
}

static void readNote(const char *Data) {
  uint64_t Words[3];
  memcpy(Words, Data, sizeof Words);
  const char *Provider = Data + sizeof Words, *Name = Provider + strlen(Provider) + 1;
  const char *Found = Name + strlen(Name) + 1;
  if (strcmp(Provider, "otel_memory") != 0)
    return;
  const char IsFree = strcmp(Name, "free") == 0;
  if (strcmp(Found, IsFree ? "8@%rdi" : "8@%rdi 8@%rsi 8@%rdx") != 0 || (!IsFree && strcmp(Name, "alloc") != 0))
    fail(Found);
  if (Words[2] != 0)
    fail("a semaphore");
  Probes[Count].At = Words[0];
  Probes[Count++].IsFree = IsFree;
}

static void readProbes(const char *File) {
  struct stat About;
  int Fd = open(File, O_RDONLY);
  if (Fd < 0 || fstat(Fd, &About) != 0)
    fail(File);
  const char *All = mmap(NULL, (size_t)About.st_size, PROT_READ, MAP_PRIVATE, Fd, 0);
  const Elf64_Ehdr *Head = (const Elf64_Ehdr *)All;
  const Elf64_Phdr *Segments = (const Elf64_Phdr *)(All + Head->e_phoff);
  for (int I = 0; I < Head->e_phnum; ++I)
    if (Segments[I].p_type == PT_LOAD && Segments[I].p_offset == 0)
      FirstAddress = Segments[I].p_vaddr;
  const Elf64_Shdr *Sections = (const Elf64_Shdr *)(All + Head->e_shoff);
  const char *Names = All + Sections[Head->e_shstrndx].sh_offset;
  for (int I = 0; I < Head->e_shnum; ++I) {
    if (strcmp(Names + Sections[I].sh_name, ".note.stapsdt") != 0)
      continue;
    const char *At = All + Sections[I].sh_offset, *End = At + Sections[I].sh_size;
    while (At + sizeof(Elf64_Nhdr) < End) {
      const Elf64_Nhdr *Note = (const Elf64_Nhdr *)At;
      const char *Data = At + sizeof *Note + ((Note->n_namesz + 3) & ~3u);
      if (Note->n_type == 3 && strcmp(At + sizeof *Note, "stapsdt") == 0)
        readNote(Data);
      At = Data + ((Note->n_descsz + 3) & ~3u);
    }
  }
}

/// Where the file begins. Found is 0 until its code is mapped, which the loader does last.
static uint64_t baseIn(pid_t Pid, const char *File, int *Found) {
  char Name[64], Line[1024], Real[4096];
  uint64_t Base = 0, Code = 0;
  if (!realpath(File, Real))
    fail("no path");
  snprintf(Name, sizeof Name, "/proc/%d/maps", Pid);
  FILE *Maps = fopen(Name, "r");
  while (fgets(Line, sizeof Line, Maps))
    if (strstr(Line, Real)) {
      if (strstr(Line, " 00000000 "))
        Base = strtoull(Line, NULL, 16);
      if (strstr(Line, " r-xp "))
        Code = 1;
    }
  fclose(Maps);
  *Found = Code != 0;
  return Base - FirstAddress;
}

int main(int Argc, char **Argv) {
  if (Argc < 3)
    fail("no program");
  readProbes(Argv[1]);
  if (Count != 2)
    fail("not two probes");
  pid_t Pid = fork();
  if (Pid == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execv(Argv[2], Argv + 2);
    _exit(127);
  }
  int Status, Listens = 0;
  long Allocations = 0, Frees = 0;
  unsigned long long Bytes = 0, Weight = 0, Alive = 0;
  uint64_t Base = 0;
  int Found = 0; // Base of a static program is 0
  waitpid(Pid, &Status, 0);
  // System call by system call, until the file is there.
  while (waitpid(Pid, &Status, WNOHANG) >= 0) {
    if (!Listens)
      Base = baseIn(Pid, Argv[1], &Found);
    if (!Listens && Found) {
      // Its segments are mapped one by one: the code is there once it can be read.
      long Word = ptrace(PTRACE_PEEKTEXT, Pid, Base + Probes[0].At, 0);
      if ((Word & 0xff) == 0x90) {
        Listens = 1;
        for (int I = 0; I < Count; ++I) {
          Word = ptrace(PTRACE_PEEKTEXT, Pid, Base + Probes[I].At, 0);
          if ((Word & 0xff) != 0x90)
            fail("not a nop");
          ptrace(PTRACE_POKETEXT, Pid, Base + Probes[I].At, (Word & ~0xffl) | 0xcc);
        }
      }
    }
    static int Signal;
    ptrace(Listens ? PTRACE_CONT : PTRACE_SYSCALL, Pid, 0, Signal);
    Signal = 0;
    if (waitpid(Pid, &Status, 0) < 0 || !WIFSTOPPED(Status))
      break;
    if (WSTOPSIG(Status) != SIGTRAP) {
      Signal = WSTOPSIG(Status);
      continue;
    }
    struct user_regs_struct R;
    ptrace(PTRACE_GETREGS, Pid, 0, &R);
    for (int I = 0; Listens && I < Count; ++I) {
      if (R.rip != Base + Probes[I].At + 1) // past the breakpoint: the nop is done
        continue;
      if (!R.rdi)
        fail("a null pointer");
      if (Probes[I].IsFree) {
        ++Frees;
        Alive ^= R.rdi;
      } else {
        ++Allocations;
        Alive ^= R.rdi;
        Bytes += R.rsi;
        Weight += R.rdx;
      }
    }
  }
  if (!Listens)
    fail("the file was not mapped");
  printf("alloc %ld free %ld bytes %llu weight %llu alive %llx exit %d\n", Allocations, Frees, Bytes, Weight, Alive,
         WIFEXITED(Status) ? WEXITSTATUS(Status) : -1);
  return 0;
}
