// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares imports that Vite resolves.
declare module "*.css";

// Lines of a diff by rule of findings (scripts/advice.mjs).
declare module "virtual:advice" {
  const advice: Record<string, string[]>;
  export default advice;
}
