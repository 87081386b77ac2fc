// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares imports that Vite resolves.
declare module "*.css";
