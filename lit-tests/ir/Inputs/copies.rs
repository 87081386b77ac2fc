// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of strings: the precompiled library makes them, called in loops of
// functions that are inlined in the program's.
#[derive(Clone)]
pub struct Named {
    name: String,
    others: Vec<String>,
}

#[inline(never)]
fn names(of: &Named) -> Vec<String> {
    of.others.clone()
}

#[inline(never)]
fn copies(of: &[Named]) -> Vec<Named> {
    of.to_vec()
}

fn main() {
    let others = Vec::from(["a", "bb", "ccc"].map(String::from));
    let all = vec![Named { name: String::from("dddd"), others }];
    for _ in 0..10 {
        std::hint::black_box((names(&all[0]), copies(&all)));
    }
    println!("{}", all[0].name);
}
