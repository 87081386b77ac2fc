// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plugin of qemu-user: counts the instructions that run in libinmem_rt, or with
// in=all those of the whole program.
//   qemu-aarch64 -plugin ./instructions.so,out=FILE[,in=all] PROGRAM
// writes the number to FILE at the end. Exact for programs of one thread.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Parts of qemu's interface (version 1). No Debian package has its header.
typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { kAddConstant = 0 };
typedef void (*Translated)(qemu_plugin_id_t, struct qemu_plugin_tb *);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, Translated);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *,
                                              int Operation, void *Counter,
                                              uint64_t By);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
                                                 size_t Index);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t,
                                    void (*)(qemu_plugin_id_t, void *), void *);

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int qemu_plugin_version = 1;

static uint64_t Count;
static char Out[4096];
static bool Everywhere;
/// The mapping that contained the last block.
static uintptr_t Begin, End;
static bool IsRuntime;

/// Finds the mapping that contains \p Address, in qemu's own memory.
static void findMapping(uintptr_t Address) {
  FILE *Maps = fopen("/proc/self/maps", "r");
  char Line[4352];
  while (Maps && fgets(Line, sizeof Line, Maps)) {
    if (sscanf(Line, "%" SCNxPTR "-%" SCNxPTR, &Begin, &End) != 2 ||
        Address < Begin || Address >= End)
      continue;
    IsRuntime = strstr(Line, "libinmem_rt") != NULL;
    fclose(Maps);
    return;
  }
  if (Maps)
    fclose(Maps);
  Begin = End = 0;
  IsRuntime = false;
}

static void translated(qemu_plugin_id_t Id, struct qemu_plugin_tb *Block) {
  (void)Id;
  const uintptr_t Address =
      (uintptr_t)qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(Block, 0));
  if (!Everywhere && (Address < Begin || Address >= End))
    findMapping(Address);
  if (Everywhere || IsRuntime)
    qemu_plugin_register_vcpu_tb_exec_inline(Block, kAddConstant, &Count,
                                             qemu_plugin_tb_n_insns(Block));
}

static void ended(qemu_plugin_id_t Id, void *Unused) {
  (void)Id;
  (void)Unused;
  FILE *File = fopen(Out, "w");
  if (!File)
    return;
  fprintf(File, "%" PRIu64 "\n", Count);
  fclose(File);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t Id, const qemu_info_t *Info,
                                 int Argc, char **Argv) {
  (void)Info;
  Everywhere = Argc == 2 && strcmp(Argv[1], "in=all") == 0;
  if (Argc != 1 + Everywhere || strncmp(Argv[0], "out=", 4) != 0 ||
      strlen(Argv[0] + 4) >= sizeof Out)
    return 1;
  strcpy(Out, Argv[0] + 4);
  qemu_plugin_register_vcpu_tb_trans_cb(Id, translated);
  qemu_plugin_register_atexit_cb(Id, ended, NULL);
  return 0;
}
