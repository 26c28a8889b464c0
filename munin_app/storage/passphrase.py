"""A key that a passphrase opens: scrypt makes a key of the passphrase, AES-256-GCM wraps the one that everything is sealed with.

So the passphrase can change and the sealed data stays. Whoever has forgotten it has lost the data: there is no other way in.
"""

import os
import struct
import unicodedata
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from munin_app.errors import LockError, WrongPassphrase
from munin_app.i18n import _, decimal

KEY_BYTES = 32
SHORTEST = 8
"""Characters of a passphrase."""
LOG2_N, R, P = 17, 8, 1
"""scrypt's cost for what is wrapped from now on: 128 MB, under a second on a slow machine. Phones have no Argon2."""
LOG2_N_MAX, R_MAX, P_MAX = 18, 8, 4
"""What is taken from a file, whoever made it: 256 MB."""
_SLOT = struct.Struct(">BBB16s12s48s")
SLOT_BYTES = _SLOT.size


@dataclass(frozen=True, slots=True)
class Slot:
    log2_n: int
    r: int
    p: int
    salt: bytes
    nonce: bytes
    wrapped: bytes
    """The key and its tag, 48 bytes."""

    def pack(self) -> bytes:
        return _SLOT.pack(self.log2_n, self.r, self.p, self.salt, self.nonce, self.wrapped)


@dataclass(frozen=True, slots=True)
class Sealing:
    """What a file is sealed with, and how a passphrase gets at it again."""

    key: bytes
    slot: Slot


def sealing_with(passphrase: str) -> Sealing:
    """Takes a moment. Raises LockError: it is too short."""
    check_new(passphrase)
    key = os.urandom(KEY_BYTES)
    return Sealing(key, wrap(key, passphrase))


def unpack(content: bytes) -> Slot:
    """Raises ValueError: it is no slot, or would take more memory than any that Munin writes."""
    if len(content) != SLOT_BYTES:
        raise ValueError(_("its key has another length"))
    slot = Slot(*_SLOT.unpack(content))
    if not (1 <= slot.log2_n <= LOG2_N_MAX and 1 <= slot.r <= R_MAX and 1 <= slot.p <= P_MAX):
        raise ValueError(_("its key asks for more memory than it may"))
    return slot


def check_new(passphrase: str) -> None:
    """Raises LockError."""
    if len(passphrase) < SHORTEST:
        raise LockError(
            _("The passphrase has {count} characters; expected at least {least}. Choose a longer one.").format(
                count=len(passphrase), least=SHORTEST
            )
        )


def wrap(key: bytes, passphrase: str) -> Slot:
    """Takes a moment, and 128 MB."""
    salt, nonce = os.urandom(16), os.urandom(12)
    wrapped = AESGCM(_derived(passphrase, salt, LOG2_N, R, P)).encrypt(nonce, key, None)
    return Slot(LOG2_N, R, P, salt, nonce, wrapped)


def unwrap(slot: Slot, passphrase: str) -> bytes:
    """The key, 32 bytes. Takes a moment. Raises WrongPassphrase, and LockError where there is too little memory."""
    try:
        return AESGCM(_derived(passphrase, slot.salt, slot.log2_n, slot.r, slot.p)).decrypt(slot.nonce, slot.wrapped, None)
    except InvalidTag:
        raise WrongPassphrase(
            _("The passphrase is another one. Check capital letters and the keyboard, then try again.")
        ) from None


def _derived(passphrase: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    said = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogatepass")  # keyboards compose letters in two ways
    try:
        return Scrypt(salt=salt, length=KEY_BYTES, n=1 << log2_n, r=r, p=p).derive(said)
    except MemoryError as error:
        size = decimal((128 * r << log2_n) / 1e6)
        raise LockError(
            _("Opening it with a passphrase takes {size} MB of memory. Close other programs, then try again.").format(size=size)
        ) from error
