"""nsc.py - who may speak to a cluster, in NATS' own form: an operator, accounts and users as signed JWTs, and the file of a
user that holds its JWT and its seed. Debian has no `nsc`, which makes them elsewhere; OpenSSL makes the ed25519 keys.

    nkey    base32 of: a byte that tells the kind, the 32 bytes of the key, a CRC16 (XMODEM, little-endian)
    seed    the same, with two bytes in front: that it is a seed, and of which kind
    JWT     header.claims.signature; the signature is of the issuer's key
"""
import base64
import binascii
import hashlib
import json
import os
import subprocess

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3


def encoded(data):
    return base64.b32encode(data + binascii.crc_hqx(data, 0).to_bytes(2, "little")).decode().rstrip("=")


def url64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    def __init__(self, folder, name, kind):
        self.folder, self.name, self.pem = folder, name, os.path.join(folder, name + ".key")
        self.openssl("genpkey", "-algorithm", "ed25519", "-out", self.pem)
        seed = self.openssl("pkey", "-in", self.pem, "-outform", "DER")[-32:]
        public = self.openssl("pkey", "-in", self.pem, "-pubout", "-outform", "DER")[-32:]
        self.public = encoded(bytes([kind]) + public)
        self.seed = encoded(bytes([SEED | kind >> 5, (kind & 31) << 3]) + seed)

    @staticmethod
    def openssl(*words):
        return subprocess.run(["openssl", *words], check=True, capture_output=True).stdout

    def sign(self, text):
        path = os.path.join(self.folder, self.name + ".text")
        with open(path, "w") as f:
            f.write(text)
        return self.openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.pem, "-in", path)


def jwt(issuer, subject, name, nats):
    claims = {"iat": 1790000000, "iss": issuer.public, "sub": subject.public, "name": name, "nats": {**nats, "version": 2}}
    claims["jti"] = base64.b32encode(hashlib.sha256(json.dumps(claims).encode()).digest()).decode().rstrip("=")
    text = ".".join(url64(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, claims))
    return text + "." + url64(issuer.sign(text))


def account(operator, key, name, disk):
    limits = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
    storage = {"mem_storage": -1, "disk_storage": disk, "streams": -1, "consumer": -1} if disk else {}
    return jwt(operator, key, name, {"type": "account", "limits": {**limits, **storage}})


class Operator:
    """An operator with two accounts: A, which may keep things, and SYS, which NATS itself wants."""

    def __init__(self, folder):
        self.folder = folder
        self.key, self.own, self.sys = (Key(folder, n, k) for n, k in (("operator", OPERATOR), ("A", ACCOUNT), ("SYS", ACCOUNT)))
        self.config = 'operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n' % (
            jwt(self.key, self.key, "test", {"type": "operator"}), self.sys.public,
            self.own.public, account(self.key, self.own, "A", 1 << 28), self.sys.public, account(self.key, self.sys, "SYS", 0))

    def creds(self, name, issuer=None, permissions=None):
        """The file of a user of A; of another issuer it is nobody's user."""
        user = Key(self.folder, name, USER)
        rights = {"subs": -1, "data": -1, "payload": -1, **(permissions or {})}
        text = jwt(issuer or self.own, user, name, {"type": "user", **rights})
        path = os.path.join(self.folder, name + ".creds")
        with open(path, "w") as f:
            for what, value in (("NATS USER JWT", text), ("USER NKEY SEED", user.seed)):
                f.write("-----BEGIN %s-----\n%s\n------END %s------\n\n" % (what, value, what))
        os.chmod(path, 0o600)
        return path
