# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Part of lit.cfg.py in a tree that chosen.py built: passes the switch of a slip
on to the tests, or gives each test a file for its map."""
import os
import pathlib

import lit_formats


class Mapped(lit_formats.MeasuredShTest):
    def execute(self, test, lit_config):
        file = pathlib.Path(os.environ["SLIP_MAPS"]) / ",".join(test.path_in_suite)
        file.write_bytes(bytes(256))
        test.config.environment["SLIP_MAP"] = str(file)
        return super().execute(test, lit_config)


def install(config):
    if "SLIP" in os.environ:
        config.environment["SLIP"] = os.environ["SLIP"]
    elif "SLIP_MAPS" in os.environ:
        config.test_format = Mapped()
