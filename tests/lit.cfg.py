# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What ctest knows of a build folder, as a suite of lit, so that scripts/test has
# one pool of jobs for all tests. Loaded through the build folder's
# unit-tests/lit.site.cfg.py:  lit build/unit-tests
import os
import sys

sys.path.insert(0, os.path.join(config.inmem_source_dir, "tests", "support"))
import lit_formats

config.name = config.inmem_suite
config.test_source_root = config.test_exec_root = config.inmem_exec_root
config.test_format = lit_formats.CtestFormat(config.ctest, config.inmem_build_dir, lit_formats.Tier(lit_config))
