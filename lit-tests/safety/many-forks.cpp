// Intent: a thousand children, forked as fast as it goes, lose nothing: those that allocate have a
// trace each, the others none, and all of them add up.

// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: rm -rf %t.work && mkdir %t.work
// RUN: env INMEM_OPTIONS=output=%t.work/%%p.inmem %t.exe
// RUN: sh -c 'test $(ls %t.work | wc -l) = 101'
// RUN: sh -c '%inmem report --format json %t.work/*.inmem > %t.json'
// RUN: %expect %t.json 'len(processes) == 101' 'all(p.complete for p in processes)' 'types["Parents"].allocations == 1 == types["Parents"].live_allocations' 'types["Childs"].allocations == 100 == types["Childs"].frees'

#include <sys/wait.h>
#include <unistd.h>

struct Parents {
  long values[3];
};
struct Childs {
  long values[5];
};
static void *volatile Sink;

int main() {
  Sink = new Parents;
  int failed = 0;
  for (int i = 0; i < 1000; ++i) {
    pid_t pid = fork();
    if (pid == 0) {
      if (i % 10 == 0) {
        auto *volatile one = new Childs;
        delete one;
      }
      _exit(0);
    }
    int status = 1;
    failed += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
  }
  return failed;
}
