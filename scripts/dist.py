#!/usr/bin/env python3
"""dist.py FOLDER VERSION MAKE - what a release consists of.

    cando-VERSION.tar.gz            the sources of the commit
    cando-VERSION-MACHINE.tar.gz    what `make install` installs
    cando-VERSION.spdx.json         what is in them (SPDX 2.3)
    SHA256SUMS                      of these three

Nothing depends on the clock, the user or the order of files, so the same commit gives the same
bytes; tests/dist.sh makes them twice.
"""
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import datetime, timezone
from pathlib import Path


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def pack(path, entries, when):
    """Writes a .tar.gz of (name, mode, bytes or the target of a link), in the order of names."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, mode, data in sorted(entries):
            info = tarfile.TarInfo(name)
            info.mtime = when
            info.mode = mode
            if isinstance(data, str):
                info.type = tarfile.SYMTYPE
                info.linkname = data
                tar.addfile(info)
            else:
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    path.write_bytes(gzip.compress(raw.getvalue(), compresslevel=9, mtime=0))


def sources(prefix):
    for line in output("git", "ls-tree", "-r", "-z", "HEAD").decode().split("\0")[:-1]:
        mode, _, blob, name = line.replace("\t", " ", 1).split(" ", 3)
        if mode == "160000":
            continue
        data = output("git", "cat-file", "blob", blob)
        yield (prefix + name, 0o777, data.decode()) if mode == "120000" else (
            prefix + name, 0o755 if mode == "100755" else 0o644, data)


def installed(make, prefix):
    with tempfile.TemporaryDirectory() as root:
        subprocess.run([make, "-s", "install", "DESTDIR=" + root, "PREFIX=/usr"], check=True)
        for path in sorted(Path(root).rglob("*")):
            name = prefix + str(path.relative_to(root))
            if path.is_symlink():
                yield name, 0o777, os.readlink(path)
            elif path.is_file():
                yield name, 0o755 if os.access(path, os.X_OK) else 0o644, path.read_bytes()


def spdx(version, when, entries):
    """One package with its files, and what it is linked with."""
    files = []
    for name, _, data in sorted(e for e in entries if isinstance(e[2], bytes)):
        files.append({
            "SPDXID": "SPDXRef-" + hashlib.sha256(name.encode()).hexdigest()[:16],
            "fileName": "./" + name,
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
            "licenseConcluded": "NOASSERTION",
            "copyrightText": "NOASSERTION",
        })
    sums = "".join(sorted(f["checksums"][0]["checksumValue"] for f in files))
    code = hashlib.sha1(sums.encode()).hexdigest()

    def package(name, of, licence, **more):
        return {"SPDXID": "SPDXRef-Package-" + name, "name": name, "versionInfo": of,
                "downloadLocation": "NOASSERTION", "licenseConcluded": licence,
                "licenseDeclared": licence, "copyrightText": "NOASSERTION",
                "filesAnalyzed": False, **more}
    own = package("cando", version, "Apache-2.0", filesAnalyzed=True,
                  packageVerificationCode={"packageVerificationCodeValue": code},
                  hasFiles=[f["SPDXID"] for f in files])
    linked = [package("sqlite3", "NOASSERTION", "blessing"), package("libcurl", "NOASSERTION", "curl"),
              package("zlib", "NOASSERTION", "Zlib")]
    relate = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
               "relatedSpdxElement": own["SPDXID"]}]
    for kind, other in (("DYNAMIC_LINK", linked[0]), ("OPTIONAL_DEPENDENCY_OF", linked[1]),
                        ("DYNAMIC_LINK", linked[2])):
        a, b = (own, other) if kind == "DYNAMIC_LINK" else (other, own)
        relate.append({"spdxElementId": a["SPDXID"], "relationshipType": kind,
                       "relatedSpdxElement": b["SPDXID"]})
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": "cando-" + version,
        "documentNamespace": "https://spdx.org/spdxdocs/cando-%s-%s" % (version, code),
        "creationInfo": {
            "created": datetime.fromtimestamp(when, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: cando-dist"]},
        "packages": [own] + linked, "files": files, "relationships": relate,
    }


def main(folder, version, make):
    out = Path(folder)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    when = int(output("git", "log", "-1", "--format=%ct"))
    name = "cando-" + version
    machine = os.uname().machine
    source, product = list(sources(name + "/")), list(installed(make, name + "/"))
    pack(out / (name + ".tar.gz"), source, when)
    pack(out / ("%s-%s.tar.gz" % (name, machine)), product, when)
    (out / (name + ".spdx.json")).write_text(
        json.dumps(spdx(version, when, source + product), indent=1, sort_keys=True) + "\n")
    sums = ["%s  %s\n" % (hashlib.sha256(p.read_bytes()).hexdigest(), p.name)
            for p in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


if __name__ == "__main__":
    main(*sys.argv[1:4])
