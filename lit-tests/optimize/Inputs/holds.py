# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""holds.py FILE CONDITION... - whether conditions hold of what verify-optimization wrote as JSON; its members are their names."""
import json
import sys

with open(sys.argv[1]) as file:
    verified = json.load(file)
failed = [each for each in sys.argv[2:] if not eval(each, dict(verified))]
for each in failed:
    print(f"does not hold: {each}\n{json.dumps(verified)[:800]}")
sys.exit(bool(failed))
