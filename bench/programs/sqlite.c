// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* sqlite.c - drives sqlite3 (compiled from Debian's source beside this file): a
 * database in memory, filled, indexed, joined, updated, grouped.
 *
 *   sqlite [ROWS]      prints a checksum
 */
#include "sqlite3.h"
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *Base;

static void run(const char *Sql) {
  char *Error = NULL;
  if (sqlite3_exec(Base, Sql, NULL, NULL, &Error) != SQLITE_OK) {
    fprintf(stderr, "sqlite: %s in: %s\n", Error, Sql);
    exit(1);
  }
}

static sqlite3_stmt *prepare(const char *Sql) {
  sqlite3_stmt *S;
  if (sqlite3_prepare_v2(Base, Sql, -1, &S, NULL) != SQLITE_OK) {
    fprintf(stderr, "sqlite: %s in: %s\n", sqlite3_errmsg(Base), Sql);
    exit(1);
  }
  return S;
}

int main(int Argc, char **Argv) {
  int Rows = Argc > 1 ? atoi(Argv[1]) : 60000;
  if (sqlite3_open(":memory:", &Base) != SQLITE_OK)
    return 1;
  run("CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, city INTEGER, "
      "age INTEGER);"
      "CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT); BEGIN");
  for (int I = 0; I < Rows; ++I) {
    /* A new statement for each tenth row: the parser allocates most. */
    static sqlite3_stmt *Insert;
    if (I % 10 == 0) {
      sqlite3_finalize(Insert);
      Insert = prepare("INSERT INTO person(name, city, age) VALUES(?, ?, ?)");
    }
    char Name[64];
    int Length = snprintf(Name, sizeof Name, "a person whose name is %d",
                          I * 7919 % Rows);
    sqlite3_bind_text(Insert, 1, Name, Length, SQLITE_TRANSIENT);
    sqlite3_bind_int(Insert, 2, I * 31 % 500);
    sqlite3_bind_int(Insert, 3, I * 17 % 90);
    sqlite3_step(Insert);
    sqlite3_reset(Insert);
    if (I == Rows - 1)
      sqlite3_finalize(Insert);
  }
  for (int I = 0; I < 500; ++I) {
    char Sql[96];
    snprintf(Sql, sizeof Sql, "INSERT INTO city VALUES(%d, 'city number %d')",
             I, I);
    run(Sql);
  }
  run("COMMIT; CREATE INDEX by_name ON person(name); CREATE INDEX by_city ON "
      "person(city, age)");
  long long Sum = 0;
  for (int I = 0; I < Rows / 4; ++I) {
    char Sql[128];
    snprintf(
        Sql, sizeof Sql,
        "SELECT id, city FROM person WHERE name = 'a person whose name is %d'",
        I * 3 % Rows);
    sqlite3_stmt *S = prepare(Sql);
    while (sqlite3_step(S) == SQLITE_ROW)
      Sum += sqlite3_column_int(S, 0) + sqlite3_column_int(S, 1);
    sqlite3_finalize(S);
  }
  run("UPDATE person SET age = age + 1 WHERE city < 250; DELETE FROM person "
      "WHERE age = 40");
  sqlite3_stmt *S = prepare("SELECT c.name, count(*), sum(p.age), max(p.name) "
                            "FROM person p JOIN city c ON c.id = p.city "
                            "GROUP BY c.name ORDER BY 3 DESC, 1");
  while (sqlite3_step(S) == SQLITE_ROW)
    Sum = Sum * 31 + sqlite3_column_int(S, 1) + sqlite3_column_int(S, 2);
  sqlite3_finalize(S);
  sqlite3_close(Base);
  printf("%lld\n", Sum);
  return 0;
}
