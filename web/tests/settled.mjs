// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a page has done all that the last input leads to.

/**
 * Waits until the page has drawn twice: by then the address has changed, what it names is
 * rendered, and effects have run, the one that moves the focus among them. An input that comes
 * earlier may meet what is about to be replaced.
 */
export const settled = (page) =>
  page.evaluate(async () => {
    for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  });
