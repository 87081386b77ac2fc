// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of Rust of one kind, made and freed in a loop: check_rust.py counts
// the instructions of each.
use std::hint::black_box;
use std::rc::Rc;

#[repr(align(64))]
#[allow(dead_code)]
struct Aligned(u64);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().expect("a kind of block");
    let count: u64 = arguments.next().and_then(|n| n.parse().ok()).expect("a number of blocks");
    let each = 0..count;
    match what.as_str() {
        "box" => each.for_each(|i| drop(black_box(Box::new(i)))),
        "counted" => each.for_each(|i| drop(black_box(Rc::new(i)))),
        "aligned" => each.for_each(|i| drop(black_box(Box::new(Aligned(i))))),
        "zeroed" => each.for_each(|i| drop(black_box(vec![0u8; 100 + (i % 8) as usize]))),
        "growing" => each.for_each(|i| {
            let mut numbers = Vec::new();
            for j in 0..40 {
                numbers.push(black_box(i + j));
            }
            black_box(numbers);
        }),
        "text" => each.for_each(|i| drop(black_box(format!("block {i}")))),
        other => panic!("no kind of block: {other}"),
    }
}
