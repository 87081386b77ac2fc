// Intent: the containers' own node and buffer types are named, whatever the
// standard, through std::allocator; std::function and shared_ptr as well.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %if all-tiers %{ %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s %}
// RUN: %if all-tiers %{ %clangxx -O0 -std=c++20 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s %}
// RUN: %clangxx -O2 -std=c++20 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o 2>&1 | %FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

struct Foo { int a; double b; };
void sink(void *);

// CHECK-DAG: remark: allocates 'Foo' (allocator)
void vector(std::vector<Foo> &v) { v.push_back({}); }
// CHECK-DAG: remark: allocates 'std::_Rb_tree_node<std::pair<const int, Foo>>' (allocator)
void map(std::map<int, Foo> &m) { m[1]; }
// CHECK-DAG: remark: allocates 'std::__detail::_Hash_node<std::pair<const int, Foo>, false>' (allocator)
// CHECK-DAG: remark: allocates 'std::__detail::_Hash_node_base *' (allocator)
void hash(std::unordered_map<int, Foo> &m) { m[1]; }
// CHECK-DAG: remark: allocates 'std::_Sp_counted_ptr_inplace<Foo, std::allocator<{{void|Foo}}>, __gnu_cxx::_S_atomic>' (allocator)
void shared() { sink(std::make_shared<Foo>().get()); }
// CHECK-DAG: remark: allocates 'Foo' (new)
void unique() { sink(std::make_unique<Foo>().release()); }
// CHECK-DAG: remark: allocates '(lambda at {{.*}}containers.cpp:[[@LINE+1]]:{{[0-9]+}})' (new)
std::function<int()> function(Foo f) { return [f, g = f] { return f.a + int(g.b); }; }
// CHECK-NOT: unknown type
