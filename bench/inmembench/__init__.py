# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/run is made of: builds, measure, rows, table."""
