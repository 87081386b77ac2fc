// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of all calls of the allocator. As a program, or as a library for one.
#[cfg(with_offset)]
extern crate offset;
#[cfg(with_offset_here)]
#[global_allocator]
static ALLOCATOR: offset::Offset = offset::Offset;

use std::hint::black_box;

#[repr(align(32))]
struct Wide([u8; 32]);
struct Small(u32);

#[inline(never)]
fn sum() -> u64 {
    let small: Vec<Box<Small>> = (0..10).map(|i| Box::new(Small(i))).collect();
    let wide: Vec<Box<Wide>> = (0..10).map(|i| Box::new(Wide([i; 32]))).collect();
    let mut growing: Vec<u64> = Vec::new();
    for i in 0..1000 {
        growing.push(black_box(i));
    }
    let zeroed = black_box(vec![0u16; 500]);
    let text = format!("{}", growing.len());
    small.iter().map(|s| u64::from(s.0)).sum::<u64>()
        + wide.iter().map(|w| u64::from(w.0[31])).sum::<u64>()
        + growing.iter().sum::<u64>()
        + zeroed.iter().map(|z| u64::from(*z)).sum::<u64>()
        + text.len() as u64
}

#[cfg(not(library))]
fn main() {
    println!("{}", sum());
}

#[cfg(library)]
#[unsafe(no_mangle)]
pub extern "C" fn blocks_sum() -> u64 {
    sum()
}
