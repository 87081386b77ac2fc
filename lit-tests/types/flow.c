// Intent: raw blocks that are not cast where they are made: what the parameters, members and variables
// that their pointer is handed on to are cast to, the nearest first, in whatever order they stand.
// RUN: %table %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

struct Cell { int n[3]; };
struct Page { int n[5]; };
struct Row { int n[7]; };
struct Near { int n[9]; };
struct Far { int n[11]; };
struct Left { int n[13]; };
struct Right { int n[15]; };
struct Item { int n[17]; };

static void *volatile Sink;
volatile size_t N = 4;

// A work space that a function lays out.
struct workspace { void *start, *end; };
static void lay_out(struct workspace *w, void *start, size_t size) {
  w->start = start;
  w->end = (unsigned char *)start + size;
}
__attribute__((noinline)) static void make_workspace(struct workspace *w, size_t size) {
  void *space = malloc(size);
  lay_out(w, space, size);
}

// A member that is given its block in one place and cast in another.
struct job { void *cells; void *pages; void *rows; };
__attribute__((noinline)) static struct job make_job(void) {
  void *const rows = malloc(N * 28);
  struct job job = {malloc(N * 12), .rows = rows};
  job.pages = malloc(N * 20);
  return job;
}
__attribute__((noinline)) static int use_job(const struct job *job) {
  const struct Cell *cell = job->cells;
  return cell->n[0] + ((struct Page *)job->pages)->n[0] + ((struct Row *)job->rows)->n[0];
}

// The nearest says it: the parameter that is cast, not what that is copied to.
static void far_away(void *p) { ((struct Far *)p)->n[0] = 1; }
static void nearer(void *p) {
  ((struct Near *)p)->n[0] = 1;
  far_away(p);
}

// Two members at the same distance that disagree.
struct both { void *left, *right; };
static int use_both(struct both *b) {
  return ((struct Left *)b->left)->n[0] + ((struct Right *)b->right)->n[0];
}

// Bytes beside a type.
static unsigned hash(const void *p, size_t n) {
  unsigned h = 0;
  for (size_t i = 0; i < n; ++i)
    h = h * 31 + ((const unsigned char *)p)[i];
  return h;
}
static int first(const void *p) { return ((const struct Item *)p)->n[0]; }

// What is returned is for the callers to say.
__attribute__((noinline)) static void *blank(size_t n) {
  void *p = malloc(n);
  if (hash(p, 0))
    abort();
  return p;
}

int main(void) {
  struct workspace w;
  make_workspace(&w, 1000);
  struct job job = make_job();
  memset(job.cells, 0, 12), memset(job.pages, 0, 20), memset(job.rows, 0, 28);
  int sum = use_job(&job);
  void *q = malloc(N * 36);
  nearer(q), Sink = q;
  void *r = malloc(N * 60);
  memset(r, 0, 60);
  struct both b;
  b.left = r;
  b.right = r;
  sum += use_both(&b), Sink = r;
  void *s = malloc(N * 68);
  memset(s, 0, 68);
  sum += hash(s, 68) + first(s);
  Sink = blank(11);
  return sum;
}
// EXPECT: types["unsigned char"].allocated_bytes == 1000
// EXPECT: types["Cell"].elements == 4 and types["Page"].elements == 4 and types["Row"].elements == 4
// EXPECT: types["Near"].elements == 4 and "Far" not in types
// EXPECT: "Left" not in types and "Right" not in types
// EXPECT: types["Item"].elements == 4
// EXPECT: types[None].allocations == 2
// ALONE: not typed and totals.allocations == 8
