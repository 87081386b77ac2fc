// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A C program with its own lists, trees and a flexible array member. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  int value;
};
struct tree {
  struct tree *left, *right;
  char *key;
};
struct packet {
  size_t length;
  unsigned char data[];
};

static struct tree *insert(struct tree *at, const char *key) {
  if (!at) {
    struct tree *made = calloc(1, sizeof *made);
    made->key = malloc(strlen(key) + 1);
    strcpy(made->key, key);
    return made;
  }
  int order = strcmp(key, at->key);
  if (order < 0)
    at->left = insert(at->left, key);
  if (order > 0)
    at->right = insert(at->right, key);
  return at;
}
static int drop(struct tree *at) {
  if (!at)
    return 0;
  int n = 1 + drop(at->left) + drop(at->right);
  free(at->key);
  free(at);
  return n;
}

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 1000; ++i) {
    struct node *made = malloc(sizeof *made);
    made->next = head;
    made->value = i;
    head = made;
  }
  struct tree *root = NULL;
  unsigned seed = 1;
  for (int i = 0; i < 500; ++i) {
    char key[16];
    seed = seed * 1103515245u + 12345u;
    snprintf(key, sizeof key, "k%u", seed >> 16);
    root = insert(root, key);
  }
  size_t bytes = 0;
  for (size_t n = 1; n < 100; ++n) {
    struct packet *packet = malloc(sizeof *packet + n);
    packet->length = n;
    memset(packet->data, (int)n, n);
    bytes += packet->data[n - 1];
    if (n % 10)
      free(packet); /* every tenth is lost, as happens */
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  printf("%d %zu\n", drop(root), bytes);
  return 0;
}
