/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * PageAssets.S - the page that web/ builds, byte for byte. */
        .section .rodata
        .global inmem_page_begin
        .global inmem_page_end
        .balign 16
inmem_page_begin:
        .incbin INMEM_PAGE
inmem_page_end:
        .byte 0
        .section .note.GNU-stack,"",%progbits
