// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocator whose blocks are not malloc's: each begins 64 bytes further in.
use std::alloc::{GlobalAlloc, Layout, System};

pub struct Offset;

const BEFORE: usize = 64;

unsafe fn grown(layout: Layout) -> Layout {
    unsafe { Layout::from_size_align_unchecked(layout.size() + BEFORE, layout.align()) }
}

unsafe impl GlobalAlloc for Offset {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        assert!(layout.align() <= BEFORE);
        unsafe { System.alloc(grown(layout)).add(BEFORE) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block.sub(BEFORE), grown(layout)) }
    }
}

#[cfg(in_library)]
#[global_allocator]
static ALLOCATOR: Offset = Offset;
