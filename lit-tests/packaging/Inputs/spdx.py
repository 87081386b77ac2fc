# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a bill of materials by the rules of SPDX 2.3 and of package URLs."""

import json
import re
import sys

with open(sys.argv[1]) as file:
    document = json.load(file)
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
identities = [each["SPDXID"] for each in document["packages"]]
assert len(set(identities)) == len(identities) > 1
for each in identities:
    assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", each), each
for package in document["packages"]:
    for reference in package.get("externalRefs", []):
        # A version's colon and plus sign are percent-encoded.
        assert re.fullmatch(r"pkg:(deb/debian|pypi)/[A-Za-z0-9.+-]+@[A-Za-z0-9.~%-]+", reference["referenceLocator"]), reference
for relation in document["relationships"]:
    assert relation["relatedSpdxElement"] in identities
    assert relation["spdxElementId"] in [*identities, "SPDXRef-DOCUMENT"]
